// Manage: add items from the beacons nearby, people, survey rooms, import and export.

import { h, setText, setAttribute, toast, confirmed, dialog, announce, disable, rebuild } from './dom.js';
import { items, gateways, people, state, subscribe, isAdmin, isLive, gatewayName } from './store.js';
import { percent, metres, duration, when, gatewayCount } from './text.js';
import { peopleList } from './list.js';
import { call, get } from './api.js';
import { finder } from './choice.js';
import { follow, keyOf, dBm, strength } from './nearby.js';
import { LANGUAGES, chooseLanguage, chosenLanguage, plural, localized } from './language.js';

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
// A tag held against a gateway is received stronger than this.
const HELD = -50;

export function open() {
  const parts = isAdmin() || !state.site ? [adding(), household(), surveys(), files(), plan(), languages()] : [h('p', { class: 'empty' }, localized('You may look, but not change anything. Log in as an administrator.')), languages()];
  const element = h('div', { class: 'page managing' }, h('header', { class: 'pagehead' }, h('h1', {}, localized('Manage'))), parts.map((part) => part?.element ?? part));
  return { element, attached() { for (const part of parts) part?.attached?.(); }, close() { for (const part of parts) part?.close?.(); } };
}

// Who makes beacons with these UUIDs, by their first eight digits.
const makers = { 'f7826da6': 'Kontakt.io', 'b9407f30': 'Estimote', 'e2c56db5': 'AirLocate', '2f234454': 'Radius Networks', 'fda50693': 'WeChat', '426c7565': 'BlueCharm', 'ebefd083': 'Minew', '666f7267': 'Forgetmenot' };
// The first lists have what is there when the list begins: the server asks the gateways with the first one.
const BEGINNING = 3;
// A beacon that was not there when the list began is new for so long, in ms.
const NEW = 60_000;
// So many beacons are listed.
const MOST = 40;
// A search begins so long after the last letter, in ms.
const PAUSE = 300;

function adding() {
  const list = h('ul', { class: 'nearby', role: 'list', 'aria-label': localized('Beacons nearby') });
  const hint = h('p', { class: 'none' }, localized('Looking for beacons …'));
  const known = h('p', { class: 'none' });
  const others = h('p', { class: 'none' });
  const heading = h('h2', { id: 'adding', tabindex: -1 }, localized('Add an item'));
  const rows = new Map();
  // Whoever has more beacons around than are listed searches among all.
  const search = h('input', {
    type: 'search', id: 'nearby-find', hidden: true, autocomplete: 'off', spellcheck: 'false', 'aria-label': localized('Find a beacon'), placeholder: localized('Find by name, UUID, major or minor …'),
    oninput: () => { clearTimeout(typed); typed = setTimeout(listen, PAUSE); },
  });
  let typed;
  let controller;
  let order = [];
  let latest = [];
  let unlisted = 0;
  let lists = 0;
  // When each beacon was first received; 0: it was there when the list began.
  const first = new Map();

  // While the pointer or the focus is on the list, its order stays, so that nothing moves away from under a finger.
  const isHeld = () => list.matches(':hover') || list.contains(document.activeElement);

  function show() {
    const free = latest.filter((beacon) => !beacon.item);
    for (const beacon of latest) if (!first.has(keyOf(beacon))) first.set(keyOf(beacon), lists > BEGINNING ? Date.now() : 0);
    const byKey = new Map(free.map((beacon) => [keyOf(beacon), beacon]));
    const sorted = [...byKey.keys()];
    order = isHeld() ? [...order.filter((key) => byKey.has(key)), ...sorted.filter((key) => !order.includes(key))] : sorted;
    const rest = order.length + unlisted - MOST;
    order = order.slice(0, MOST);
    for (const [key, row] of rows) if (!byKey.has(key) || !order.includes(key)) { row.remove(); rows.delete(key); }
    order.forEach((key, index) => {
      const beacon = byKey.get(key);
      let row = rows.get(key);
      if (!row) {
        row = make(key);
        rows.set(key, row);
      }
      row.beacon = beacon;
      const held = beacon.rssi_dbm >= HELD && sorted[0] === key;
      setAttribute(row, 'class', held ? 'held' : null);
      const maker = makers[beacon.uuid.slice(0, 8).toLowerCase()];
      const isNew = Date.now() - first.get(key) < NEW;
      const name = held ? localized('Held against the gateway') : beacon.name || (maker ? localized('{maker} beacon', { maker }) : localized('Beacon'));
      setText(row.parts.name, isNew ? localized('{beacon}, just came into range', { beacon: name }) : name);
      setText(row.parts.id, `${beacon.uuid.slice(0, 8)}… · ${beacon.major} · ${beacon.minor}`);
      setText(row.parts.where, `${gatewayName(beacon.gateway)}${beacon.accuracy_m != null ? `, ${metres(beacon.accuracy_m)}` : ''}`);
      setText(row.parts.rssi, beacon.rssi_dbm == null ? '' : dBm(beacon.rssi_dbm));
      row.parts.level.style.setProperty('--share', strength(beacon.rssi_dbm ?? -100).toFixed(3));
      if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
    });
    hint.hidden = order.length > 0;
    if (!order.length) setText(hint, search.value.trim() ? localized('No new beacon matches “{text}”.', { text: search.value.trim() }) : localized('No new beacon is in range. Switch the tag on, and bring it near a gateway.'));
    setText(others, rest > 0 ? plural(rest, 'and 1 other beacon', 'and {count} other beacons') : '');
    if (rest > 0) search.hidden = false;
    const taken = latest.length - free.length;
    setText(known, taken ? plural(taken, '1 beacon in range already belongs to an item.', '{count} beacons in range already belong to items.') : '');
  }

  function listen() {
    controller?.abort();
    controller = new AbortController();
    lists = 0;
    follow(controller.signal, (beacons, more) => { [latest, unlisted] = [beacons, more]; lists++; show(); }, (problem) => {
      setText(hint, problem);
      hint.hidden = false;
    }, search.value.trim());
  }

  function make() {
    const parts = { name: h('strong'), id: h('code'), where: h('span', { class: 'where' }), rssi: h('span', { class: 'rssi number' }), level: h('i', { 'aria-hidden': 'true' }) };
    const row = h('li', {}, h('div', { class: 'what' }, parts.name, parts.id), parts.where,
      h('span', { class: 'level' }, h('span', { class: 'bar-track' }, parts.level), parts.rssi),
      h('button', { type: 'button', class: 'small', onclick: () => add(row.beacon) }, localized('Add')));
    row.parts = parts;
    return row;
  }

  async function add(beacon) {
    const live = h('span', { class: 'number' });
    const level = h('i', { 'aria-hidden': 'true' });
    const clock = setInterval(() => {
      const now = latest.find((other) => keyOf(other) === keyOf(beacon));
      setText(live, now?.rssi_dbm == null ? localized('not received') : dBm(now.rssi_dbm));
      level.style.setProperty('--share', strength(now?.rssi_dbm ?? -100).toFixed(3));
    }, 500);
    await dialog(localized('Add an item'), (close) => {
      const input = h('input', { id: 'item-name', required: true, maxlength: 120, autocomplete: 'off', placeholder: localized('Keys'), autofocus: true });
      return h('form', { onsubmit: (event) => { event.preventDefault(); if (input.value.trim()) close(input.value.trim()); } },
        h('h2', {}, localized('What carries this beacon?')),
        h('p', { class: 'beacon' }, h('code', {}, beacon.uuid), localized(' · major {major} · minor {minor}', { major: beacon.major, minor: beacon.minor })),
        h('p', { class: 'level wide' }, h('span', { class: 'bar-track' }, level), live),
        h('label', { for: 'item-name' }, localized('Name')), input,
        h('div', { class: 'buttons end' }, h('button', { type: 'button', onclick: () => close() }, localized('Cancel')), h('button', { class: 'main' }, localized('Add'))));
    }, async (name) => {
      await call('POST', 'items', { name, uuid: beacon.uuid, major: beacon.major, minor: beacon.minor });
      toast(localized('{name} is added.', { name }));
      for (const other of latest) if (keyOf(other) === keyOf(beacon)) other.item = name;
      show();
    });
    clearInterval(clock);
    // The row of what became an item is gone.
    if (!rows.has(keyOf(beacon))) heading.focus({ preventScroll: true });
  }

  return {
    element: h('section', { class: 'card', 'aria-labelledby': 'adding' }, heading,
      h('p', { class: 'lead' }, localized('Hold the tag against a gateway. The strongest beacon is on top.')), search, list, others, hint, known),
    attached: listen,
    close() {
      clearTimeout(typed);
      controller.abort();
    },
  };
}

function household() {
  const list = peopleList();
  const none = h('p', { class: 'none' }, localized('Nobody yet. Somebody who leaves without a thing is told only if the page knows who it is.'));
  const show = () => { list.show(); none.hidden = people.size > 0; };
  let leave;
  return {
    element: h('section', { class: 'card', 'aria-labelledby': 'household' }, h('h2', { id: 'household' }, localized('People')),
      h('p', { class: 'lead' }, localized('A person is where the phone, the keys or the watch is that the person carries.')), list.element, none,
      h('div', { class: 'buttons' }, h('a', { class: 'button', href: '#/people/' }, localized('Add a person')))),
    attached() { show(); leave = subscribe((changes) => { if (changes.people) show(); }); },
    close() { leave?.(); },
  };
}

const SURVEY = 60;

function surveys() {
  const room = h('select', { id: 'survey-room' });
  const item = h('select', { id: 'survey-item' });
  const search = finder('survey-find', () => fill());
  const length = h('select', { id: 'survey-length' }, [[30, '30 s'], [60, '1 min'], [180, '3 min']].map(([value, label]) => h('option', { value, selected: value === SURVEY }, label)));
  const start = h('button', { type: 'submit', class: 'main small' }, localized('Start'));
  const heading = h('h2', { id: 'surveying', tabindex: -1 }, localized('Survey a room'));
  const progress = h('div', { class: 'progress', hidden: true });
  const warning = h('p', { class: 'problem', role: 'status' });
  const verdict = h('p', { class: 'verdict', role: 'status' });
  const table = h('ul', { class: 'surveyed', role: 'list' });
  let running = null;
  let clock = 0;

  function options(select, rows, question) {
    const value = select.value;
    const key = JSON.stringify(rows);
    if (select.key === key) return;
    select.key = key;
    select.replaceChildren(h('option', { value: '' }, question), ...rows.map(([id, label]) => h('option', { value: id }, label)));
    if (rows.some(([id]) => id === value)) select.value = value;
  }
  function fill() {
    const rooms = new Set([...(state.site?.rooms ?? []), ...[...gateways.values()].map((gateway) => gateway.room).filter(Boolean)]);
    options(room, [...rooms].sort(collator.compare).map((name) => [name, name]), localized('Choose a room'));
    // What is chosen stays, also while it is not home.
    options(item, search.found((one) => one.item === item.value, (one) => one.presence === 'home').map((one) => [one.item, one.name]), localized('Choose an item'));
    disable(start, !room.value || !item.value || !!running);
    const chosen = items.get(item.value);
    const isElsewhere = chosen?.room && room.value && chosen.room !== room.value && (chosen.rooms?.[room.value] ?? 0) < 0.2;
    setText(warning, isElsewhere && !running ? localized('{item} seems to be in {room}. Is it really in {other}?', { item: chosen.name, room: chosen.room, other: room.value }) : '');
  }

  function show() {
    progress.hidden = !running;
    fill();
    if (!running) return;
    const passed = Math.max(0, Math.min(running.for_s, (Date.now() - running.began) / 1000));
    const left = Math.ceil(running.for_s - passed);
    fillBar.style.setProperty('--share', (passed / running.for_s).toFixed(3));
    setText(progressText, left > 0 ? localized('Walk around in {room} with {item}: along the walls, into the corners. {seconds} s left.', { room: running.room, item: running.name, seconds: left }) : localized('One moment …'));
    setText(progressMore, received());
  }
  // How the item of the survey is received, and where it would be.
  function received() {
    const { presence, name: item, gateway, located_in: room } = running;
    if (!presence) return '';
    if (presence !== 'home') return localized('{item} is not received now. Is its tag awake?', { item });
    return [gateway ? localized('Received best in {room}.', { room: gatewayName(gateway) }) : localized('Received.'),
      room ? localized('Without the survey it would be in {room}.', { room }) : localized('Without the survey it would be in no room.')].join(' ');
  }
  const fillBar = h('i', { 'aria-hidden': 'true' });
  const progressText = h('p');
  const progressMore = h('p', { class: 'none' });
  progress.append(progressText, h('span', { class: 'bar-track big' }, fillBar), progressMore,
    h('button', { type: 'button', class: 'small', onclick: stop }, localized('Cancel')));

  async function stop() {
    try { await call('DELETE', 'surveys/current'); } catch (problem) { toast(problem.message, 'problem'); }
    if (running) end(null);
  }
  function end(response) {
    clearInterval(clock);
    const was = running;
    running = null;
    if (progress.contains(document.activeElement)) start.focus();
    show();
    if (was && response) {
      const survey = response.survey ?? {};
      const alike = (response.alike ?? []).filter((pair) => pair.room === was.room && pair.share >= 0.05)[0];
      const seconds = survey.seconds ?? 0;
      const text = response.error ?? (response.state === 'discarded' ? localized('The survey is cancelled.') : seconds < 5 ? localized('Too few signals arrived from {room}. The survey is not stored. Is the tag awake, and a gateway near?', was)
        : [localized('{room} is surveyed: {seconds} s, {gateways}.', { room: was.room, seconds, gateways: gatewayCount(survey.gateways ?? 0) }),
          alike ? localized('It is mistaken for {room} in {share} of cases. Another gateway near one of the two rooms helps.', { room: alike.other, share: percent(alike.share) }) : localized('No other room is like it.')].join(' '));
      setText(verdict, text);
      announce(text);
    }
    list();
  }
  // `isAnew`: the connection was lost, and perhaps with it what became of a survey.
  async function list(isAnew) {
    try {
      const { surveys: all = [], current } = await get('surveys');
      if (current && !running) take(current);
      if (!current && running && isAnew) {
        const isStored = all.some((survey) => survey.room === running.room && survey.at === running.at);
        end({ error: isStored ? localized('{room} is surveyed.', { room: running.room }) : localized('The aggregator was restarted: nothing of the survey is stored. Begin it again.') });
      }
      rebuild(table, () => table.replaceChildren(...all.map((survey) => h('li', {}, h('span', {}, h('strong', {}, survey.room), ` ${when(survey.at)}, ${duration(survey.seconds)}, ${gatewayCount(survey.gateways)}`),
        h('button', { type: 'button', class: 'small quiet', 'aria-label': localized('Forget the surveys of {room}', { room: survey.room }), onclick: async () => {
          if (!await confirmed(localized('Forget the surveys of {room}?', { room: survey.room }), localized('Without them, rooms may be confused. To have them again, survey the room again.'), localized('Forget'))) return;
          try { await call('DELETE', `surveys/${encodeURIComponent(survey.room)}`); toast(localized('The surveys of {room} are forgotten.', { room: survey.room })); list(); } catch (problem) { toast(problem.message, 'problem'); }
        } }, localized('Forget'))))), heading);
    } catch (problem) {
      table.replaceChildren(h('li', { class: 'none' }, problem.message));
    }
  }
  // A survey runs once per site, whichever page began it.
  const take = (response) => {
    if (!response || (response.state !== 'running' && !running)) return;
    if (response.state !== 'running') return end(response);
    if (!running) {
      running = { item: response.item, room: response.room, name: items.get(response.item)?.name ?? response.item, at: response.survey?.at, for_s: response.for_s };
      verdict.textContent = '';
      clock = setInterval(show, 500);
    }
    Object.assign(running, { began: Date.now() - response.elapsed_s * 1000, presence: response.presence, located_in: response.located_in, gateway: response.gateway });
    show();
  };

  const form = h('form', { class: 'inline', onchange: () => fill(), onsubmit: async (event) => {
    event.preventDefault();
    const request = { item: item.value, room: room.value, for_s: Number(length.value) };
    verdict.textContent = '';
    disable(start, true);
    try {
      take(await call('POST', 'surveys', request));
    } catch (problem) {
      toast(problem.message, 'problem');
    }
    fill();
  } }, h('p', { class: 'field' }, h('label', { for: 'survey-room' }, localized('Room')), room), h('p', { class: 'field' }, h('label', { for: 'survey-item' }, localized('with')), search.field, item), h('p', { class: 'field' }, h('label', { for: 'survey-length' }, localized('for')), length), start);

  let leave;
  return {
    element: h('section', { class: 'card', 'aria-labelledby': 'surveying' }, heading,
      h('p', { class: 'lead' }, localized('Carry an item around a room for a minute. The aggregator learns how the room is received, and reports which rooms are hard to distinguish.')), form, warning, search.more, progress, verdict, table),
    attached() {
      fill();
      list();
      leave = subscribe((changes) => {
        if (changes.items || changes.gateways || changes.site || changes.changed.has(item.value)) fill();
        if (changes.survey) take(state.survey);
        if (changes.live && isLive()) list(true);
      });
    },
    close() { leave?.(); clearInterval(clock); },
  };
}

function files() {
  const result = h('div', { role: 'status' });
  const input = h('input', { type: 'file', id: 'import', accept: '.json,application/json', class: 'hidden', onchange: async () => {
    const [file] = input.files;
    if (!file) return;
    try {
      if (file.size > 4_000_000) throw new Error(localized('{file} is larger than 4 MB: this is no export of items.', { file: file.name }));
      const response = await call('POST', 'items/import', new Blob([await file.text()], { type: 'application/json' }), { raw: true });
      const refused = response?.refused ?? [];
      result.replaceChildren(h('p', {}, refused.length ? plural(response.added ?? 0, '1 item added, {refused} refused:', '{count} items added, {refused} refused:', { refused: refused.length }) : plural(response?.added ?? 0, '1 item added.', '{count} items added.')),
        refused.length ? h('ul', { class: 'problems' }, refused.slice(0, 20).map((one) => h('li', {}, one.error)), refused.length > 20 && h('li', {}, plural(refused.length - 20, '1 more problem', '{count} more problems'))) : '');
    } catch (problem) {
      result.replaceChildren(h('p', { class: 'problem' }, problem.message));
    }
    input.value = '';
  } });
  return h('section', { class: 'card', 'aria-labelledby': 'files' }, h('h2', { id: 'files' }, localized('Import and export')),
    h('p', { class: 'lead' }, localized('The file has all items with their beacons and notification rules.')),
    h('div', { class: 'buttons' }, h('a', { class: 'button', href: 'api/v1/items/export', download: 'items.json' }, localized('Export items')),
      input, h('label', { class: 'button', for: 'import' }, localized('Import items'))), result);
}

function plan() {
  return h('section', { class: 'card', 'aria-labelledby': 'planning' }, h('h2', { id: 'planning' }, localized('Floor plan')),
    h('p', { class: 'lead' }, localized('Draw the rooms, and drag the gateways to their places.')), h('div', { class: 'buttons' }, h('a', { class: 'button', href: '#/plan' }, state.site?.plan ? localized('Edit the plan') : localized('Draw the plan'))));
}

function languages() {
  const choice = h('select', { id: 'language', onchange: () => chooseLanguage(choice.value) }, h('option', { value: '' }, localized('As the browser')),
    Object.entries(LANGUAGES).map(([key, [name]]) => h('option', { value: key, lang: key, selected: key === chosenLanguage() }, name)));
  return h('section', { class: 'card', 'aria-labelledby': 'speaking' }, h('h2', { id: 'speaking' }, localized('Language')),
    h('p', { class: 'field' }, h('label', { for: 'language' }, localized('This browser shows')), choice));
}
