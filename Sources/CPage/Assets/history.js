// History: one day of all items, and where each was at a time that one chooses.

import { h, setText, setAttribute, announce, toast, strip, drawStrip } from './dom.js';
import { items, history, subscribe } from './store.js';
import { staysByItem } from './stays.js';
import { day, time, startOfDay, addDays, fold, count } from './text.js';
import { get, query } from './api.js';
import { VirtualList } from './list.js';

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
const two = (number) => String(number).padStart(2, '0');
const local = (at) => {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`;
};

export function open() {
  let at = Date.now();
  let isNow = true;
  let stays = new Map();
  let then = null;
  let loadedDay = null;
  let asked = 0;

  const input = h('input', { type: 'datetime-local', id: 'at', value: local(at), max: local(addDays(startOfDay(at), 1)) });
  const slider = h('input', { type: 'range', min: 0, max: 1439, step: 5, 'aria-label': 'Time of day', class: 'scrub' });
  const title = h('h2', { class: 'day' });
  const next = h('button', { type: 'button', class: 'icon', 'aria-label': 'Next day' }, '›');
  const previous = h('button', { type: 'button', class: 'icon', 'aria-label': 'Previous day' }, '‹');
  const search = h('input', { type: 'search', 'aria-label': 'Find an item', placeholder: 'Find keys …', autocomplete: 'off', oninput: () => order() });
  const problem = h('p', { class: 'problem', role: 'alert' });
  const empty = h('p', { class: 'empty', hidden: true }, 'No item matches.');
  const csv = h('button', { type: 'button', class: 'small', onclick: () => save('csv', 'text/csv') }, 'CSV');
  const json = h('button', { type: 'button', class: 'small', onclick: () => save('json', 'application/json') }, 'JSON');

  const list = new VirtualList({
    label: 'Where each item was', rem: 3.25,
    make() {
      const li = h('li', { class: 'dayrow' });
      li.parts = { name: h('span', { class: 'name' }), strip: strip(), place: h('span', { class: 'place' }) };
      li.append(h('a', {}, li.parts.name, li.parts.strip, li.parts.place));
      return li;
    },
    update(li, id) {
      const start = startOfDay(at);
      const was = then?.get(id);
      setAttribute(li.firstChild, 'href', `#/items/${encodeURIComponent(id)}`);
      setText(li.parts.name, items.get(id)?.name ?? id);
      setText(li.parts.place, !then ? '' : !was ? 'Nothing stored' : was.presence === 'home' ? was.room ?? 'Home' : was.presence === 'away' ? 'Away' : was.room ? `Unknown, last in ${was.room}` : 'Unknown');
      setAttribute(li, 'class', `dayrow ${was?.presence ?? 'none'}`);
      const key = `${id} ${start} ${stays.get(id)?.length} ${loadedDay}`;
      if (li.key === key) return;
      li.key = key;
      drawStrip(li.parts.strip, stays.get(id), start, addDays(start, 1));
    },
  });

  function order() {
    const needle = fold(search.value.trim());
    const ids = [...items.values()].filter((item) => !needle || fold(item.name).includes(needle))
      .sort((a, b) => collator.compare(a.name, b.name)).map((item) => item.item);
    list.set(ids);
    empty.hidden = ids.length > 0;
    if (needle && ids.length === 1) read(ids[0]);
  }
  function read(id) {
    const was = then?.get(id);
    announce(`${items.get(id)?.name}, ${day(at)} ${time(at)}: ${!was ? 'nothing stored' : was.presence === 'home' ? was.room : was.presence}.`);
  }

  // The state at the time, from the stays that are loaded; the server responds for what began before.
  async function load() {
    const start = startOfDay(at);
    const turn = ++asked;
    const end = addDays(start, 1);
    setText(title, day(start));
    next.disabled = end > Date.now();
    const minutes = Math.round((at - start) / 60_000);
    if (document.activeElement !== slider) slider.value = minutes;
    slider.setAttribute('aria-valuetext', time(at));
    element.style.setProperty('--at', (minutes / 1440).toFixed(4));
    try {
      const [rows, response] = await Promise.all([
        loadedDay === start && start !== startOfDay(Date.now()) ? null : history({ from: new Date(start).toISOString(), to: new Date(end).toISOString() }),
        get(`history/at?${query({ time: new Date(Math.min(at, Date.now())).toISOString() })}`),
      ]);
      if (turn !== asked) return;
      if (rows) { stays = staysByItem(rows); loadedDay = start; }
      then = new Map(response.items.map((item) => [item.item, item]));
      problem.textContent = '';
    } catch (error) {
      if (turn === asked) problem.textContent = error.message;
    }
    list.refresh();
  }
  async function save(ending, kind) {
    const start = startOfDay(at);
    const span = { from: new Date(start).toISOString(), to: new Date(addDays(start, 1)).toISOString() };
    try {
      let body;
      if (ending === 'csv') {
        const pages = [];
        let cursor;
        do {
          const response = await fetch(`api/v1/history?${query({ ...span, cursor })}`, { headers: { Accept: kind } });
          if (!response.ok) throw new Error((await response.json()).error);
          const text = await response.text();
          // Each page begins with the names of the columns.
          pages.push(pages.length ? text.slice(text.indexOf('\n') + 1) : text);
          cursor = new URLSearchParams(/<\?([^>]*)>/.exec(response.headers.get('Link') ?? '')?.[1]).get('cursor');
        } while (cursor && pages.length < 200);
        body = pages.join('');
      } else {
        body = JSON.stringify({ stays: await history(span, 200) }, null, 1);
      }
      const url = URL.createObjectURL(new Blob([body], { type: kind }));
      h('a', { href: url, download: `history-${local(start).slice(0, 10)}.${ending}` }).click();
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
    } catch (error) {
      toast(error.message, 'problem');
    }
  }
  let timer;
  function choose(value, { typed = false } = {}) {
    if (!Number.isFinite(value)) return;
    at = Math.min(value, Date.now());
    isNow = Date.now() - at < 60_000;
    if (!typed) input.value = local(at);
    clearTimeout(timer);
    timer = setTimeout(load, 80);
    element.style.setProperty('--at', ((at - startOfDay(at)) / 86_400_000).toFixed(4));
  }
  input.addEventListener('input', () => choose(new Date(input.value).getTime(), { typed: true }));
  slider.addEventListener('input', () => choose(startOfDay(at) + Number(slider.value) * 60_000));
  previous.addEventListener('click', () => choose(addDays(at, -1)));
  next.addEventListener('click', () => choose(addDays(at, 1)));

  const element = h('div', { class: 'page history' },
    h('header', { class: 'pagehead' }, h('h1', {}, 'History'),
      h('p', { class: 'field' }, h('label', { for: 'at' }, 'Where was everything at'), input)),
    problem,
    h('section', { class: 'card', 'aria-label': 'One day' },
      h('div', { class: 'daybar' }, previous, title, next, h('span', { class: 'spring' }), search),
      h('div', { class: 'scrubber' }, h('span', {}), h('div', {}, slider, h('div', { class: 'hours', 'aria-hidden': 'true' }, ['00', '06', '12', '18', '24'].map((hour) => h('span', {}, hour)))), h('span', {})),
      list.element, empty),
    h('p', { class: 'foot' }, h('span', {}, 'Export this day: '), csv, ' ', json));

  const leave = subscribe((changes) => {
    if (changes.items) order();
    if (isNow && (changes.events.length || changes.items)) choose(Date.now());
  });
  const clock = setInterval(() => { if (isNow && !document.hidden) choose(Date.now()); }, 60_000);
  return {
    element,
    attached() { order(); load().then(() => announce(count(list.ids.length, 'item'))); },
    close() { leave(); clearInterval(clock); clearTimeout(timer); },
  };
}
