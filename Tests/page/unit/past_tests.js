import { test } from 'node:test';
import { deepEqual, equal, ok } from 'node:assert/strict';
import { inside } from './geometry.js';
import { csv, pastItems } from './past.js';

// The middle of this room's corners is outside of it.
const bent = [[0, 0], [9, 0], [9, 1], [1, 1], [1, 9], [0, 9]];
const plan = { floors: [{ floor: 0, rooms: [{ name: 'Hall', polygon_m: bent }] }, { floor: 1, rooms: [{ name: 'Attic', polygon_m: [[0, 0], [1, 0], [1, 1]] }] }] };
const state = (item, room, presence = 'home') => ({ item, room, presence, since: '2026-11-22T14:00:00Z' });

test('items of the past stand in their room, each at its own place, on the floor of the room', () => {
  const past = pastItems([...[...'abcdefgh'].map((id) => state(id, 'Hall')), state('z', 'Attic')], plan, (id) => id.toUpperCase());
  equal(past.size, 9);
  const halls = [...past.values()].filter((item) => item.room === 'Hall');
  ok(halls.every((item) => inside([item.x_m, item.y_m], bent)));
  equal(new Set(halls.map((item) => `${item.x_m} ${item.y_m}`)).size, 8);
  deepEqual([past.get('z').floor, past.get('z').name], [1, 'Z']);
});

test('a room that is full of items of the past holds more of them', () => {
  const past = pastItems([...Array(50).keys()].map((number) => state(`i${number}`, 'Attic')), plan, (id) => id);
  ok(past.size === 50 && [...past.values()].every((item) => item.x_m >= 0 && item.x_m <= 1));
});

test('items that were away, in no room of the plan, or that are removed since are not on the plan of the past', () => {
  const states = [state('away', null, 'away'), state('unknown', 'Hall', 'unknown'), state('shed', 'Shed'), state('roomless', null), state('removed', 'Hall')];
  equal(pastItems(states, plan, (id) => (id === 'removed' ? undefined : id)).size, 0);
});

test('a table has names and local times, and neither breaks its columns nor computes', () => {
  const rows = [
    { item: 'cat', presence: 'home', room: 'Hall "A", left', from: '2026-07-01T10:00:00Z', to: '2026-07-01T10:01:30.4Z' },
    { item: 'sum', presence: 'away', room: null, from: '2026-01-01T10:00:00Z', to: null },
  ];
  equal(csv(rows, (id) => (id === 'sum' ? '=1+1' : undefined)),
    'item,name,presence,room,from,to,seconds\r\n'
    + 'cat,cat,home,"Hall ""A"", left",2026-07-01 12:00:00,2026-07-01 12:01:30,90\r\n'
    + "sum,'=1+1,away,,2026-01-01 11:00:00,,\r\n");
});
