// Now: the list of items, and the plan or the rooms.

import { h, setText, setAttribute, ring, setRing, announce, rebuild, toast, strip, drawStrip } from './dom.js';
import { items, gateways, people, namesIn, strips, state, subscribe, isLive, isStale, isAdmin, trouble, lacksStrips, loadStrip, loadStrips, acknowledge, DAY } from './store.js';
import { certainty, place, support, sentence, ago, fold, itemCount, health, percent, present, when, startGateway } from './text.js';
import { VirtualList, peopleList } from './list.js';
import { ORDERS, roomOf } from './order.js';
import { PlanView } from './plan.js';
import { loadMore, localized, plural } from './language.js';

const FILTERS = [['all', localized('All')], ['home', localized('Home')], ['away', localized('Away')], ['unknown', localized('Unknown')]];
const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
// A tap reaches what it hits within this time, in ms.
const TAP = 350;
// So many notifications are shown.
const MOST = 20;
// A room's tile shows so many items.
const TILE = 12;
// How long a page without strips waits for the first time and at most, in ms.
const PAUSE = 10_000;
const LONGEST_PAUSE = 300_000;

// Whether somebody has hidden the first steps in this browser, which may forbid to store anything.
const STEPS = 'forgetmenot-steps';
function areStepsHidden() {
  try { return localStorage.getItem(STEPS) === 'hidden'; } catch { return false; }
}
function hideSteps() {
  try { localStorage.setItem(STEPS, 'hidden'); } catch { /* They are there again the next time. */ }
}

export class Now {
  #query = '';
  #filter = 'all';
  #room = '';
  #sort = 'name';
  #folded = new Map();
  // The item that is to be shown.
  #wanted = null;
  #pause = PAUSE;

  constructor() {
    this.search = h('input', {
      type: 'search', id: 'search', placeholder: localized('Find keys, a room …'), 'aria-label': localized('Find an item'), autocomplete: 'off', spellcheck: 'false',
      'aria-keyshortcuts': '/', oninput: () => this.#find(this.search.value), onfocus: () => this.#seek(),
      // The tap that ends the focus arrives first: what it hits does not move away.
      onblur: () => setTimeout(() => this.#seek(), TAP),
      onkeydown: (event) => {
        if (event.key === 'ArrowDown' && this.list.focus(this.list.ids[0])) event.preventDefault();
        if (event.key === 'Enter' && this.list.ids.length) location.hash = `#/items/${encodeURIComponent(this.list.ids[0])}`;
        if (event.key === 'Escape' && this.#query) { event.preventDefault(); this.#find(''); }
      },
    });
    this.filters = h('div', { class: 'segments', role: 'group', 'aria-label': localized('Show') }, FILTERS.map(([key, label]) =>
      h('button', { type: 'button', 'data-filter': key, 'aria-pressed': String(key === 'all'), onclick: () => this.#choose(key) }, h('span', {}, label), h('b', { class: 'number' }))));
    this.sort = h('select', { 'aria-label': localized('Order'), onchange: () => { this.#sort = this.sort.value; this.#order(); } },
      Object.entries(ORDERS).map(([key, [label]]) => h('option', { value: key }, label)));
    this.room = h('select', { 'aria-label': localized('Room'), onchange: () => this.#chooseRoom(this.room.value) }, h('option', { value: '' }, localized('Every room')));
    this.alerts = h('section', { class: 'alerts', 'aria-label': localized('Notifications'), hidden: true });
    this.list = new VirtualList({ label: localized('Items'), rem: 4.75, make: makeRow, update: updateRow });
    this.people = peopleList();
    this.list.onLeave = () => this.search.focus();
    this.empty = h('p', { class: 'empty', hidden: true });
    this.listing = h('div', { class: 'listing' }, this.alerts, this.people.element,
      h('div', { class: 'finder' }, h('div', { class: 'searchbox' }, this.search, h('kbd', { 'aria-hidden': 'true' }, '/')), this.filters, h('div', { class: 'choices' }, this.room, this.sort)),
      this.list.element, this.empty);
    this.side = h('section', { class: 'side scroll', 'aria-label': localized('Items') }, h('h1', { class: 'hidden' }, localized('Now')), this.listing);
    const open = (id) => { location.hash = `#/items/${encodeURIComponent(id)}`; };
    this.plan = new PlanView({ items, isNow: true, onSelect: open, onRoom: (room) => this.#chooseRoom(this.#room === room ? '' : room) });
    this.tiles = h('div', { class: 'tiles' });
    this.steps = h('section', { class: 'steps', 'aria-label': localized('First steps'), hidden: true });
    this.health = h('ul', { class: 'health', role: 'list', 'aria-label': localized('Gateways') });
    this.stage = h('section', { class: 'stage', 'aria-label': localized('Rooms and gateways') }, this.steps, this.plan.element, this.tiles, this.health);
    this.element = h('div', { class: 'now' }, this.side, this.stage);
    // What scrolls takes the focus. Asked of in a frame, everything would be laid out once more.
    const scrolls = new ResizeObserver(() => setAttribute(this.stage, 'tabindex', this.stage.scrollHeight > this.stage.clientHeight ? 0 : null));
    for (const part of [this.stage, this.health]) scrolls.observe(part);
    subscribe((changes) => this.#changed(changes));
    // Times age without any event.
    setInterval(() => { if (!document.hidden && this.element.isConnected) { this.list.refresh(); this.detail?.age(); } }, 15_000);
    addEventListener('forgetmenot:show', () => this.#all());
    // Not with the first view, but while the server is there and has the same version.
    setTimeout(() => this.#loadDetail().catch(() => {}), 3_000);
  }

  // Shows the list, or one item. What shows an item is loaded with the first one.
  async show(id) {
    this.#wanted = id;
    if (id && !this.detail) {
      try {
        await this.#loadDetail();
      } catch {
        toast(localized('This view cannot be loaded now. Try again, or reload the page.'), 'problem');
        if (this.#wanted === id && this.element.isConnected) location.replace('#/');
        return;
      }
      if (this.#wanted !== id || !this.element.isConnected) return;
    }
    const before = this.detail?.id;
    if (id) {
      if (id !== before) this.plan.heat(null);
      this.scrolled = this.side.scrollTop;
      this.listing.hidden = true;
      this.detail.open(id);
      this.plan.select(id);
    } else {
      this.listing.hidden = false;
      this.detail?.close();
      this.plan.select(null);
      this.plan.heat(null);
      this.list.draw();
      if (before) {
        this.side.scrollTop = this.scrolled ?? 0;
        if (!this.list.focus(before)) this.search.focus();
      }
    }
    this.element.classList.toggle('chosen', !!id);
    if (id) this.side.scrollTop = 0;
  }

  async #loadDetail() {
    await loadMore();
    const { Detail } = await import('./detail.js');
    if (this.detail) return;
    this.detail = new Detail({ onHeat: (seconds) => this.plan.heat(seconds) });
    this.side.append(this.detail.element);
  }

  attached() {
    this.#all();
    this.list.draw();
  }

  #changed(changes) {
    if (changes.items) this.#loadStrips();
    if (!this.element.isConnected) return;
    if (changes.site) {
      this.#site();
      this.detail?.refresh();
    }
    if (changes.people || (people.size && (changes.items || [...people.values()].some((person) => changes.changed.has(person.item))))) this.#people();
    if (changes.people) this.detail?.refresh();
    if (changes.items || changes.people || changes.gateways || changes.site) this.#steps();
    if (changes.live) {
      this.people.show();
      this.list.refresh();
      this.plan.update();
      this.detail?.refresh();
    }
    if (changes.items || (changes.live && !state.loaded)) {
      this.#order();
      this.plan.update(changes.changed.size && !changes.live ? changes.changed : undefined);
    } else if (changes.changed.size) {
      this.plan.update(changes.changed);
    }
    if (changes.changed.size) {
      this.list.refresh(changes.changed);
      // A notification may have taken the place of another one.
      if ([...changes.changed].some((id) => items.get(id)?.notification)) this.#alerts();
      if (this.#query || this.#room || this.#sort !== 'name') this.#order();
      if (this.detail?.id && changes.changed.has(this.detail.id)) this.detail?.refresh();
    }
    if (changes.items || changes.changed.size) this.#scheduleTiles();
    if (changes.strips) this.list.refresh();
    if (changes.gateways) {
      this.#gateways();
      this.plan.gateways();
      this.#scheduleTiles();
      // Sentences name the room of a gateway.
      this.list.refresh();
      this.detail?.refresh();
    }
  }

  // Asks for the strips of items that have none yet: of new ones, and of all after each connection.
  #loadStrips() {
    if (this.areStripsAsked || !isLive() || !lacksStrips()) return;
    this.areStripsAsked = true;
    const done = () => { this.areStripsAsked = false; };
    const load = () => loadStrips().then(() => {
      this.#pause = PAUSE;
      done();
    }, () => {
      // A server that has just started has no history yet, another one never has: the page asks again, ever more rarely.
      setTimeout(() => { done(); this.#loadStrips(); }, this.#pause);
      this.#pause = Math.min(LONGEST_PAUSE, this.#pause * 2);
    });
    if (window.requestIdleCallback) requestIdleCallback(load, { timeout: 1000 }); else setTimeout(load, 200);
  }

  #all() {
    this.#site();
    this.#people();
    this.#steps();
    this.#order();
    this.#gateways();
    this.plan.update();
  }

  #site() {
    const plan = state.site?.plan;
    const hasPlan = !!plan?.floors.some((floor) => floor.rooms.length);
    this.plan.element.hidden = !hasPlan;
    this.tiles.hidden = hasPlan;
    const text = JSON.stringify(plan);
    if (hasPlan && text !== this.planText) this.plan.set(plan);
    this.planText = text;
    this.#scheduleTiles();
  }

  #people() {
    this.people.show();
    this.plan.people();
    this.#scheduleTiles();
  }

  // What a new site still needs, and each step that is done; until there are a plan, items and people.
  #steps() {
    const best = [...gateways.values()].map(health).sort((a, b) => b.rank - a.rank)[0];
    const hasGateway = best?.rank > 1;
    const hasPlan = !!state.site?.plan || !state.site?.plan_editable;
    const steps = [
      [hasGateway, localized('A gateway receives'), best?.text ?? startGateway()],
      [items.size > 0, localized('Hold a tag against the gateway, and name it'), h('a', { href: '#/manage' }, localized('Add the first item'))],
      [hasPlan, localized('See the items on a map'), h('a', { href: '#/plan' }, localized('Draw the floor plan'))],
      [people.size > 0, localized('Say who carries what'), h('a', { href: '#/people/' }, localized('Add a person')), localized(' Then you are told when somebody leaves without a thing.')],
      [window.Notification?.permission === 'granted', localized('Get the messages on your phone'), localized('Open this page on the phone. The page of each person has a button for that.')],
    ];
    // Whether a phone gets messages, no other browser knows.
    this.steps.hidden = !state.loaded || !isAdmin() || areStepsHidden() || steps.slice(0, -1).every(([isDone]) => isDone);
    const key = JSON.stringify([steps.map(([isDone]) => isDone), best?.text]);
    if (this.steps.key === key) return;
    this.steps.key = key;
    this.steps.replaceChildren(h('header', {}, h('h2', {}, localized('First steps')), h('button', { type: 'button', class: 'quiet', onclick: () => this.#hideSteps() }, localized('Hide'))), h('ol', { role: 'list' }, steps.map(([isDone, name, ...missing], index) =>
      h('li', { class: isDone ? 'done' : null }, h('i', { 'aria-hidden': 'true' }, isDone ? '✓' : String(index + 1)), h('div', {}, h('strong', {}, name, isDone && h('span', { class: 'hidden' }, localized(', done'))), !isDone && h('p', {}, missing))))));
  }

  // Not everybody wants a plan, or says who carries what.
  #hideSteps() {
    hideSteps();
    this.steps.hidden = true;
    this.filters.firstElementChild.focus();
  }

  #choose(filter) {
    this.#filter = filter;
    for (const button of this.filters.children) setAttribute(button, 'aria-pressed', String(button.dataset.filter === filter));
    this.#order();
    this.#seek();
  }

  #chooseRoom(room) {
    this.#room = room;
    this.#order();
    this.#seek(true);
    announce(room ? localized('{items} in {room}.', { items: itemCount(this.list.ids.length), room }) : '');
  }

  // The rooms that one can choose from.
  #rooms() {
    const names = new Set([...(state.site?.rooms ?? []), ...[...items.values()].map(roomOf), this.#room].filter(Boolean));
    const key = JSON.stringify([...names].sort(collator.compare));
    if (this.room.key !== key) {
      this.room.key = key;
      this.room.replaceChildren(h('option', { value: '' }, localized('Every room')), ...JSON.parse(key).map((name) => h('option', { value: name }, name)));
    }
    if (this.room.value !== this.#room) this.room.value = this.#room;
  }

  // On a phone, only the list stands under the search field while somebody searches or filters.
  #seek(isOther = false) {
    const isSeeking = !!this.#query || !!this.#room || this.#filter !== 'all' || document.activeElement === this.search;
    if (this.element.classList.contains('seeking') === isSeeking && !isOther) return;
    this.element.classList.toggle('seeking', isSeeking);
    if (this.detail?.id || !this.element.isConnected) return;
    this.side.scrollTop = 0;
    scrollTo(0, 0);
    this.list.draw();
  }

  #find(text) {
    if (this.search.value !== text) this.search.value = text;
    this.#query = text.trim();
    this.#order();
    this.#seek(true);
    if (!this.#query) return announce('');
    const found = this.list.ids;
    announce(found.length === 0 ? localized('No item matches {text}.', { text: this.#query })
      : found.length === 1 ? sentence(items.get(found[0]))
        : `${itemCount(found.length)}. ${found.slice(0, 2).map((id) => sentence(items.get(id))).join(' ')}`);
  }

  // What is compared with the search text, folded once for each name and room.
  #words(item) {
    const key = `${item.name}\n${item.room ?? ''}`;
    const known = this.#folded.get(item.item);
    if (known?.key === key) return known;
    const words = { key, name: fold(item.name), room: fold(item.room ?? '') };
    this.#folded.set(item.item, words);
    return words;
  }

  #order() {
    const needle = fold(this.#query);
    this.#rooms();
    const numbers = { all: 0, home: 0, away: 0, unknown: 0 };
    const rows = [];
    for (const [id, item] of items) {
      numbers.all++;
      numbers[item.presence in numbers ? item.presence : 'unknown']++;
      if (this.#filter !== 'all' && item.presence !== this.#filter) continue;
      if (this.#room && roomOf(item) !== this.#room) continue;
      let rank = item.notification ? 0 : 1;
      if (needle) {
        const { name, room } = this.#words(item);
        rank = name.startsWith(needle) ? 0 : name.includes(` ${needle}`) ? 1 : name.includes(needle) ? 2 : room.startsWith(needle) ? 3 : id === needle ? 3 : -1;
        if (rank < 0) continue;
      }
      rows.push({ id, rank, name: item.name, since: item.since, room: roomOf(item) });
    }
    const [, compare] = ORDERS[this.#sort];
    rows.sort((a, b) => a.rank - b.rank || compare(a, b));
    const ids = rows.map((row) => row.id);
    const same = ids.length === this.list.ids.length && ids.every((id, index) => id === this.list.ids[index]);
    if (same) this.list.refresh(); else this.list.set(ids);
    for (const button of this.filters.children) setText(button.lastChild, state.loaded ? String(numbers[button.dataset.filter]) : '');
    this.plan.want(needle || this.#room ? new Set(ids) : null);
    this.empty.hidden = ids.length > 0 || !(state.loaded || state.live === 'lost');
    if (!state.loaded) this.empty.replaceChildren(localized('Your things are shown as soon as the server can be reached.'));
    else if (!this.empty.hidden) {
      const hasAny = items.size > 0;
      this.empty.replaceChildren(hasAny
        ? (needle ? localized('No item matches “{text}”.', { text: this.#query }) : localized('No item here.'))
        : h('span', {}, h('strong', {}, localized('No items yet.')), ' ', isAdmin() ? h('a', { href: '#/manage' }, localized('Add the first one.')) : localized('Ask an administrator to add one.')));
    }
    this.#alerts();
  }

  #alerts() {
    const alerts = [...items.values()].filter((item) => item.notification).sort((a, b) => collator.compare(a.name, b.name));
    const key = JSON.stringify([alerts.map((item) => [item.item, item.notification]), isAdmin()]);
    if (key === this.alertKey) return;
    const isNew = this.alertKey !== undefined && alerts.length > this.alertCount;
    this.alertKey = key;
    this.alertCount = alerts.length;
    // Focus stays in the section if the button that had it is gone.
    const had = this.alerts.contains(document.activeElement);
    this.alerts.hidden = alerts.length === 0;
    this.alerts.replaceChildren(...alerts.slice(0, MOST).map((item) => h('div', { class: 'alert' },
      h('p', {}, h('a', { href: `#/items/${encodeURIComponent(item.item)}` }, item.notification.message ?? localized('{item} has left.', { item: item.name })),
        h('small', {}, localized('since {time}', { time: when(item.notification.since) }))),
      isAdmin() && h('button', { type: 'button', class: 'small', 'aria-label': localized('Acknowledge {item}', { item: item.name }), onclick: () => acknowledge(item.item) }, localized('Acknowledge')))),
    ...(alerts.length > MOST ? [h('p', {}, plural(alerts.length - MOST, '1 more notification', '{count} more notifications'))] : []));
    if (had) (this.alerts.querySelector('button') ?? this.search).focus();
    if (isNew) announce(alerts.slice(0, MOST).map((item) => item.notification.message).join(' '));
  }

  #gateways() {
    const rows = [...gateways.values()].sort((a, b) => health(a).rank - health(b).rank || collator.compare(a.room ?? a.id, b.room ?? b.id));
    rebuild(this.health, () => this.health.replaceChildren(...rows.map((gateway) => {
      const { state: well, text } = health(gateway);
      const problems = gateway.problems ?? [];
      return h('li', { 'data-state': well },
        h('i', { class: 'dot', 'aria-hidden': 'true' }),
        h('div', {}, h('a', { href: `#/gateways/${encodeURIComponent(gateway.id)}` }, gateway.room ?? gateway.id), gateway.room ? h('span', { class: 'id' }, gateway.id) : null,
          h('p', {}, text), problems.length ? h('ul', { class: 'problems' }, problems.map((problem) => h('li', {}, problem))) : null));
    })));
    if (!rows.length && state.loaded) this.health.append(h('li', { 'data-state': 'down' }, h('i', { class: 'dot', 'aria-hidden': 'true' }), h('div', {}, h('strong', {}, localized('No gateway')), h('p', {}, localized('Start forgetmenot-gateway on a machine with a Bluetooth adapter.')))));
  }

  // Tiles are drawn at most four times a second, and only if there is no plan.
  #scheduleTiles() {
    if (this.tiles.hidden || this.tileTimer) return;
    this.tileTimer = setTimeout(() => { this.tileTimer = 0; this.#tiles(); }, state.loaded && !this.tiles.childElementCount ? 0 : 250);
  }

  #tiles() {
    if (this.tiles.hidden || !state.loaded) return;
    const rooms = new Map((state.site?.rooms ?? []).map((room) => [room, []]));
    for (const gateway of gateways.values()) if (gateway.room && !rooms.has(gateway.room)) rooms.set(gateway.room, []);
    const roomless = [];
    const away = [];
    const unknown = [];
    for (const item of items.values()) {
      if (item.presence === 'home' && item.room) rooms.get(item.room)?.push(item) ?? rooms.set(item.room, [item]);
      else if (item.presence === 'home') roomless.push(item);
      else if (item.presence === 'away') away.push(item);
      else unknown.push(item);
    }
    const all = [...rooms, ...(roomless.length ? [[localized('At home, room unknown'), roomless, 'home']] : []), ...(away.length ? [[localized('Away'), away, 'away']] : []), ...(unknown.length ? [[localized('Unknown'), unknown, 'unknown']] : [])];
    const old = new Map([...this.tiles.children].map((tile) => [tile.dataset.room, tile]));
    const ordered = all.map(([room, members, kind]) => {
      members.sort((a, b) => collator.compare(a.name, b.name));
      const shown = members.slice(0, TILE);
      const here = kind ? [] : namesIn(room);
      const key = JSON.stringify([shown.map((item) => [item.item, item.name, certainty(item), isStale(item)]), members.length, here]);
      const known = old.get(room);
      if (known?.key === key) return known;
      const tile = h('section', { class: `tile ${kind ?? ''}`, 'data-room': room, 'aria-label': room },
        h('h2', {}, room, h('b', { class: 'number' }, String(members.length))), here.length > 0 && h('p', { class: 'here' }, here.join(', ')),
        h('ul', { role: 'list' }, shown.map((item) => {
          const mark = ring();
          setRing(mark, item);
          return h('li', {}, h('a', { class: `chip ${certainty(item)}${isStale(item) ? ' stale' : ''}`, href: `#/items/${encodeURIComponent(item.item)}` }, mark, item.name));
        }), members.length > TILE ? h('li', {}, h('button', { type: 'button', class: 'chip more', onclick: () => kind ? this.#choose(kind) : this.#chooseRoom(room) }, plural(members.length - TILE, '1 more', '{count} more'))) : null));
      tile.key = key;
      return tile;
    });
    if (ordered.length !== this.tiles.children.length || ordered.some((tile, index) => tile !== this.tiles.children[index])) {
      const focused = document.activeElement?.closest?.('.tiles a')?.getAttribute('href');
      this.tiles.replaceChildren(...ordered);
      if (focused) this.tiles.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
    }
  }
}

function makeRow() {
  const li = h('li', { class: 'row' });
  const parts = {
    ring: ring(), name: h('span', { class: 'name' }), seen: h('span', { class: 'seen' }), place: h('span', { class: 'place' }),
    sure: h('span', { class: 'sure' }), more: h('span', { class: 'more' }), strip: strip(),
  };
  li.append(h('a', {}, parts.ring, h('span', { class: 'line' }, parts.name, parts.seen),
    h('span', { class: 'line' }, h('span', { class: 'where' }, parts.place, parts.more), parts.sure), parts.strip));
  li.parts = parts;
  return li;
}

function updateRow(li, id) {
  const item = items.get(id);
  if (!item) return;
  const now = present();
  const { parts } = li;
  setAttribute(li, 'class', `row ${certainty(item)}${isStale(item) ? ' stale' : ''}${item.notification ? ' notified' : ''}`);
  setAttribute(li.firstChild, 'href', `#/items/${encodeURIComponent(id)}`);
  setRing(parts.ring, item);
  setText(parts.name, item.name);
  setText(parts.seen, isStale(item) ? localized('as of {time}', { time: when(item.last_seen_at ?? state.liveSince, now) }) : item.presence === 'home' ? (item.received ? localized('now') : item.last_seen_at ? ago(item.last_seen_at, now) : '') : '');
  setText(parts.place, place(item));
  const more = support(item, trouble(item), now);
  setText(parts.more, more);
  // A share of 26 % beside two rooms would read as how sure both are.
  setText(parts.sure, ['certain', 'likely'].includes(certainty(item)) ? percent(item.confidence) : '');
  const stays = strips.get(id);
  if (stays === null) loadStrip(id);
  // The strip changes by a pixel in minutes: it is drawn again only when its stays change, or after two minutes.
  const key = stays ? `${stays.length} ${stays.at(-1)?.from} ${Math.floor(now / 120_000)}` : '';
  if (stays && (li.stays !== stays || li.stripKey !== key)) {
    [li.stays, li.stripKey] = [stays, key];
    drawStrip(parts.strip, stays, now - DAY, now, now);
  }
}
