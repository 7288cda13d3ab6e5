// The lists of items and of people.

import { h, setText, setAttribute } from './dom.js';
import { items, people, sortedPeople, isLive } from './store.js';
import { whereabouts } from './text.js';
import { localized } from './language.js';

const OVERSCAN = 6;

// A list that has rows only for what is in view: thousands of items cost as much as twenty. All rows have one height, in rem.
export class VirtualList {
  #ids = [];
  #index = new Map();
  #rows = new Map();
  #current = null;
  #height = 1;

  // `make()` returns an li whose first child is its link or button; `update(row, id)` fills it.
  constructor({ label, rem, make, update }) {
    this.rem = rem;
    this.make = make;
    this.update = update;
    this.element = h('ul', { class: 'rows', role: 'list', 'aria-label': label });
    this.element.addEventListener('keydown', (event) => this.#key(event));
    this.element.addEventListener('focusin', (event) => {
      const row = event.target.closest('li');
      if (row?.dataset.id && row.dataset.id !== this.#current) this.#choose(row.dataset.id);
    });
    const draw = () => this.draw();
    this.scroll = () => { if (this.element.isConnected && !this.frame) this.frame = requestAnimationFrame(() => { this.frame = 0; draw(); }); };
    document.addEventListener('scroll', this.scroll, { capture: true, passive: true });
    new ResizeObserver(draw).observe(this.element);
    addEventListener('resize', this.scroll);
  }

  get ids() { return this.#ids; }

  set(ids) {
    this.#ids = ids;
    this.#index = new Map(ids.map((id, index) => [id, index]));
    if (!this.#index.has(this.#current)) this.#current = ids[0] ?? null;
    this.draw(true);
  }

  // Fills again the rows of these ids that are in view, or all of them.
  refresh(ids) {
    if (!ids) for (const [id, row] of this.#rows) this.update(row, id);
    else for (const id of ids) if (this.#rows.has(id)) this.update(this.#rows.get(id), id);
  }

  draw(all = false) {
    this.#height = this.rem * parseFloat(getComputedStyle(document.documentElement).fontSize);
    const total = `${this.#ids.length * this.#height}px`;
    if (this.element.style.height !== total) this.element.style.height = total;
    const { top, width } = this.element.getBoundingClientRect();
    if (!width) return;
    const first = Math.max(0, Math.floor(-top / this.#height) - OVERSCAN);
    const last = Math.min(this.#ids.length, Math.ceil((innerHeight - top) / this.#height) + OVERSCAN);
    const visible = new Set(this.#ids.slice(first, last));
    // The focused row stays, so that focus is not lost while scrolling.
    const focused = document.activeElement?.closest?.('li')?.dataset.id;
    if (focused && this.#index.has(focused) && this.#rows.has(focused)) visible.add(focused);
    for (const [id, row] of this.#rows) {
      if (visible.has(id)) continue;
      row.remove();
      this.#rows.delete(id);
    }
    let before = null;
    for (const id of [...visible].sort((a, b) => this.#index.get(b) - this.#index.get(a))) {
      let row = this.#rows.get(id);
      const isNew = !row;
      if (isNew) {
        row = this.make();
        row.dataset.id = id;
        this.#rows.set(id, row);
      }
      const index = this.#index.get(id);
      const place = `translateY(${index * this.#height}px)`;
      if (row.style.transform !== place) row.style.transform = place;
      setAttribute(row, 'aria-setsize', this.#ids.length);
      setAttribute(row, 'aria-posinset', index + 1);
      row.firstElementChild.tabIndex = id === this.#current ? 0 : -1;
      if (isNew || all) this.update(row, id);
      // The order in the document is the order in the list; a row that stands right is not moved, because that would end its focus.
      if (row.parentNode !== this.element || row.nextSibling !== before) this.element.insertBefore(row, before);
      before = row;
    }
  }

  focus(id = this.#current) {
    const index = this.#index.get(id);
    if (index === undefined) return false;
    this.#choose(id);
    if (!this.#rows.has(id)) {
      const scroller = this.element.closest('.scroll') ?? document.scrollingElement;
      const top = index * this.#height - scroller.clientHeight / 2;
      if (scroller.scrollHeight > scroller.clientHeight) scroller.scrollTop = top;
      else document.scrollingElement.scrollTop = top;
      this.draw();
    }
    const row = this.#rows.get(id);
    row?.firstElementChild.focus({ preventScroll: true });
    row?.scrollIntoView({ block: 'nearest' });
    return !!row;
  }

  #choose(id) {
    const old = this.#rows.get(this.#current);
    if (old) old.firstElementChild.tabIndex = -1;
    this.#current = id;
    const row = this.#rows.get(id);
    if (row) row.firstElementChild.tabIndex = 0;
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const index = this.#index.get(this.#current) ?? 0;
    const page = Math.max(1, Math.floor(innerHeight / this.#height) - 3);
    const target = {
      ArrowDown: index + 1, ArrowUp: index - 1, PageDown: index + page, PageUp: index - page, Home: 0, End: this.#ids.length - 1,
    }[event.key];
    if (target === undefined || event.target.matches('input')) return;
    event.preventDefault();
    if (event.key === 'ArrowUp' && index === 0) return this.onLeave?.();
    this.focus(this.#ids[Math.max(0, Math.min(this.#ids.length - 1, target))]);
  }
}

export const personPath = (id) => `#/people/${encodeURIComponent(id)}`;
// The first letter of a name, which may be an emoji.
const initial = (name) => [...new Intl.Segmenter().segment(name.trim())][0]?.segment.toUpperCase() ?? '';

// The people, and where they are; `show()` takes over what is known now.
export function peopleList() {
  const element = h('ul', { class: 'people', role: 'list', 'aria-label': localized('People') });
  const rows = new Map();
  return {
    element,
    show() {
      element.hidden = !people.size;
      for (const [id, row] of rows) if (!people.has(id)) { row.remove(); rows.delete(id); }
      sortedPeople().forEach((person, index) => {
        let row = rows.get(person.id);
        if (!row) {
          row = h('li', {}, h('a', { href: personPath(person.id) }, h('i', { 'aria-hidden': 'true' }), h('span', {}, h('strong'), h('small'))));
          rows.set(person.id, row);
        }
        setAttribute(row, 'class', `${person.presence}${isLive() ? '' : ' stale'}`);
        setText(row.querySelector('i'), initial(person.name));
        setText(row.querySelector('strong'), person.name);
        setText(row.querySelector('small'), whereabouts(person, items.get(person.item)));
        if (element.children[index] !== row) element.insertBefore(row, element.children[index] ?? null);
      });
    },
  };
}
