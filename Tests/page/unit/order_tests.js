import { test } from 'node:test';
import { deepEqual, equal } from 'node:assert/strict';
import { ORDERS, firstByName, roomOf } from './order.js';

const items = [
  { name: 'Box 10', room: 'Office', since: '2026-11-22T10:00:00Z' }, { name: 'box 9', room: 'Hall', since: '2026-11-22T12:00:00Z' },
  { name: 'Äpfel', room: undefined, since: undefined }, { name: 'Cat', room: 'Hall', since: '2026-11-22T12:00:00Z' }, { name: 'Key', room: undefined, since: '2026-11-22T13:00:00Z' },
];
const sorted = (key) => items.toSorted(ORDERS[key][1]).map((item) => item.name);

test('items are in the order of their names, of their last moves, or of their rooms', () => {
  deepEqual(sorted('name'), ['Äpfel', 'box 9', 'Box 10', 'Cat', 'Key']);
  deepEqual(sorted('moved'), ['Key', 'box 9', 'Cat', 'Box 10', 'Äpfel']);
  deepEqual(sorted('room'), ['box 9', 'Cat', 'Box 10', 'Äpfel', 'Key']);
});

test('only an item at home has a room', () => {
  equal(roomOf({ presence: 'home', room: 'Hall' }), 'Hall');
  equal(roomOf({ presence: 'unknown', room: 'Hall' }), undefined);
});

test('the first items by name are those of all in order', () => {
  const names = (all) => all.map((item) => item.name);
  for (const most of [1, 2, 3, 5, 9]) for (const all of [items, items.toReversed(), []]) deepEqual(names(firstByName(all, most)), names(all.toSorted(ORDERS.name[1]).slice(0, most)));
  deepEqual(names(firstByName(items)), ['Äpfel', 'box 9', 'Box 10', 'Cat', 'Key']);
});
