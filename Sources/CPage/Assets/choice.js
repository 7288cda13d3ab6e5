// Choosing items by typing, however many there are.

import { h, setText } from './dom.js';
import { items } from './store.js';
import { fold } from './text.js';
import { firstByName } from './order.js';
import { plural, localized } from './language.js';

// So many items are offered at once, besides those that are chosen.
const MOST = 50;

// The field to type in, and how many items it leaves out. The field is hidden where all items are offered anyway, and belongs to no form.
export function finder(id, onInput) {
  const field = h('input', { type: 'search', id, form: '', 'aria-label': localized('Find an item'), placeholder: localized('Find keys …'), autocomplete: 'off', oninput: onInput });
  const more = h('p', { class: 'none', role: 'status' });
  return {
    field, more,
    // The items to offer, by name: those that are kept in any case, and the first of those that fit and have what was typed in their names.
    found(isKept, fits = () => true) {
      const needle = fold(field.value.trim());
      const kept = [];
      const others = [];
      for (const item of items.values()) {
        if (isKept(item)) kept.push(item);
        else if (fits(item) && fold(item.name).includes(needle)) others.push(item);
      }
      const rest = Math.max(0, others.length - MOST);
      field.hidden = items.size <= MOST;
      setText(more, rest ? plural(rest, '1 more: type a part of its name.', '{count} more: type a part of the name.') : '');
      return firstByName([...kept, ...firstByName(others, MOST)]);
    },
  };
}
