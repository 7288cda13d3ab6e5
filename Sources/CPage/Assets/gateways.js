// Gateways: whether each works, what it receives, its receiver offset, and where gateways should go.

import { h, setText, setAttribute } from './dom.js';
import { items, gateways, state, subscribe } from './store.js';
import { health, tenths } from './text.js';
import { follow, keyOf, dBm, strength } from './nearby.js';
import { offsetForm } from './offset.js';
import { placement } from './placement.js';
import { plural, localized } from './language.js';

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
// A card lists so many beacons.
const MOST = 6;

export function open(chosen) {
  const list = h('ul', { class: 'gatewaycards', role: 'list', 'aria-label': localized('Gateways') });
  const empty = h('p', { class: 'empty' }, localized('No gateway has published anything yet. Start forgetmenot-gateway on a machine with a Bluetooth adapter: “sudo forgetmenot-gateway setup”.'));
  const advice = placement();
  const cards = new Map();
  const controller = new AbortController();
  let beacons = null;

  function show() {
    for (const [id, card] of cards) if (!gateways.has(id)) { card.element.remove(); cards.delete(id); }
    const rows = [...gateways.values()].sort((a, b) => health(a).rank - health(b).rank || collator.compare(a.room ?? a.id, b.room ?? b.id));
    rows.forEach((gateway, index) => {
      if (!cards.has(gateway.id)) cards.set(gateway.id, makeCard(gateway.id));
      const card = cards.get(gateway.id);
      card.show(gateway, beacons?.filter((one) => one.gateway === gateway.id));
      // A card that somebody uses stays where it is.
      if (list.children[index] !== card.element && !card.element.contains(document.activeElement)) list.insertBefore(card.element, list.children[index] ?? null);
    });
    empty.hidden = rows.length > 0;
  }
  function scrollTo(id) {
    const card = cards.get(id)?.element;
    card?.scrollIntoView({ block: 'center' });
    card?.querySelector('h2').focus({ preventScroll: true });
  }

  let leave;
  return {
    element: h('div', { class: 'page' }, h('header', { class: 'pagehead' }, h('h1', {}, localized('Gateways'))),
      h('p', { class: 'lead' }, localized('A receiver offset is added to every RSSI of a gateway: positive for a gateway that receives worse than the others, negative for a better one. Automatic: the aggregator learns the offset if the gateways transmit a beacon.')),
      list, empty, advice.element),
    attached() {
      show();
      advice.attached();
      leave = subscribe((changes) => { if (changes.gateways || changes.items || changes.site) show(); });
      follow(controller.signal, (all) => { beacons = all; show(); });
      scrollTo(chosen);
    },
    show: scrollTo,
    close() { leave?.(); controller.abort(); },
  };
}

function makeCard(id) {
  const name = h('h2', { tabindex: -1 });
  const well = h('p', { class: 'well' });
  const problems = h('ul', { class: 'problems' });
  const facts = h('dl', { class: 'facts' });
  const received = h('ul', { class: 'received', role: 'list' });
  const more = h('p', { class: 'none' });
  const offset = offsetForm(id);
  const element = h('li', { class: 'card', 'data-id': id }, h('header', {}, h('i', { class: 'dot', 'aria-hidden': 'true' }), name, h('span', { class: 'id' }, id)),
    well, problems, facts, h('h3', {}, localized('Receives best')), received, more, offset.element);
  return {
    element,
    show(gateway, beacons) {
      const { state: kind, text } = health(gateway);
      setAttribute(element, 'data-state', kind);
      setText(name, gateway.room ?? id);
      setText(well, text);
      fill(problems, gateway.problems ?? [], (problem) => h('li', {}, problem));
      problems.hidden = !gateway.problems?.length;
      fill(facts, factsOf(gateway), ([term, value]) => [h('dt', {}, term), h('dd', {}, value)]);
      showReceived(received, more, beacons);
      offset.show(gateway);
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

// The beacons that no other gateway receives better; undefined: not known yet.
function showReceived(list, more, beacons) {
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
  setText(more, !beacons ? localized('One moment …') : rest > 0 ? plural(rest, 'and 1 other beacon', 'and {count} other beacons') : rows.length ? '' : localized('No beacon that no other gateway receives better.'));
}

function receivedRow(key, item) {
  const parts = { name: item ? h('a', { href: `#/items/${encodeURIComponent(item)}` }) : h('span'), rssi: h('span', { class: 'number' }), level: h('i', { 'aria-hidden': 'true' }) };
  const row = h('li', { class: 'bar-row' }, parts.name, h('span', { class: 'bar-track' }, parts.level), parts.rssi);
  return Object.assign(row, { parts, key });
}
