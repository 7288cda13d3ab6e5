// The order of items in the list. Nothing here touches the page.

import { millis } from './text.js';
import { localized } from './language.js';

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
const byName = (a, b) => collator.compare(a.name, b.name);
const moved = (item) => millis(item.since) || 0;

// What people choose from, by key: the label, and how two items compare. Items without a room come last.
export const ORDERS = {
  name: [localized('By name'), byName],
  moved: [localized('Recently moved'), (a, b) => moved(b) - moved(a) || byName(a, b)],
  room: [localized('By room'), (a, b) => !a.room - !b.room || collator.compare(a.room ?? '', b.room ?? '') || byName(a, b)],
};

// The first items by name, without sorting all of them.
export function firstByName(all, most = all.length) {
  const first = [];
  for (const item of all) {
    if (first.length === most && byName(first.at(-1), item) <= 0) continue;
    let at = first.length;
    while (at > 0 && byName(first[at - 1], item) > 0) at--;
    first.splice(at, 0, item);
    if (first.length > most) first.pop();
  }
  return first;
}

// The room of an item in the list; none for an item that is not at home.
export const roomOf = (item) => (item.presence === 'home' ? item.room : undefined);
