// Sentences about items and times. Nothing here touches the page.

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'short' });
const longDay = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });
const month = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric' });
const shortDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

// As spreadsheets read it: "2026-11-27 14:02:05".
const table = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' });

export const millis = (time) => (time == null ? NaN : typeof time === 'number' ? time : Date.parse(time));
export const time = (at) => clock.format(millis(at));
export const localTime = (at) => table.format(millis(at));

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

// "Today", "16 Nov – 22 Nov", "November 2026".
export function spanName(span, at) {
  const [start, end] = calendar(span, at);
  if (span === 'day') return day(start);
  return span === 'month' ? month.format(start) : `${shortDay.format(start)} – ${shortDay.format(addDays(end, -1))}`;
}

export function day(at, now = Date.now()) {
  const start = startOfDay(at);
  if (start === startOfDay(now)) return 'Today';
  if (start === addDays(startOfDay(now), -1)) return 'Yesterday';
  const year = new Date(start).getFullYear();
  return year === new Date(now).getFullYear() ? longDay.format(start) : `${longDay.format(start)} ${year}`;
}

// "14:02" today, "Tue 14:02" this week, "3 Nov, 14:02" before.
export function when(at, now = Date.now()) {
  const value = millis(at);
  if (Number.isNaN(value)) return '';
  const days = Math.round((startOfDay(now) - startOfDay(value)) / 86_400_000);
  if (days === 0) return time(value);
  return days > 0 && days < 7 ? `${weekday.format(value)} ${time(value)}` : `${shortDay.format(value)}, ${time(value)}`;
}

export function ago(at, now = Date.now()) {
  const seconds = (now - millis(at)) / 1000;
  if (Number.isNaN(seconds)) return 'never';
  if (seconds < 90) return 'just now';
  if (seconds < 3600) return `${Math.round(seconds / 60)} min ago`;
  return when(at, now);
}

export function duration(seconds) {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return `${Math.round(hours / 24)} days`;
}

export const percent = (share) => `${Math.round(share * 100)} %`;
export const metres = (distance) => (distance < 10 ? `${distance.toFixed(1)} m` : `${Math.round(distance)} m`);
export const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;

export const floorName = (number) => (number === 0 ? 'Ground floor' : number > 0 ? `Floor ${number}` : number === -1 ? 'Basement' : `Basement ${-number}`);

// What a gateway does, and how urgent it is: 0 and 1 mean that it receives nothing.
export function health(gateway) {
  if (!gateway.alive) return { rank: 0, state: 'down', text: gateway.last_info_at ? `Offline. Last message at ${when(gateway.last_info_at)}.` : 'Offline.' };
  const radio = gateway.radio ?? {};
  if (radio.state !== 'powered_on') return { rank: 1, state: 'down', text: `Does not scan: ${radio.reason ?? (radio.state ?? 'unknown').replace('_', ' ')}.` };
  if (gateway.problems?.length) return { rank: 2, state: 'problem', text: count(gateway.problems.length, 'problem') };
  const offset = gateway.rssi_offset_db;
  return { rank: 3, state: 'well', text: offset ? `Working, with an offset of ${offset > 0 ? '+' : '−'}${Math.abs(offset)} dB` : 'Working' };
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
    case 'likely': return `Probably ${item.room}`;
    case 'doubtful': return item.room ? either(item) : 'At home';
    case 'away': return item.probable_cause === 'battery' ? 'Probably an empty battery' : 'Away';
    default: return item.room ? `Unknown, last in ${item.room}` : 'Unknown';
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
  if (rooms.length > 1) return `${rooms.slice(0, -1).join(', ')} or ${rooms.at(-1)}`;
  return share >= 0.3 ? `Perhaps ${item.room}` : 'At home';
}

// What else a list says of an item: what is wrong, or since when it is there. `trouble` is what is wrong with its gateway.
export function support(item, trouble, now = Date.now()) {
  if (item.error) return item.error;
  if (trouble) return trouble;
  if (item.presence === 'unknown') return item.last_seen_at ? `no gateway knows since ${when(item.last_seen_at, now)}` : 'no gateway has received it';
  return item.since ? `since ${when(item.since, now)}` : '';
}

const qualities = { immediate: ', very strongly', near: ', well', far: ', weakly' };
// How the gateway of a room receives an item.
export const reception = (item, room) => `by ${room}${qualities[item.proximity] ?? ''}`;

// The battery of the item's tag; empty if the tag reports none.
export function battery(item) {
  const level = item.battery_percent != null ? `${item.battery_percent} %` : item.battery_mv != null ? `${(item.battery_mv / 1000).toFixed(1)} V` : '';
  return level && item.battery_low ? `${level}, low` : level;
}

// Where a person is. `item` is what shows it, with the same doubt.
export function whereabouts(person, item, now = Date.now()) {
  if (person.presence === 'home') return item?.presence === 'home' && item.room ? place(item) : person.room ?? 'At home';
  return person.presence === 'away' ? `Away${person.since ? ` since ${when(person.since, now)}` : ''}` : 'Unknown';
}

export function sentence(item, now = Date.now()) {
  const name = item.name;
  switch (certainty(item)) {
    case 'certain': return `${name}: ${item.room}, ${percent(item.confidence)} sure.`;
    case 'away': return `${name}: away${item.since ? ` since ${when(item.since, now)}` : ''}${item.probable_cause === 'battery' ? ', probably an empty battery' : ''}.`;
    default: return `${name}: ${place(item).toLowerCase() === 'unknown' ? 'unknown' : place(item)}.`;
  }
}

// Folds case, accents and apostrophes, so that "schlussel" finds "Schlüssel" and "anna’s" finds "Anna's".
export const fold = (text) => text.normalize('NFKD').replace(/\p{M}/gu, '').replace(/[‘’ʼ]/g, "'").toLowerCase();
