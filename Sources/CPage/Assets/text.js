// Sentences about items and times. Nothing here touches the page.

import { locale, plural, localized } from './language.js';

// A page's first formatter takes 10 to 30 ms to make: each is made when a text needs it, and the texts of the first view need none.
function formatter(make) {
  let made;
  return (value) => (made ??= make()).format(value);
}
const dates = (options) => formatter(() => new Intl.DateTimeFormat(locale, options));
export const weekday = dates({ weekday: 'short' });
const longDay = dates({ weekday: 'long', day: 'numeric', month: 'long' });
const month = dates({ month: 'long', year: 'numeric' });
const shortDay = dates({ day: 'numeric', month: 'short' });

// As spreadsheets read it: "2026-11-27 14:02:05".
const table = formatter(() => new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' }));

// The server's clock, which the times of items go by: that of the browser's machine may be wrong.
let ahead = 0;
export const setClock = (time) => { ahead = millis(time) - Date.now() || 0; };
export const present = () => Date.now() + ahead;
export const millis = (time) => (time == null ? NaN : typeof time === 'number' ? time : Date.parse(time));
// "14:02", as both languages write it.
export function time(at) {
  const date = new Date(millis(at));
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
}
export const localTime = (at) => table(millis(at));

export function startOfDay(at) {
  const day = new Date(millis(at));
  day.setHours(0, 0, 0, 0);
  return day.getTime();
}
export function addDays(at, days) {
  const day = new Date(at);
  day.setDate(day.getDate() + days);
  return day.getTime();
}

// The calendar's day, week or month around a time: its first midnight, and the one after its last day.
export function calendar(span, at) {
  const start = startOfDay(at);
  if (span === 'day') return [start, addDays(start, 1)];
  const date = new Date(start);
  if (span === 'month') return [0, 1].map((more) => new Date(date.getFullYear(), date.getMonth() + more, 1).getTime());
  const monday = addDays(start, -((date.getDay() + 6) % 7));
  return [monday, addDays(monday, 7)];
}

// The times that are marked below the strips of such a span: hours of a day, days of a week, weeks of a month, also where the clock is changed.
export function marks(span, start) {
  if (span === 'day') return [0, 6, 12, 18].map((hour) => new Date(start).setHours(hour));
  return (span === 'week' ? [0, 1, 2, 3, 4, 5, 6] : [0, 7, 14, 21]).map((days) => addDays(start, days));
}

// "Today", "16 Nov – 22 Nov", "November 2026".
export function spanName(span, at) {
  const [start, end] = calendar(span, at);
  if (span === 'day') return day(start);
  return span === 'month' ? month(start) : `${shortDay(start)} – ${shortDay(addDays(end, -1))}`;
}

export function day(at, now = present()) {
  const start = startOfDay(at);
  if (start === startOfDay(now)) return localized('Today');
  if (start === addDays(startOfDay(now), -1)) return localized('Yesterday');
  const year = new Date(start).getFullYear();
  return year === new Date(now).getFullYear() ? longDay(start) : `${longDay(start)} ${year}`;
}

// "14:02" today, "Tue 14:02" this week, "3 Nov, 14:02" before.
export function when(at, now = present()) {
  const value = millis(at);
  if (Number.isNaN(value)) return '';
  const days = Math.round((startOfDay(now) - startOfDay(value)) / 86_400_000);
  if (days === 0) return time(value);
  return days > 0 && days < 7 ? `${weekday(value)} ${time(value)}` : `${shortDay(value)}, ${time(value)}`;
}

export function ago(at, now = present()) {
  const seconds = (now - millis(at)) / 1000;
  if (Number.isNaN(seconds)) return localized('never');
  if (seconds < 90) return localized('just now');
  if (seconds < 3600) return localized('{count} min ago', { count: Math.round(seconds / 60) });
  return when(at, now);
}

export function duration(seconds) {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return localized('{count} days', { count: Math.round(hours / 24) });
}

export const percent = (share) => `${Math.round(share * 100)} %`;
const number = formatter(() => new Intl.NumberFormat(locale, { useGrouping: false, maximumFractionDigits: 2 }));
const oneDigit = formatter(() => new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 }));
export const decimal = (value) => number(value || 0);
export const tenths = (value) => oneDigit(value);
// Where something is on the plan, for screen readers.
export const position = ([x, y]) => `${decimal(x)} m, ${decimal(y)} m`;
export const metres = (distance) => (distance < 10 ? `${tenths(distance)} m` : `${Math.round(distance)} m`);
export const itemCount = (count) => plural(count, '1 item', '{count} items');
export const gatewayCount = (count) => plural(count, '1 gateway', '{count} gateways');

export const decibels = (offset) => `${offset > 0 ? '+' : offset < 0 ? '−' : ''}${decimal(Math.abs(offset))} dB`;

export const floorName = ({ floor: number, name }) => name ?? (number === 0 ? localized('Ground floor') : number > 0 ? localized('Floor {number}', { number }) : number === -1 ? localized('Basement') : localized('Basement {number}', { number: -number }));

// Why a radio does not scan, if its gateway gives no reason.
const RADIO = {
  unknown: localized('unknown'), resetting: localized('resetting'), unsupported: localized('unsupported'), unauthorized: localized('unauthorized'), powered_off: localized('powered off'),
};

// Home Assistant has its own broker, and users of its own there.
export const isHomeAssistant = () => location.pathname.includes('/hassio_ingress/');
export const startGateway = () => (isHomeAssistant()
  ? localized('Start the app Forgetmenot Gateway on this machine. For another machine, add a user “hall” to Home Assistant, and run there “sudo forgetmenot-gateway setup --id hall --room Hall --host homeassistant.local --password-stdin”.')
  : localized('Start forgetmenot-gateway on a machine with a Bluetooth adapter: “sudo forgetmenot-gateway setup”.'));

// What a gateway does, and how urgent it is: 0 and 1 mean that it receives nothing.
export function health(gateway) {
  if (!gateway.alive) return { rank: 0, state: 'down', text: gateway.last_info_at ? localized('Offline. Last message at {time}.', { time: when(gateway.last_info_at) }) : localized('Offline.') };
  const radio = gateway.radio ?? {};
  if (radio.state !== 'powered_on') return { rank: 1, state: 'down', text: localized('Does not scan: {reason}.', { reason: radio.reason ?? RADIO[radio.state] ?? RADIO.unknown }) };
  if (gateway.problems?.length) return { rank: 2, state: 'problem', text: plural(gateway.problems.length, '1 problem', '{count} problems') };
  const offset = gateway.rssi_offset_db;
  return { rank: 3, state: 'well', text: offset ? localized('Working, with an offset of {offset}', { offset: decibels(offset) }) : localized('Working') };
}

// How sure the room is: certain, likely, doubtful; or away, unknown. The page shows each of them in another way.
export function certainty(item) {
  if (item.presence === 'away') return 'away';
  if (item.presence !== 'home') return 'unknown';
  if (!item.room) return 'doubtful';
  const confidence = item.confidence ?? 0;
  return confidence >= 0.8 ? 'certain' : confidence >= 0.5 ? 'likely' : 'doubtful';
}

export function place(item) {
  switch (certainty(item)) {
    case 'certain': return item.room;
    case 'likely': return localized('Probably {room}', { room: item.room });
    case 'doubtful': return item.room ? either(item) : localized('At home');
    case 'away': return item.probable_cause === 'battery' ? localized('Probably an empty battery') : localized('Away');
    default: return item.room ? localized('Unknown, last in {room}', { room: item.room }) : localized('Unknown');
  }
}

// "Kitchen or Hall": the room that is shown and the likeliest others, until they are more likely than not; three at most.
function either(item) {
  const others = Object.entries(item.rooms ?? {}).filter(([room]) => room !== item.room).sort((a, b) => b[1] - a[1]);
  const rooms = [item.room];
  let share = item.confidence ?? 0;
  while (rooms.length < 3 && share < 0.6 && others.length && others[0][1] >= 0.05) {
    const [room, more] = others.shift();
    rooms.push(room);
    share += more;
  }
  if (rooms.length > 1) return localized('{rooms} or {last}', { rooms: rooms.slice(0, -1).join(', '), last: rooms.at(-1) });
  return share >= 0.3 ? localized('Perhaps {room}', { room: item.room }) : localized('At home');
}

// What else a list says of an item: what is wrong, or since when it is there. `trouble` is what is wrong with its gateway.
export function support(item, trouble, now = present()) {
  if (item.error) return item.error;
  if (trouble) return trouble;
  if (item.presence === 'unknown') return item.last_seen_at ? localized('no gateway knows since {time}', { time: when(item.last_seen_at, now) }) : localized('no gateway has received it');
  return item.since ? localized('since {time}', { time: when(item.since, now) }) : '';
}

// How the gateway of a room receives an item.
export function reception(item, room) {
  switch (item.proximity) {
    case 'immediate': return localized('by {room}, very strongly', { room });
    case 'near': return localized('by {room}, well', { room });
    case 'far': return localized('by {room}, weakly', { room });
    default: return localized('by {room}', { room });
  }
}

// The battery of the item's tag; empty if the tag reports none.
export function battery(item) {
  const level = item.battery_percent != null ? `${item.battery_percent} %` : item.battery_mv != null ? `${tenths(item.battery_mv / 1000)} V` : '';
  return level && item.battery_low ? localized('{level}, low', { level }) : level;
}

// Where a person is. `item` is what shows it, with the same doubt.
export function whereabouts(person, item, now = present()) {
  if (person.presence === 'home') return item?.presence === 'home' && item.room ? place(item) : person.room ?? localized('At home');
  if (person.presence !== 'away') return localized('Unknown');
  return person.since ? localized('Away since {time}', { time: when(person.since, now) }) : localized('Away');
}

export function sentence(item, now = present()) {
  const name = item.name;
  switch (certainty(item)) {
    case 'certain': return localized('{item}: {room}, {share} sure.', { item: name, room: item.room, share: percent(item.confidence) });
    case 'away': {
      const away = item.since ? localized('{item}: away since {time}', { item: name, time: when(item.since, now) }) : localized('{item}: away', { item: name });
      return item.probable_cause === 'battery' ? localized('{away}, probably an empty battery.', { away }) : `${away}.`;
    }
    default: return item.presence !== 'home' && !item.room ? localized('{item}: unknown.', { item: name }) : `${name}: ${place(item)}.`;
  }
}

// Folds case, accents and apostrophes, so that "schlussel" finds "Schlüssel" and "anna’s" finds "Anna's".
export const fold = (text) => text.normalize('NFKD').replace(/\p{M}/gu, '').replace(/[‘’ʼ]/g, "'").toLowerCase();
