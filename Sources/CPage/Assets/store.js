// What the page knows, and the live stream that keeps it so. Views subscribe; they are called at most once a frame, with what changed.

import { call, followStream, setToken, get, query } from './api.js';
import { toast } from './dom.js';
import { health, present, setClock } from './text.js';
import { extend, staysByItem } from './stays.js';
import { localized } from './language.js';

export const items = new Map();
export const gateways = new Map();
export const people = new Map();
export const strips = new Map();
export const state = { site: null, live: 'connecting', liveSince: present(), loaded: false, survey: null };

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
export const sortedPeople = () => [...people.values()].sort((a, b) => collator.compare(a.name, b.name));
// The owners of an item who are no persons, as somebody who was removed.
export const lostOwners = (item) => (item.owners ?? []).filter((owner) => ![...people.values()].some((person) => owner === person.id || owner === person.name));
// Whether an item belongs to a person: owners are ids or names.
export const owns = (person, item) => !!item.owners?.some((owner) => owner === person.id || owner === person.name);
// Who is in a room. Views show a person in the room of the item that shows the person.
export function namesIn(room) {
  return sortedPeople().filter((person) => {
    const item = items.get(person.item);
    return person.presence === 'home' && room === (item?.presence === 'home' && item.room ? item.room : person.room);
  }).map((person) => person.name);
}

const views = new Set();
let changes = blank();
let scheduled = false;

// `items` is true if the set of items changed, otherwise `changed` has the ids of those that did.
function blank() {
  return { items: false, changed: new Set(), gateways: false, people: false, site: false, live: false, strips: false, survey: false, events: [] };
}
function schedule() {
  if (scheduled) return;
  scheduled = true;
  // A hidden page draws no frames; what it missed is one set of ids.
  requestAnimationFrame(() => {
    scheduled = false;
    const now = changes;
    changes = blank();
    for (const view of [...views]) view(now);
  });
}
export function subscribe(view) {
  views.add(view);
  return () => views.delete(view);
}

export const isLive = () => state.live === 'live';
// Whether what is missing does not exist: a server that has just started knows nothing before the broker does.
export const isKnown = () => state.loaded && state.site?.broker_connected !== false;
export const isAdmin = () => state.site?.role === 'admin';
// The gateway's room, for sentences.
export const gatewayName = (id) => gateways.get(id)?.room ?? id;
// The gateways that receive nothing now, and what is wrong with one of them.
export const downGateways = () => [...gateways.values()].filter((one) => health(one).state === 'down');
export function gatewayTrouble(one) {
  const room = one.room ?? one.id;
  return health(one).rank ? localized('{room}’s gateway does not scan', { room }) : localized('{room}’s gateway is offline', { room });
}
// What is wrong with the gateway that received the item, or that would receive it in its last room.
export function trouble(item) {
  const down = item.presence === 'away' ? null : downGateways().find((one) => (item.presence === 'home' ? one.id === item.gateway : item.room && one.room === item.room));
  return down ? gatewayTrouble(down) : '';
}
// Whether what is shown of items may be out of date.
export const isStale = (item) => !isLive() || item.stale === true || (item.presence === 'home' && !!trouble(item));

// An item shows in another room when the move is clear or has lasted: between two rooms, a doubtful item moves to and fro.
const CLEAR = 0.8;
const LASTING = 10_000;
const moving = new Map();
// The item as views show it.
function settled(item) {
  const shown = items.get(item.item);
  const isHeld = shown?.presence === 'home' && item.presence === 'home' && shown.room && item.room && shown.room !== item.room && item.confidence < CLEAR;
  const move = moving.get(item.item);
  if (!isHeld || move?.isOver) {
    clearTimeout(move?.timer);
    moving.delete(item.item);
    return item;
  }
  if (move) move.item = item;
  else {
    const begun = { item };
    begun.timer = setTimeout(() => { begun.isOver = true; apply('item', begun.item); }, LASTING);
    moving.set(item.item, begun);
  }
  const { room, since, floor, x_m, y_m, accuracy_m } = shown;
  return { ...item, room, since, floor, x_m, y_m, accuracy_m, confidence: item.rooms?.[room] ?? 0 };
}

const handlers = {
  site(site) {
    state.site = site;
    setToken(site.csrf);
    setClock(site.time);
    changes.site = true;
  },
  items(list) {
    const rows = Array.isArray(list) ? list : list.items;
    items.clear();
    for (const { timer } of moving.values()) clearTimeout(timer);
    moving.clear();
    // What happened without a stream, they do not have: they are loaded again.
    strips.clear();
    for (const item of rows) items.set(item.item, item);
    state.loaded = true;
    changes.items = true;
  },
  item(row) {
    const known = items.get(row.item);
    const item = settled(row);
    items.set(item.item, item);
    note(item);
    if (!known || known.name !== item.name || known.presence !== item.presence || !known.notification !== !item.notification) changes.items = true;
    changes.changed.add(item.item);
  },
  item_removed({ item }) {
    clearTimeout(moving.get(item)?.timer);
    moving.delete(item);
    items.delete(item);
    strips.delete(item);
    changes.items = true;
    changes.changed.add(item);
  },
  gateways(list) {
    gateways.clear();
    for (const gateway of Array.isArray(list) ? list : list.gateways) gateways.set(gateway.id, gateway);
    changes.gateways = true;
  },
  gateway(gateway) {
    gateways.set(gateway.id, gateway);
    changes.gateways = true;
  },
  people(list) {
    people.clear();
    for (const person of list) people.set(person.id, person);
    changes.people = true;
  },
  gateway_removed({ id, gateway }) {
    gateways.delete(id ?? gateway);
    changes.gateways = true;
  },
  survey(survey) {
    state.survey = survey;
    changes.survey = true;
  },
  // The server's clock, or this one, may have been corrected.
  time({ time }) { setClock(time); },
  event(event) {
    if (changes.events.length < 100) changes.events.push(event);
  },
};

// Events that come from the page itself after a request, so that the change shows before the stream brings it.
export function apply(name, value) {
  handlers[name](value);
  schedule();
}

// Acknowledges the notification of an item.
export async function acknowledge(id) {
  const item = items.get(id);
  try {
    await call('POST', `items/${encodeURIComponent(id)}/acknowledge`);
    toast(localized('The notification of {item} is acknowledged.', { item: item?.name ?? id }));
    if (items.has(id)) apply('item', { ...items.get(id), notification: null });
  } catch (problem) {
    toast(problem.message, 'problem');
  }
}

// `liveSince` is when the page became live, and otherwise when it last heard something: what it shows is of then.
function setLive(value, problem, silence = 0) {
  if (state.live === value) return;
  if (value === 'live' || isLive()) state.liveSince = present() - silence;
  state.live = value;
  changes.live = true;
  schedule();
}

let connection;
export const disconnect = () => connection?.abort();

// Follows the site, until the next call or disconnect().
export function connect() {
  disconnect();
  connection = new AbortController();
  followStream('stream', connection.signal, {
    onEvent(name, data) {
      if (!handlers[name]) return;
      let value;
      try { value = JSON.parse(data); } catch { return; }
      handlers[name](value);
      if (name === 'items') setLive('live');
      schedule();
    },
    onEnd: setLive,
  });
}

export const DAY = 86_400_000;

// The strip of the last day grows with what the stream reports.
function note(item) {
  const stays = strips.get(item.item);
  if (stays) extend(stays, item);
}

// The pages of /history, up to a limit that keeps the page small; `isCut`: there are more.
export async function history(values, pages = 10) {
  const rows = [];
  let cursor;
  do {
    const page = await get(`history?${query({ limit: 1000, ...values, cursor })}`);
    rows.push(...page.stays);
    cursor = page.next;
  } while (cursor && --pages > 0);
  return Object.assign(rows, { isCut: Boolean(cursor) });
}

// After a failure, what rows lack is loaded again at the earliest after this time, in ms.
const AGAIN = 10_000;
// Loads what rows in view lack, one by one, the last that came into view first.
export function loader(load, onProblem) {
  const missing = new Set();
  let isLoading = false;
  return {
    forget: () => missing.clear(),
    async want(id) {
      missing.add(id);
      if (isLoading) return;
      isLoading = true;
      try {
        while (missing.size) {
          const next = [...missing].at(-1);
          missing.delete(next);
          await load(next);
        }
      } catch (problem) {
        missing.clear();
        onProblem(problem);
        await new Promise((resolve) => setTimeout(resolve, AGAIN));
      }
      isLoading = false;
    },
  };
}

// Whether there are items whose strip is not loaded.
export const lacksStrips = () => [...items.keys()].some((id) => !strips.has(id));
const lastDay = () => ({ from: new Date(present() - DAY).toISOString(), step: 300 });
export async function loadStrips() {
  const rows = await history(lastDay());
  const byItem = staysByItem(rows);
  for (const [id, item] of items) {
    // A strip that was too much for this load is loaded when its row is in view.
    strips.set(id, byItem.get(id) ?? (rows.isCut ? null : []));
    note(item);
  }
  changes.strips = true;
  schedule();
}
const single = loader(async (id) => {
  const stays = staysByItem(await history({ item: id, ...lastDay() })).get(id) ?? [];
  if (!items.has(id)) return;
  strips.set(id, stays);
  note(items.get(id));
  changes.strips = true;
  schedule();
}, () => { /* The next look at the row tries again. */ });
export const loadStrip = single.want;
