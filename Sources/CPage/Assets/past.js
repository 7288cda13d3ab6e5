// Where items were: for the plan, and as a table. Nothing here touches the page.

import { inside, into, middle } from './geometry.js';
import { localTime, millis } from './text.js';

// Items of a room stand so far from each other, in metres.
const APART = 0.5;

// Places in a room, from its middle outwards; the middle again once the room is full.
function* places(polygon) {
  const [x, y] = into(middle(polygon), polygon);
  const reach = Math.max(...polygon.map((corner) => Math.hypot(corner[0] - x, corner[1] - y)));
  for (let turn = 0; APART * Math.sqrt(turn) < reach; turn++) {
    const [angle, radius] = [turn * 2.399963, APART * Math.sqrt(turn)];
    const at = [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
    if (inside(at, polygon)) yield at;
  }
  for (;;) yield [x, y];
}

// The items of the states of /history/at that were in a room of the plan, as the plan shows them. The past has rooms and no positions.
export function pastItems(states, plan, nameOf) {
  const rooms = new Map(plan.floors.flatMap(({ floor, rooms: all }) => all.map((room) => [room.name, { floor, places: places(room.polygon_m) }])));
  const shown = states.filter(({ item, presence, room }) => presence === 'home' && rooms.has(room) && nameOf(item) != null);
  return new Map(shown.sort((a, b) => (a.item < b.item ? -1 : 1)).map(({ item, presence, room, since }) => {
    const [x_m, y_m] = rooms.get(room).places.next().value;
    return [item, { item, name: nameOf(item), presence, room, since, confidence: 1, floor: rooms.get(room).floor, x_m, y_m, accuracy_m: 0 }];
  }));
}

// RFC 4180; a text that a spreadsheet would compute has an apostrophe before it.
function field(value) {
  const text = String(value ?? '').replace(/^[=+\-@\t\r]/, "'$&");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// Rows of /history as a table for spreadsheets, with the names of items and local times.
export function csv(rows, nameOf) {
  const lines = rows.map(({ item, presence, room, from, to }) =>
    [item, nameOf(item) ?? item, presence, room, localTime(from), to == null ? '' : localTime(to), to == null ? '' : Math.round((millis(to) - millis(from)) / 1000)]);
  return [['item', 'name', 'presence', 'room', 'from', 'to', 'seconds'], ...lines].map((line) => `${line.map(field).join(',')}\r\n`).join('');
}
