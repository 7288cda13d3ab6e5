import { test } from 'node:test';
import { deepEqual, equal } from 'node:assert/strict';
import { extend, spans, staysByItem, timeSpent } from './stays.js';

const at = (seconds) => 1_795_000_000_000 + seconds * 1000;
const home = (room, since) => ({ presence: 'home', room, since: since == null ? undefined : new Date(at(since)).toISOString() });

test('a stay lasts until the item reports another place', () => {
  const stays = [];
  extend(stays, home('Hall', 0), at(1));
  extend(stays, home('Hall', 0), at(5));
  extend(stays, home('Kitchen', 10), at(11));
  extend(stays, { presence: 'away', room: 'Kitchen', since: new Date(at(20)).toISOString() }, at(21));
  deepEqual(stays, [
    { from: at(0), to: at(10), presence: 'home', room: 'Hall' }, { from: at(10), to: at(20), presence: 'home', room: 'Kitchen' },
    { from: at(20), to: null, presence: 'away', room: undefined },
  ]);
});

test('no stay begins before the one before it, nor in the future', () => {
  const stays = [];
  extend(stays, home('Hall', 10), at(11));
  extend(stays, home('Kitchen', 5), at(12));
  extend(stays, home('Hall', 99), at(13));
  deepEqual(stays.map((stay) => [stay.from, stay.to]), [[at(10), at(10)], [at(10), at(13)], [at(13), null]]);
});

test('stays are limited, the oldest goes first', () => {
  const stays = [];
  for (let number = 0; number < 500; number++) extend(stays, home(`Room ${number}`), at(number));
  deepEqual([stays.length, stays[0].room], [200, 'Room 300']);
});

const row = (item, from, to, room = null) => ({ item, from: new Date(at(from)).toISOString(), to: to == null ? null : new Date(at(to)).toISOString(), presence: 'home', room });

test('rows of the history become stays by item, oldest first', () => {
  const byItem = staysByItem([row('b', 50, null, 'Hall'), row('a', 0, 1), row('b', 0, 50)]);
  deepEqual([...byItem.keys()], ['b', 'a']);
  deepEqual(byItem.get('b').map((stay) => [stay.from, stay.to, stay.room]), [[at(0), at(50), undefined], [at(50), null, 'Hall']]);
});

test('a stay of a few seconds between two others is not shown, unless it lasts still', () => {
  const byItem = staysByItem([row('a', 0, 60, 'Hall'), row('a', 60, 66, 'Kitchen'), row('a', 66, 90, 'Hall'), row('a', 90, 95, 'Office'), row('a', 95, null, 'Kitchen')]);
  deepEqual(byItem.get('a').map((stay) => [stay.from, stay.to, stay.room]), [[at(0), at(95), 'Hall'], [at(95), null, 'Kitchen']]);
});

test('a strip shows what is between its times, until now', () => {
  const stays = [[-50, -10], [-10, 25], [25, 50], [50, null], [200, 300]].map(([from, to]) => ({ from: at(from), to: to == null ? null : at(to) }));
  const found = spans(stays, at(0), at(100), 1000, at(75));
  deepEqual(found.map(({ left, right }) => [left, right]), [[0, 250], [250, 500], [500, 750]]);
  equal(found[2].stay, stays[3]);
});

test('the time of an item is that in each room, away and unknown', () => {
  const rows = [['home', 'Hall', 60], ['home', 'Hall', 20], ['home', undefined, 5], ['away', undefined, 7], ['away', undefined, 3], ['unknown', 'Hall', 2]].map(([presence, room, seconds]) => ({ presence, room, seconds }));
  deepEqual(timeSpent(rows), { rooms: { Hall: 80 }, away: 10, unknown: 2 });
  deepEqual(timeSpent([]), { rooms: {}, away: 0, unknown: 0 });
});
