// Stays of items, with times in ms: where an item was, from when to when; `to` is null while a stay lasts. Nothing here touches the page.

import { millis, present } from './text.js';

const STAYS = 200;

// Adds what an item reports to its stays, oldest first, if that is another place than before.
export function extend(stays, item, at = present()) {
  const last = stays.at(-1);
  const room = item.presence === 'home' ? item.room : undefined;
  if (last && last.to == null && last.presence === item.presence && last.room === room) return;
  const since = item.since ? Math.min(at, Math.max(millis(item.since), last?.from ?? 0)) : at;
  if (last && last.to == null) last.to = since;
  stays.push({ from: since, to: null, presence: item.presence, room });
  if (stays.length > STAYS) stays.shift();
}

// Home stays shorter than this are not shown: they are doubt, not moves. The export has them.
const SHORTEST = 10_000;

// The stays that lasted: a short one, if it is not the last, becomes part of the one before.
function lasting(stays) {
  const shown = [];
  for (const stay of stays) {
    const before = shown.at(-1);
    const isShort = stay.presence === 'home' && stay.to != null && stay.to - stay.from < SHORTEST;
    const isSame = before?.presence === stay.presence && before.room === stay.room;
    if (before?.presence === 'home' && before.to === stay.from && (isShort || isSame)) before.to = stay.to;
    else shown.push(stay);
  }
  return shown;
}

// Rows of /history to the stays that lasted, by item, oldest first.
export function staysByItem(rows) {
  const byItem = new Map();
  for (const row of rows) {
    const stay = { from: millis(row.from), to: row.to == null ? null : millis(row.to), presence: row.presence, room: row.room ?? undefined };
    if (byItem.has(row.item)) byItem.get(row.item).push(stay);
    else byItem.set(row.item, [stay]);
  }
  for (const [item, stays] of byItem) byItem.set(item, lasting(stays.sort((a, b) => a.from - b.from)));
  return byItem;
}

// The stays between two times as shares of `width`: left, right, and the stay.
export function spans(stays, from, to, width, now = present()) {
  const scale = width / (to - from);
  return stays.map((stay) => ({
    left: Math.max(0, (stay.from - from) * scale),
    right: Math.min(width, (Math.min(stay.to ?? now, now) - from) * scale),
    stay,
  })).filter(({ left, right }) => left < right);
}

// Rows of /history/rooms of one item: seconds in each room, and those away and unknown.
export function timeSpent(rows) {
  const spent = { rooms: {}, away: 0, unknown: 0 };
  for (const { presence, room, seconds } of rows) {
    if (presence !== 'home') spent[presence] += seconds;
    else if (room && seconds > 0) spent.rooms[room] = (spent.rooms[room] ?? 0) + seconds;
  }
  return spent;
}
