// One item: where it is, what it did, when to notify, and its name.

import { h, setText, setAttribute, ring, setRing, toast, dialog, disable, download, draft, keep, giveUp, rebuild, remind, ticked, namedStrip, drawNamed, drawMarks } from './dom.js';
import { items, people, owns, lostOwners, sortedPeople, state, isLive, isStale, isAdmin, isKnown, gatewayName, trouble, apply, history, acknowledge, DAY } from './store.js';
import { staysByItem, timeSpent } from './stays.js';
import { personPath } from './list.js';
import { certainty, place, percent, metres, marks, present, when, ago, day, time, duration, reception, battery, startOfDay, addDays, tenths } from './text.js';
import { call, get, query } from './api.js';
import { plural, localized } from './language.js';

// The server stores a stay after it has reported it: so much later its past is asked for, in ms.
const LATER = 4_000;
// The past of an item that stays is asked for again after this time, in ms. Each midnight is the end of one.
const STEP = 300_000;
// What could not be loaded is asked for again after this time, in ms.
const AGAIN = 30_000;

const path = (id) => `items/${encodeURIComponent(id)}`;

export class Detail {
  constructor({ onHeat }) {
    this.onHeat = onHeat;
    this.id = null;
    this.element = h('article', { class: 'detail', hidden: true });
  }

  open(id) {
    if (this.id === id && !this.element.hidden) return;
    this.#leave();
    this.id = id;
    this.day = startOfDay(present());
    this.build();
    this.element.hidden = false;
    this.title.focus({ preventScroll: true });
    scrollTo(0, 0);
  }

  #leave() {
    const item = items.get(this.id)?.name ?? this.id;
    remind(`rules ${this.id}`, localized('The notification rules of {item} are not saved.', { item }));
    remind(`owners ${this.id}`, localized('The owners of {item} are not saved.', { item }));
  }

  #giveUp(id) {
    giveUp(`rules ${id}`);
    giveUp(`owners ${id}`);
  }

  close() {
    this.#leave();
    this.id = null;
    this.element.hidden = true;
    this.element.replaceChildren();
  }

  build() {
    const back = h('a', { class: 'back', href: '#/' }, h('span', { 'aria-hidden': 'true' }, '‹ '), localized('All items'));
    this.ring = ring();
    this.title = h('h2', { tabindex: -1 });
    this.place = h('p', { class: 'big' });
    this.facts = h('dl', { class: 'facts' });
    this.alert = h('div');
    this.rooms = h('div', { class: 'bars' });
    this.built = false;
    // What is loaded without a connection is loaded again with the next one.
    this.pastKey = isLive() ? '' : 'none';
    this.timeline = this.#timeline();
    this.spent = this.#spent();
    this.manage = h('div', { class: 'manage' });
    this.element.replaceChildren(back, h('header', {}, this.ring, this.title), this.place, this.alert, this.rooms, this.facts, this.timeline, this.spent, this.manage);
    this.refresh();
  }

  age() { if (this.id) this.refresh(); }

  refresh() {
    if (!this.id) return;
    const item = items.get(this.id);
    if (!item) {
      setText(this.title, state.loaded ? localized('There is no such item') : localized('One moment'));
      setText(this.place, '');
      this.facts.replaceChildren();
      for (const part of [this.rooms, this.alert, this.manage]) part.replaceChildren();
      this.built = false;
      this.timeline.hidden = this.spent.hidden = true;
      if (isKnown()) this.#giveUp(this.id);
      return;
    }
    this.timeline.hidden = this.spent.hidden = false;
    this.offerHeat();
    this.#follow(item);
    setAttribute(this.element, 'class', `detail ${certainty(item)}${isStale(item) ? ' stale' : ''}`);
    setRing(this.ring, item);
    setText(this.title, item.name);
    setText(this.place, place(item));
    document.title = `${item.name} · Forgetmenot`;
    const rows = [];
    const wrong = trouble(item);
    if (isStale(item)) rows.push([localized('As of'), localized('{time}, because {reason}', { time: when(item.last_seen_at ?? state.liveSince), reason: state.live !== 'live' ? localized('the connection is lost') : item.stale ? localized('the aggregator does not respond') : wrong })]);
    else if (wrong) rows.push([localized('Unknown because'), wrong]);
    if (item.error) rows.push([localized('Problem'), item.error]);
    const rooms = item.presence === 'home' ? Object.entries(item.rooms ?? {}).sort((a, b) => b[1] - a[1]).slice(0, 4) : [];
    const hasBars = rooms.length > 1 && rooms[0][1] < 0.9;
    if (item.presence === 'home' && item.confidence != null && !hasBars) rows.push([localized('Confidence'), percent(item.confidence)]);
    if (item.presence === 'home' && item.gateway) {
      const isPlaced = item.x_m != null;
      const best = reception(item, gatewayName(item.gateway));
      rows.push([localized('Received best'), !isPlaced && item.accuracy_m != null ? localized('{best}, about {distance}', { best, distance: metres(item.accuracy_m) }) : best]);
      if (isPlaced && item.accuracy_m != null) rows.push([localized('Position'), localized('within {distance}, two times in three', { distance: metres(item.accuracy_m) })]);
    }
    if (item.since) rows.push([item.presence === 'away' ? localized('Away since') : localized('There since'), when(item.since)]);
    const owners = sortedPeople().filter((person) => owns(person, item));
    if (owners.length) rows.push([localized('Belongs to'), owners.map((person) => person.name).join(', ')]);
    if (item.resting_since) rows.push([localized('Resting'), localized('since {time}', { time: when(item.resting_since) })]);
    if (battery(item)) rows.push([localized('Battery'), battery(item)]);
    if (item.interval_s != null) rows.push([localized('Interval'), `${tenths(item.interval_s)} s`]);
    if (item.rssi_db_per_week != null) rows.push([localized('RSSI trend'), localized('{change} dB a week', { change: tenths(item.rssi_db_per_week) })]);
    rows.push([localized('Last seen'), item.received && !wrong ? localized('now') : ago(item.last_seen_at)]);
    const key = JSON.stringify(rows);
    if (key !== this.factKey || !this.facts.childElementCount) {
      this.factKey = key;
      this.facts.replaceChildren(...rows.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
    }
    this.rooms.replaceChildren(...(hasBars ? rooms.map(([room, share]) => bar(room, share, percent(share))) : []));
    const notification = item.notification;
    const alertKey = JSON.stringify([notification, isAdmin()]);
    if (alertKey !== this.alertKey || (notification && !this.alert.childElementCount)) {
      this.alertKey = alertKey;
      rebuild(this.alert, () => this.alert.replaceChildren(...(notification ? [h('div', { class: 'alert' }, h('p', {}, notification.message, h('small', {}, plural(notification.count, 'sent once', 'sent {count} times'))),
        isAdmin() && h('button', { type: 'button', class: 'small', onclick: () => acknowledge(item.item) }, localized('Acknowledge')))] : [])), this.title);
    }
    if (!this.built || this.manageKey !== this.#settings(item)) rebuild(this.manage, () => this.#manage(item));
  }

  // The past follows the item, also after a reconnect, and grows with the time.
  #follow(item) {
    if (!isLive()) return;
    const former = this.pastKey;
    this.pastKey = `${item.presence} ${item.room} ${state.liveSince} ${Math.floor(present() / STEP)}`;
    if (!former || former === this.pastKey) return;
    this.pastTimer ??= setTimeout(() => {
      this.pastTimer = null;
      if (!this.id) return;
      if (this.isToday) {
        this.day = startOfDay(present());
        this.showDay();
      }
      this.showSpent();
    }, LATER);
  }

  // The stays of one day, with buttons for the day before and after.
  #timeline() {
    const name = h('h3', { class: 'day' });
    const picture = namedStrip();
    const hours = h('div', { class: 'hours', 'aria-hidden': 'true' });
    const list = h('ol', { class: 'stays', role: 'list', 'aria-label': localized('Stays') });
    const next = h('button', { type: 'button', class: 'icon', 'aria-label': localized('Next day') }, '›');
    let [shown, again] = [null, null];
    this.showDay = async () => {
      const [from, id] = [this.day, this.id];
      clearTimeout(again);
      this.isToday = from === startOfDay(present());
      const to = addDays(from, 1);
      setText(name, day(from));
      drawMarks(hours, marks('day', from), to, (at) => time(at).slice(0, 2));
      hours.append('24');
      disable(next, to > present());
      try {
        const rows = staysByItem(await history({ item: id, from: new Date(from).toISOString(), to: new Date(to).toISOString() })).get(id) ?? [];
        if (from !== this.day || id !== this.id) return;
        shown = from;
        drawNamed(picture, rows, from, to, picture.clientWidth);
        list.replaceChildren(...(rows.length ? rows.toReversed().map((stay) => h('li', { 'data-presence': stay.presence },
          h('span', { class: 'time' }, stay.from < from ? '00:00' : time(stay.from)),
          h('span', {}, stay.presence === 'home' ? stay.room ?? localized('Home') : stay.presence === 'away' ? localized('Away') : localized('Unknown')),
          h('span', { class: 'long' }, duration((Math.min(stay.to ?? present(), to) - Math.max(stay.from, from)) / 1000)))) : [h('li', { class: 'none' }, localized('Nothing is stored for this day.'))]));
        // Not every browser lets the keyboard scroll a list that has no focus.
        setAttribute(list, 'tabindex', list.scrollHeight > list.clientHeight ? 0 : null);
      } catch (problem) {
        if (from !== this.day || id !== this.id) return;
        clearTimeout(again);
        again = setTimeout(() => { if (from === this.day && id === this.id) this.showDay(); }, AGAIN);
        if (shown === from) return;
        shown = null;
        drawNamed(picture, [], from, to, picture.clientWidth);
        list.replaceChildren(h('li', { class: 'none' }, problem.message));
      }
    };
    const move = (days) => { this.day = addDays(this.day, days); this.showDay(); };
    next.addEventListener('click', () => move(1));
    this.showDay();
    return h('section', { class: 'timeline', 'aria-label': localized('Timeline') },
      h('div', { class: 'daybar' }, h('button', { type: 'button', class: 'icon', 'aria-label': localized('Previous day'), onclick: () => move(-1) }, '‹'), name, next),
      picture, hours, list,
      h('p', {}, h('button', { type: 'button', class: 'small quiet', onclick: () => this.#export() }, localized('Export all stays'))));
  }

  #export() {
    const { id } = this;
    this.#do(async () => {
      const { csv } = await import('./past.js');
      const rows = await history({ item: id, from: new Date(0).toISOString() }, 200);
      if (rows.isCut) toast(localized('The file has the first {count} stays only: the history exports the others, a month at a time.', { count: rows.length }), 'problem');
      download(`${id}.csv`, csv(rows, () => items.get(id)?.name), 'text/csv');
    });
  }

  // Time per room of the last week, and the same on the plan.
  #spent() {
    const bars = h('div', { class: 'bars' });
    const button = h('button', { type: 'button', class: 'small quiet', 'aria-pressed': 'false', hidden: true }, localized('Show on the plan'));
    let [seconds, again] = [null, null];
    // The plan may be known later than the time per room.
    this.offerHeat = () => { button.hidden = !Object.keys(seconds ?? {}).length || !state.site?.plan; };
    button.addEventListener('click', () => {
      const isOn = button.getAttribute('aria-pressed') !== 'true';
      button.setAttribute('aria-pressed', String(isOn));
      this.onHeat(isOn ? seconds : null);
      // On a phone, the plan is above.
      if (isOn) document.querySelector('.planview').scrollIntoView({ block: 'nearest' });
    });
    const id = this.id;
    this.showSpent = () => get(`history/rooms?${query({ item: id, from: new Date(present() - 7 * DAY).toISOString() })}`).then((response) => {
      if (id !== this.id) return;
      const { rooms, away, unknown } = timeSpent(response.rooms);
      seconds = rooms;
      const inRooms = Object.entries(rooms).sort((a, b) => b[1] - a[1]);
      const others = inRooms.splice(8).reduce((sum, [, value]) => sum + value, 0);
      const rows = [...inRooms, [localized('Other rooms'), others], [localized('Away'), away, 'away'], [localized('Unknown'), unknown, 'unknown']].filter(([, value]) => value > 0);
      const most = Math.max(...rows.map(([, value]) => value));
      bars.replaceChildren(...(rows.length ? rows.map(([name, value, kind]) => bar(name, value / most, duration(value), kind)) : [h('p', { class: 'none' }, localized('Nothing is stored yet.'))]));
      this.offerHeat();
      if (button.getAttribute('aria-pressed') === 'true') this.onHeat(seconds);
    }).catch((problem) => {
      if (id !== this.id) return;
      clearTimeout(again);
      again = setTimeout(() => { if (id === this.id) this.showSpent(); }, AGAIN);
      if (!seconds) bars.replaceChildren(h('p', { class: 'none' }, problem.message));
    });
    this.showSpent();
    return h('section', { class: 'spent', 'aria-label': localized('Time per room') }, h('div', { class: 'head' }, h('h3', {}, localized('Last seven days')), button), bars);
  }

  #settings(item) { return JSON.stringify([item.name, item.notify, item.owners, item.needed, item.configured, isAdmin(), sortedPeople().map((person) => [person.id, person.name])]); }

  #manage(item) {
    // What has the focus is built again later.
    if (this.built && this.manage.contains(document.activeElement) && !this.saving) return;
    this.built = true;
    this.saving = false;
    this.manageKey = this.#settings(item);
    if (!isAdmin()) return this.manage.replaceChildren();
    const beacon = h('p', { class: 'beacon' }, h('code', {}, item.uuid), localized(' · major {major} · minor {minor}', { major: item.major, minor: item.minor }));
    if (item.configured) {
      return this.manage.replaceChildren(h('section', {}, h('h3', {}, localized('Item')), beacon,
        h('p', { class: 'none' }, localized('This item stands in aggregator.toml. Change its name and its notifications there.'))));
    }
    this.manage.replaceChildren(
      this.#rules(item),
      people.size || item.owners?.length ? this.#owners(item) : h('section', {}, h('h3', {}, localized('Belongs to')), h('p', { class: 'none' }, h('a', { href: personPath('') }, localized('Add a person')), localized(', who is told when the item stays behind.'))),
      h('section', {}, h('h3', {}, localized('Item')), beacon, h('div', { class: 'buttons' },
        h('button', { type: 'button', onclick: () => this.rename(item.item) }, localized('Rename')),
        h('button', { type: 'button', class: 'danger', onclick: () => this.remove(item.item) }, localized('Remove')))));
  }

  async rename(id) {
    const old = items.get(id).name;
    await dialog(localized('Rename'), (close) => {
      const input = h('input', { id: 'new-name', value: old, required: true, maxlength: 120, autocomplete: 'off', autofocus: true });
      const form = h('form', { onsubmit: (event) => { event.preventDefault(); if (input.value.trim()) close(input.value.trim()); } },
        h('h2', {}, localized('Rename {name}', { name: old })), h('label', { for: 'new-name' }, localized('Name')), input,
        h('div', { class: 'buttons end' }, h('button', { type: 'button', onclick: () => close() }, localized('Cancel')), h('button', { class: 'main' }, localized('Rename'))));
      queueMicrotask(() => input.select());
      return form;
    }, async (name) => {
      if (name === old) return;
      await call('PATCH', path(id), { name });
      if (items.has(id)) apply('item', { ...items.get(id), name });
      toast(localized('{old} is now called {name}.', { old, name }));
    });
  }

  async remove(id) {
    const { name } = items.get(id);
    const response = await dialog(localized('Remove'), (close) => {
      const past = h('input', { type: 'checkbox', id: 'past' });
      return h('form', { onsubmit: (event) => { event.preventDefault(); close({ past: past.checked }); } },
        h('h2', {}, localized('Remove {name}?', { name })), h('p', {}, localized('The gateways stop watching its beacon. You can add the item again later.')),
        h('p', { class: 'check' }, past, h('label', { for: 'past' }, localized('Delete its history, too'))),
        h('div', { class: 'buttons end' }, h('button', { type: 'button', autofocus: true, onclick: () => close() }, localized('Cancel')), h('button', { class: 'danger' }, localized('Remove'))));
    });
    if (!response) return;
    await this.#do(async () => {
      await call('DELETE', path(id) + (response.past ? '?past=true' : ''));
      this.#giveUp(id);
      apply('item_removed', { item: id });
      toast(localized('{name} is removed.', { name }));
      location.hash = '#/';
    });
  }

  // Keeps a form of this item until it is saved; then, it is made anew.
  #keep(key, form, save, onChange = () => {}) {
    return keep(key, form, save, (isDraft) => {
      if (!isDraft) this.manageKey = '';
      onChange();
    });
  }
  #saved(key, id, values) {
    giveUp(key);
    this.saving = true;
    this.manageKey = '';
    if (items.has(id)) apply('item', { ...items.get(id), ...values });
  }

  async #do(work) {
    try { await work(); } catch (problem) { toast(problem.message, 'problem'); }
  }

  // Whose the item is, and when it must not stay behind.
  #owners(item) {
    const key = `owners ${item.item}`;
    if (draft(key)) return draft(key);
    const box = (id, name, checked) => h('p', { class: 'check' }, h('input', { type: 'checkbox', id: `o-${id}`, value: id, checked }), h('label', { for: `o-${id}` }, name));
    const boxes = [...sortedPeople().map((person) => box(person.id, person.name, owns(person, item))),
      ...lostOwners(item).map((id) => box(id, localized('{name} (was removed)', { name: id }), true))];
    const times = [['', localized('never')], ['always', localized('always')], ['mon-fri', localized('Monday to Friday')], ['sat,sun', localized('Saturday and Sunday')]];
    if (!times.some(([key]) => key === (item.needed ?? ''))) times.push([item.needed, item.needed]);
    const needed = h('select', { id: 'o-needed' }, times.map(([key, label]) => h('option', { value: key, selected: key === (item.needed ?? '') }, label)));
    const save = h('button', { class: 'main small', disabled: true }, localized('Save'));
    return this.#keep(key, h('form', { class: 'notify owners', onsubmit: (event) => {
      event.preventDefault();
      // Only what was changed here: somebody else may have changed the rest.
      const now = items.get(item.item);
      const stored = [...sortedPeople().filter((person) => owns(person, now)).map((person) => person.id), ...lostOwners(now)];
      // Who was removed cannot be an owner again.
      const turned = ticked(stored, boxes.map((row) => row.firstChild))?.filter((id) => people.has(id));
      const owners = turned ?? stored;
      const values = {};
      if (turned) values.owners = turned.length ? turned : null;
      // What belongs to nobody is needed by nobody.
      if (!owners.length || needed.value !== needed.defaultValue) values.needed = (owners.length && needed.value) || null;
      this.#do(async () => {
        await call('PATCH', path(item.item), values);
        this.#saved(key, item.item, values);
        toast(owners.length ? localized('The owners are saved.') : localized('{item} belongs to nobody now.', { item: item.name }));
      });
    }, onchange: (event) => {
      // Whoever names the first owner wants something of that.
      if (event.target.type === 'checkbox' && !item.owners?.length && !needed.value && boxes.filter((row) => row.firstChild.checked).length === 1) needed.value = 'always';
    } }, h('fieldset', {}, h('legend', {}, localized('Belongs to')), boxes),
    h('p', { class: 'field' }, h('label', { for: 'o-needed' }, localized('Tell the owner who leaves without it')), needed), h('div', { class: 'buttons' }, save)), save);
  }

  #rules(item) {
    const key = `rules ${item.item}`;
    if (draft(key)) return draft(key);
    const rules = { left: false, returned: false, ...item.notify };
    const field = (id, label, control) => h('p', { class: 'field' }, h('label', { for: id }, label), control);
    const check = (id, label, on) => {
      const box = h('input', { type: 'checkbox', id, checked: on });
      return [box, h('p', { class: 'check' }, box, h('label', { for: id }, label))];
    };
    const [left, leftRow] = check('r-left', localized('When it leaves'), rules.left);
    const [returned, returnedRow] = check('r-returned', localized('When it returns'), rules.returned);
    const choice = (id, options, value) => {
      const all = options.some(([key]) => key === value) ? options : [...options, [value, duration(value)]].sort((a, b) => (a[0] ?? Infinity) - (b[0] ?? Infinity));
      return h('select', { id }, all.map(([key, label]) => h('option', { value: String(key), selected: key === value }, label)));
    };
    const after = choice('r-after', [[0, localized('at once')], [30, localized('after 30 s')], [60, localized('after 1 min')], [300, localized('after 5 min')], [900, localized('after 15 min')]], rules.after_s ?? 30);
    const repeat = choice('r-repeat', [[null, localized('never')], [60, localized('every minute')], [300, localized('every 5 min')], [900, localized('every 15 min')], [3600, localized('every hour')]], rules.left || rules.returned ? rules.repeat_s ?? null : 300);
    const until = choice('r-until', [[600, localized('for 10 min')], [3600, localized('for 1 h')], [14_400, localized('for 4 h')], [86_400, localized('for a day')], [null, localized('without end')]], rules.left || rules.returned ? rules.until_s ?? null : 3600);
    const from = h('input', { type: 'time', id: 'r-from', value: rules.from ?? '' });
    const to = h('input', { type: 'time', id: 'r-to', value: rules.to ?? '' });
    const text = h('input', { id: 'r-text', value: rules.left_text ?? '', placeholder: localized('{item} has left.', { item: item.name }), maxlength: 200 });
    const more = h('div', { class: 'rules' }, field('r-after', localized('Notify'), after), field('r-repeat', localized('Repeat'), repeat), field('r-until', localized('Keep on'), until),
      h('p', { class: 'field' }, h('label', { for: 'r-from' }, localized('Only from')), from, h('label', { for: 'r-to' }, localized('to')), to), field('r-text', localized('Message'), text));
    const refusal = h('p', { class: 'problem', role: 'alert' });
    more.children[3].after(refusal);
    const save = h('button', { class: 'main small', disabled: true }, localized('Save'));
    const number = (select) => (select.value === 'null' ? null : Number(select.value));
    const read = () => ({ left: left.checked, returned: returned.checked, after_s: number(after), repeat_s: number(repeat), until_s: number(until), from: from.value || null, to: to.value || null, left_text: text.value.trim() || null });
    const begun = read();
    const sync = () => { more.hidden = !left.checked && !returned.checked; };
    const form = h('form', { class: 'notify', onsubmit: (event) => {
      event.preventDefault();
      if (!more.hidden && (from.value || to.value) && (!from.value || !to.value || from.value === to.value)) {
        refusal.textContent = from.value === to.value ? localized('Both times are {time}: write two times, or none.', { time: to.value }) : localized('A window needs both times: write the other one as well, or none.');
        return (from.value ? to : from).focus();
      }
      // Rules that exist change only in what was changed here: somebody else may have changed the rest.
      const now = items.get(item.item).notify;
      const changed = Object.fromEntries(Object.entries(read()).filter(([name, value]) => !now || value !== begun[name]));
      const merged = { ...now, ...changed };
      const notify = merged.left || merged.returned ? merged : null;
      this.#do(async () => {
        await call('PATCH', path(item.item), { notify: notify && changed });
        this.#saved(key, item.item, { notify: notify && Object.fromEntries(Object.entries(notify).filter(([, value]) => value !== null)) });
        toast(localized('The notification rules are saved.'));
      });
    } }, h('h3', {}, localized('Notify me')), leftRow, returnedRow, more, h('div', { class: 'buttons' }, save));
    sync();
    return this.#keep(key, form, save, () => {
      refusal.textContent = '';
      sync();
    });
  }
}

function bar(name, share, text, kind = '') {
  const fill = h('i', { 'aria-hidden': 'true' });
  fill.style.setProperty('--share', Math.max(0.01, Math.min(1, share)).toFixed(3));
  return h('p', { class: `bar-row ${kind}` }, h('span', {}, name), h('span', { class: 'bar-track' }, fill), h('span', { class: 'number' }, text));
}
