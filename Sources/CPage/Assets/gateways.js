// Gateways: whether each works, what it receives, its receiver offset, and where gateways should go.

import { h, setText, setAttribute, confirmed, dialog, toast } from './dom.js';
import { items, gateways, state, isAdmin, subscribe } from './store.js';
import { call } from './api.js';
import { health, tenths, isHomeAssistant, startGateway } from './text.js';
import { follow, keyOf, dBm, strength } from './nearby.js';
import { offsetForm } from './offset.js';
import { placement } from './placement.js';
import { plural, localized } from './language.js';

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
// A card lists so many beacons.
const MOST = 6;

export function open(chosen) {
  const list = h('ul', { class: 'gatewaycards', role: 'list', 'aria-label': localized('Gateways') });
  const empty = h('p', { class: 'empty' }, localized('No gateway has published anything yet.'));
  const another = h('p', { class: 'empty' }, startGateway());
  const invitation = h('button', { type: 'button', onclick: invite }, localized('Invite a gateway'));
  const advice = placement();
  const cards = new Map();
  const controller = new AbortController();
  let [beacons, isCut] = [null, false];

  function show() {
    for (const [id, card] of cards) if (!gateways.has(id)) { card.element.remove(); cards.delete(id); }
    const rows = [...gateways.values()].sort((a, b) => health(a).rank - health(b).rank || collator.compare(a.room ?? a.id, b.room ?? b.id));
    rows.forEach((gateway, index) => {
      if (!cards.has(gateway.id)) cards.set(gateway.id, makeCard(gateway.id));
      const card = cards.get(gateway.id);
      card.show(gateway, beacons?.filter((one) => one.gateway === gateway.id), isCut);
      // A card that somebody uses stays where it is.
      if (list.children[index] !== card.element && !card.element.contains(document.activeElement)) list.insertBefore(card.element, list.children[index] ?? null);
    });
    empty.hidden = rows.length > 0;
    // Home Assistant's own broker knows no invitations.
    invitation.hidden = !isAdmin() || isHomeAssistant();
    another.hidden = rows.length > 0 && !(isAdmin() && isHomeAssistant());
    // A page that was just loaded knows the gateways later.
    if (cards.has(chosen)) scrollTo(chosen);
  }
  function scrollTo(id) {
    const card = cards.get(id)?.element;
    card?.scrollIntoView({ block: 'center' });
    card?.querySelector('h2').focus({ preventScroll: true });
    chosen = null;
  }

  let leave;
  return {
    element: h('div', { class: 'page' }, h('header', { class: 'pagehead' }, h('h1', {}, localized('Gateways')), invitation),
      h('p', { class: 'lead' }, localized('A receiver offset is added to every RSSI of a gateway: positive for a gateway that receives worse than the others, negative for a better one. Automatic: the aggregator learns the offset if the gateways transmit a beacon.')),
      list, empty, another, advice.element),
    attached() {
      show();
      advice.attached();
      leave = subscribe((changes) => { if (changes.gateways || changes.items || changes.site) show(); });
      follow(controller.signal, (all, more) => { [beacons, isCut] = [all, more > 0]; show(); });
    },
    show: scrollTo,
    close() { leave?.(); controller.abort(); },
  };
}

// The line that lets in a gateway of this room. A shell takes it as it is.
function invitationFor(room, isAnother) {
  const word = /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(room) ? room : `'${room.replaceAll("'", "'\\''")}'`;
  return `sudo forgetmenot gateways invite${isAnother ? ' --another' : ''}${room.startsWith('-') ? ' --' : ''} ${word}`;
}

// Rooms that differ by less make one id, and a second machine with the id of the first takes its place.
const plain = (room) => room.normalize('NFD').replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();

// A line for a shell, and the button that copies it.
function shellLine(text = '') {
  const line = h('code', {}, text);
  const said = h('p', { role: 'status' });
  async function take() {
    setText(said, '');
    try {
      await navigator.clipboard.writeText(line.textContent);
      setText(said, localized('The line is copied.'));
    } catch {
      // Without HTTPS, a browser has no clipboard for pages of other machines.
      getSelection().selectAllChildren(line);
      setText(said, localized('The browser did not let the page copy. The line is selected: copy it.'));
    }
  }
  return { line, said, copy: h('button', { class: 'main' }, localized('Copy')), take };
}

// Removes a gateway. The page may not revoke its password, and the aggregator forgets none that is alive: a person with sudo runs the line.
async function remove(id) {
  const { room, alive } = gateways.get(id);
  const name = room ?? id;
  if (!alive) {
    if (!await confirmed(localized('Remove {name}?', { name }), localized('Everything that the gateway published is forgotten. You can invite it again later.'), localized('Remove'))) return;
    try {
      await call('DELETE', `gateways/${encodeURIComponent(id)}`);
    } catch (problem) {
      toast(problem.message, 'problem');
      return;
    }
  }
  // Home Assistant's own broker has no passwords of ours.
  if (isHomeAssistant()) {
    toast(alive ? localized('{name} is alive: stop it first.', { name }) : localized('{name} is removed.', { name }));
    return;
  }
  dialog(localized('Remove'), (close) => {
    const { line, said, copy, take } = shellLine(`sudo forgetmenot gateways remove ${id}`);
    return h('form', { onsubmit: (event) => { event.preventDefault(); take(); } },
      h('h2', {}, alive ? localized('Remove {name}?', { name }) : localized('{name} is removed.', { name })),
      h('p', {}, alive ? localized('The gateway is alive. Run this line on the machine of the broker: it revokes the gateway’s password, and removes the gateway.')
        : localized('If the broker has a password for it, run this line on the machine of the broker: until then the password goes on working.')), line, said,
      h('div', { class: 'buttons end' }, h('button', { type: 'button', onclick: () => close() }, localized('Close')), copy));
  });
}

// The aggregator may not read the secrets of the broker, so that no page can give them away: a person with sudo runs the line.
function invite() {
  dialog(localized('Invite a gateway'), (close) => {
    const { line, said, copy, take } = shellLine();
    const replaces = h('input', { type: 'checkbox', onchange: show });
    const question = h('label', {}, replaces, localized('It replaces the gateway of this room'));
    const room = h('input', { id: 'gateway-room', maxlength: 120, autocomplete: 'off', autofocus: true, oninput: show });
    function show() {
      // Nothing is saved here, so that nobody is asked before the dialog closes.
      room.defaultValue = room.value;
      const name = room.value.trim();
      const isServed = [...gateways.values()].some((one) => [one.room, one.id].some((word) => word && plain(word) === plain(name)));
      copy.disabled = line.hidden = !name;
      question.hidden = !name || !isServed;
      setText(line, invitationFor(name, isServed && !replaces.checked));
      setText(said, '');
    }
    show();
    return h('form', { onsubmit: (event) => { event.preventDefault(); if (!line.hidden) take(); } }, h('h2', {}, localized('Invite a gateway')),
      h('label', { for: 'gateway-room' }, localized('Room')), room, question,
      h('p', {}, localized('Run this line on the machine of the broker. It prints the line for the new gateway, and waits for it.')), h('output', { for: 'gateway-room' }, line), said,
      h('div', { class: 'buttons end' }, h('button', { type: 'button', onclick: () => close() }, localized('Close')), copy));
  });
}

function makeCard(id) {
  const name = h('h2', { tabindex: -1 });
  const well = h('p', { class: 'well' });
  const problems = h('ul', { class: 'problems' });
  const facts = h('dl', { class: 'facts' });
  const received = h('ul', { class: 'received', role: 'list' });
  const more = h('p', { class: 'none' });
  const offset = offsetForm(id);
  const removal = h('button', { type: 'button', class: 'small', onclick: () => remove(id) }, localized('Remove'));
  const element = h('li', { class: 'card', 'data-id': id }, h('header', {}, h('i', { class: 'dot', 'aria-hidden': 'true' }), name, h('span', { class: 'id' }, id)),
    well, problems, facts, h('h3', {}, localized('Receives best')), received, more, offset.element, removal);
  return {
    element,
    show(gateway, beacons, isCut) {
      const { state: kind, text } = health(gateway);
      setAttribute(element, 'data-state', kind);
      setText(name, gateway.room ?? id);
      setText(well, text);
      fill(problems, gateway.problems ?? [], (problem) => h('li', {}, problem));
      problems.hidden = !gateway.problems?.length;
      fill(facts, factsOf(gateway), ([term, value]) => [h('dt', {}, term), h('dd', {}, value)]);
      showReceived(received, more, beacons, isCut);
      offset.show(gateway);
      removal.hidden = !isAdmin();
      setAttribute(removal, 'aria-label', localized('Remove {name}', { name: gateway.room ?? id }));
    },
  };
}

// Builds the children again only if the rows differ.
function fill(element, rows, make) {
  const key = JSON.stringify(rows);
  if (element.key === key) return;
  element.key = key;
  element.replaceChildren(...rows.flatMap(make));
}

function factsOf({ id, version, radio, regions }) {
  const own = state.site?.version;
  const place = state.site?.plan?.gateways.find((one) => one.id === id);
  return [
    [localized('Version'), !version ? localized('not known') : own && version !== own ? localized('{version}; the aggregator has {own}', { version, own }) : version],
    [localized('Adapter'), [radio?.source, radio?.interface].filter(Boolean).join(' ') || localized('not known')],
    [localized('Watches'), regions == null ? localized('not known') : plural(regions, '1 region', '{count} regions')],
    [localized('On the plan'), place ? `${tenths(place.x_m)} m, ${tenths(place.y_m)} m` : localized('no place yet')],
  ];
}

// The beacons that no other gateway receives better; undefined: not known yet. `isCut`: of very many in range, those are known that are received best.
function showReceived(list, more, beacons, isCut) {
  const rows = (beacons ?? []).slice(0, MOST).map((one) => ({ key: keyOf(one), item: one.item, name: items.get(one.item)?.name ?? one.item ?? one.name ?? localized('Another beacon'), rssi: one.rssi_dbm }));
  const old = new Map([...list.children].map((row) => [row.key, row]));
  const ordered = rows.map(({ key, item, name, rssi }) => {
    const row = old.get(key) ?? receivedRow(key, item);
    setText(row.parts.name, name);
    setText(row.parts.rssi, rssi == null ? '' : dBm(rssi));
    row.parts.level.style.setProperty('--share', strength(rssi ?? -100).toFixed(3));
    return row;
  });
  if (ordered.length !== list.children.length || ordered.some((row, index) => row !== list.children[index])) list.replaceChildren(...ordered);
  const rest = (beacons?.length ?? 0) - rows.length;
  setText(more, !beacons ? localized('One moment …') : isCut ? localized('Of very many beacons in range, only the strongest are listed.') : rest > 0 ? plural(rest, 'and 1 other beacon', 'and {count} other beacons') : rows.length ? '' : localized('No beacon that no other gateway receives better.'));
}

function receivedRow(key, item) {
  const parts = { name: item ? h('a', { href: `#/items/${encodeURIComponent(item)}` }) : h('span'), rssi: h('span', { class: 'number' }), level: h('i', { 'aria-hidden': 'true' }) };
  const row = h('li', { class: 'bar-row' }, parts.name, h('span', { class: 'bar-track' }, parts.level), parts.rssi);
  return Object.assign(row, { parts, key });
}
