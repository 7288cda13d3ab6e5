// History: a day, a week or a month of all items, and where each was at a time that one chooses, on the plan as well.

import { h, setText, setAttribute, announce, disable, toast, download, namedStrip, drawNamed, drawMarks } from './dom.js';
import { items, state, history, loader, subscribe } from './store.js';
import { staysByItem } from './stays.js';
import { csv, pastItems } from './past.js';
import { day, marks, time, weekday, when, present, startOfDay, addDays, calendar, spanName, fold, itemCount } from './text.js';
import { get, query } from './api.js';
import { VirtualList } from './list.js';
import { PlanView } from './plan.js';
import { localized } from './language.js';

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
const two = (number) => String(number).padStart(2, '0');
const local = (at) => {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`;
};

// Of each span: its name, and what its buttons do; how long a step of its strips is, in seconds, and the mark of a time.
const spans = {
  day: { name: localized('Day'), next: localized('Next day'), previous: localized('Previous day'), exported: localized('Export this day:'), step: 300, mark: (time) => two(new Date(time).getHours()) },
  week: { name: localized('Week'), next: localized('Next week'), previous: localized('Previous week'), exported: localized('Export this week:'), step: 900, mark: weekday },
  month: { name: localized('Month'), next: localized('Next month'), previous: localized('Previous month'), exported: localized('Export this month:'), step: 3600, mark: (time) => new Date(time).getDate() },
};
const FIVE_MINUTES = 300_000;
const nameOf = (id) => items.get(id)?.name;
const path = (id) => `#/items/${encodeURIComponent(id)}`;

// Where an item was, in words.
function placeThen(was) {
  if (!was) return localized('Nothing stored');
  if (was.presence === 'home') return was.room ?? localized('Home');
  if (was.presence === 'away') return localized('Away');
  return was.room ? localized('Unknown, last in {room}', { room: was.room }) : localized('Unknown');
}

// Has the browser store the stays between two times, of all items or of those that are wanted.
async function save(ending, [start, end], wanted) {
  try {
    const all = await history({ from: new Date(start).toISOString(), to: new Date(end).toISOString() }, 200);
    const stays = wanted ? all.filter((stay) => wanted.has(stay.item)) : all;
    if (all.isCut) toast(localized('The file has the first {count} stays only: export less time.', { count: all.length }), 'problem');
    const name = `history-${local(start).slice(0, 10)}.${ending}`;
    if (ending === 'csv') download(name, csv(stays, nameOf), 'text/csv');
    else download(name, JSON.stringify({ stays }, null, 1), 'application/json');
  } catch (error) {
    toast(error.message, 'problem');
  }
}

// The plan with the items where they were.
function scene() {
  const past = new Map();
  const view = new PlanView({ items: past, describe: (item) => localized('{item}: {room}, since {time}', { item: item.name, room: item.room, time: when(item.since) }), onSelect: (id) => { location.hash = path(id); } });
  let drawn = null;
  return {
    element: view.element,
    want: (ids) => view.want(ids),
    gateways: () => view.gateways(),
    show(then) {
      const { plan } = state.site ?? {};
      view.element.hidden = !plan;
      if (!plan) return;
      past.clear();
      for (const [id, item] of pastItems([...then.values()], plan, nameOf)) past.set(id, item);
      if (drawn !== plan) view.set(drawn = plan); else view.update();
    },
  };
}

export function open() {
  let at = present();
  let span = 'day';
  let isNow = true;
  let stays = new Map();
  let extent = {};
  let isCut = false;
  let then = null;
  let loaded = null;
  let loadedAt = 0;
  let asked = 0;

  const input = h('input', { type: 'datetime-local', id: 'at', value: local(at), max: local(addDays(startOfDay(at), 1)) });
  const slider = h('input', { type: 'range', min: 0, 'aria-label': localized('Time'), class: 'scrub' });
  const title = h('h2', { class: 'day' });
  const next = h('button', { type: 'button', class: 'icon' }, '›');
  const previous = h('button', { type: 'button', class: 'icon' }, '‹');
  const choice = h('select', { 'aria-label': localized('How long'), onchange: () => look(choice.value) },
    Object.entries(spans).map(([key, { name }]) => h('option', { value: key }, name)));
  const scale = h('div', { class: 'hours', 'aria-hidden': 'true' });
  const exported = h('span');
  const search = h('input', { type: 'search', 'aria-label': localized('Find an item'), placeholder: localized('Find keys …'), autocomplete: 'off', oninput: () => order() });
  const problem = h('p', { class: 'problem', role: 'alert' });
  const empty = h('p', { class: 'empty', hidden: true });
  const table = h('button', { type: 'button', class: 'small', onclick: () => save('csv', calendar(span, at), found()) }, 'CSV');
  const json = h('button', { type: 'button', class: 'small', onclick: () => save('json', calendar(span, at), found()) }, 'JSON');

  const list = new VirtualList({
    label: localized('Where each item was'), rem: 3.25,
    make() {
      const li = h('li', { class: 'dayrow' });
      li.parts = { name: h('span', { class: 'name' }), strip: namedStrip(), place: h('span', { class: 'place' }) };
      li.append(h('a', {}, li.parts.name, li.parts.strip, li.parts.place));
      return li;
    },
    update(li, id) {
      const [start, end] = calendar(span, at);
      const was = then?.get(id);
      setAttribute(li.firstChild, 'href', path(id));
      setText(li.parts.name, nameOf(id) ?? id);
      setText(li.parts.place, !then ? '' : placeThen(was));
      setAttribute(li, 'class', `dayrow ${was?.presence ?? 'none'}`);
      const width = slider.clientWidth;
      if (isCut && !stays.has(id)) missing.want(id);
      const key = `${id} ${loaded} ${loadedAt} ${width} ${stays.has(id)}`;
      if (li.key === key) return;
      li.key = key;
      drawNamed(li.parts.strip, stays.get(id), start, end, width);
    },
  });

  const plan = scene();
  // The items that the search finds; null: all.
  const found = () => (search.value.trim() ? new Set(list.ids) : null);
  function order() {
    const needle = fold(search.value.trim());
    const ids = [...items.values()].filter((item) => !needle || fold(item.name).includes(needle))
      .sort((a, b) => collator.compare(a.name, b.name)).map((item) => item.item);
    list.set(ids);
    plan.want(found());
    empty.hidden = ids.length > 0;
    setText(empty, items.size ? localized('No item matches.') : localized('There are no items yet.'));
    if (needle && ids.length === 1) read(ids[0]);
  }
  function read(id) {
    const was = then?.get(id);
    announce(`${nameOf(id)}, ${day(at)} ${time(at)}: ${placeThen(was)}.`);
  }

  // The strips that were too many for one load.
  const missing = loader(async (id) => {
    const into = stays;
    into.set(id, staysByItem(await history({ item: id, ...extent })).get(id) ?? []);
    list.refresh([id]);
  }, (error) => { problem.textContent = error.message; });

  // The state at the time, from the stays that are loaded; the server responds for what began before.
  async function load() {
    const turn = ++asked;
    isLoading = true;
    const [start, end] = calendar(span, at);
    setText(title, spanName(span, at));
    disable(next, end > present());
    slider.max = Math.ceil((end - start) / FIVE_MINUTES) - 1;
    if (document.activeElement !== slider) slider.value = Math.round((at - start) / FIVE_MINUTES);
    slider.setAttribute('aria-valuetext', span === 'day' ? time(at) : `${day(at)} ${time(at)}`);
    point();
    const { step, mark } = spans[span];
    drawMarks(scale, marks(span, start), end, mark);
    const wanted = `${span} ${start}`;
    const period = { from: new Date(start).toISOString(), to: new Date(end).toISOString(), step };
    // A strip changes by steps: it need not follow each event.
    const isFresh = loaded === wanted && (end <= loadedAt || present() - loadedAt < step * 100);
    try {
      const [rows, response] = await Promise.all([
        isFresh ? null : history(period),
        get(`history/at?${query({ time: new Date(Math.min(at, present())).toISOString() })}`),
      ]);
      if (turn !== asked) return;
      if (rows) { [stays, extent, isCut] = [staysByItem(rows), period, rows.isCut]; missing.forget(); loaded = wanted; loadedAt = present(); }
      then = new Map(response.items.map((item) => [item.item, item]));
      plan.show(then);
      problem.textContent = '';
    } catch (error) {
      if (turn === asked) problem.textContent = error.message;
    }
    list.refresh();
    if (turn !== asked) return;
    isLoading = false;
    if (isBehind) follow();
  }
  // Where the time stands on the strips.
  function point() {
    const [start, end] = calendar(span, at);
    element.style.setProperty('--at', ((at - start) / (end - start)).toFixed(4));
  }
  function look(chosen) {
    span = chosen;
    setAttribute(next, 'aria-label', spans[span].next);
    setAttribute(previous, 'aria-label', spans[span].previous);
    setText(exported, `${spans[span].exported} `);
    return load();
  }
  // The same time in the span before or behind; the day of a shorter month is its last.
  function turn(direction) {
    const [start, end] = calendar(span, at);
    const [first, last] = calendar(span, direction < 0 ? start - 1 : end);
    choose(Math.min(addDays(at, Math.round((first - start) / 86_400_000)), last - 1));
  }
  let timer = 0;
  function choose(value, { typed = false } = {}) {
    if (!Number.isFinite(value)) return;
    at = Math.min(value, present());
    isNow = present() - at < 60_000;
    if (!typed) input.value = local(at);
    clearTimeout(timer);
    timer = setTimeout(() => { timer = 0; load(); }, 80);
    point();
  }
  // The present goes on. What happens during a load waits for its end: one that began again with each event would not end while events follow each other.
  let [isLoading, isBehind] = [false, false];
  function follow() {
    isBehind = isNow && (isLoading || timer > 0);
    if (isNow && !isBehind) choose(present());
  }
  input.addEventListener('input', () => choose(new Date(input.value).getTime(), { typed: true }));
  slider.addEventListener('input', () => choose(calendar(span, at)[0] + Number(slider.value) * FIVE_MINUTES));
  previous.addEventListener('click', () => turn(-1));
  next.addEventListener('click', () => turn(1));

  const element = h('div', { class: 'page history' },
    h('header', { class: 'pagehead' }, h('h1', {}, localized('History')),
      h('p', { class: 'field' }, h('label', { for: 'at' }, localized('Where was everything at')), input)),
    problem,
    h('section', { class: 'card', 'aria-label': localized('Where everything was') },
      h('div', { class: 'daybar' }, previous, title, next, choice, h('span', { class: 'spring' }), search),
      h('div', { class: 'scrubber' }, h('span', {}), h('div', {}, slider, scale), h('span', {})),
      plan.element, list.element, empty),
    h('p', { class: 'foot' }, exported, table, ' ', json));

  const leave = subscribe((changes) => {
    if (changes.items) order();
    if (changes.site && then) plan.show(then);
    if (changes.gateways) plan.gateways();
    if (changes.events.length || changes.items) follow();
  });
  const clock = setInterval(() => { if (!document.hidden) follow(); }, 60_000);
  return {
    element,
    attached() { order(); look(span).then(() => announce(itemCount(list.ids.length))); },
    close() { leave(); clearInterval(clock); clearTimeout(timer); isBehind = false; },
  };
}
