import { test } from 'node:test';
import { deepEqual, equal } from 'node:assert/strict';
import { addDays, ago, battery, calendar, certainty, day, duration, fold, health, itemCount, marks, metres, place, present, reception, sentence, setClock, spanName, startOfDay, support, when, whereabouts } from './text.js';

// Wednesday, in the time zone of the runner: Europe/Berlin.
const now = Date.parse('2026-11-25T14:02:00+01:00');

test('a time is the clock today, with the weekday this week, and with the date before', () => {
  deepEqual(['2026-11-25T09:05:00Z', '2026-11-24T13:02:00Z', '2026-11-18T13:02:00Z', null].map((at) => when(at, now)), ['10:05', 'Tue 14:02', '18 Nov, 14:02', '']);
});

test('a day has its name, and its year if that is another', () => {
  deepEqual([now, addDays(now, -1), addDays(now, -3), '2025-01-01T12:00:00Z'].map((at) => day(at, now)), ['Today', 'Yesterday', 'Sunday 22 November', 'Wednesday 1 January 2025']);
});

test('a day of 25 hours is one day', () => {
  const sunday = Date.parse('2026-10-25T12:00:00+01:00');
  equal(addDays(startOfDay(sunday), 1) - startOfDay(sunday), 25 * 3_600_000);
});

test('a week begins on Monday, a month on its first day, also where a clock is changed', () => {
  const dates = (span, at) => calendar(span, Date.parse(at)).map((end) => `${new Date(end).getDate()} ${new Date(end).getHours()}`);
  deepEqual(dates('day', '2026-10-25T12:00:00+01:00'), ['25 0', '26 0']);
  deepEqual(dates('week', '2026-10-25T23:59:00+01:00'), ['19 0', '26 0']);
  deepEqual(dates('week', '2026-10-26T00:00:00+01:00'), ['26 0', '2 0']);
  deepEqual(dates('month', '2026-12-31T23:59:00+01:00'), ['1 0', '1 0']);
  deepEqual(['day', 'week', 'month'].map((span) => spanName(span, now)), ['Wednesday 25 November', '23 Nov – 29 Nov', 'November 2026']);
});

test('a span is marked where its hours, days and weeks begin, also where a clock is changed', () => {
  const shown = (span, at) => {
    const [start, end] = calendar(span, Date.parse(at));
    return marks(span, start).map((mark) => { const date = new Date(mark); return `${date.getDate()} ${date.getHours()} ${((mark - start) / (end - start)).toFixed(3)}`; });
  };
  deepEqual(shown('day', '2026-11-25T12:00:00+01:00'), ['25 0 0.000', '25 6 0.250', '25 12 0.500', '25 18 0.750']);
  deepEqual(shown('day', '2026-10-25T12:00:00+01:00'), ['25 0 0.000', '25 6 0.280', '25 12 0.520', '25 18 0.760']);
  deepEqual(shown('day', '2026-03-29T12:00:00+01:00'), ['29 0 0.000', '29 6 0.217', '29 12 0.478', '29 18 0.739']);
  deepEqual(shown('week', '2026-03-29T12:00:00+02:00').map((mark) => mark.split(' ').slice(0, 2).join(' ')), ['23 0', '24 0', '25 0', '26 0', '27 0', '28 0', '29 0']);
  deepEqual(shown('month', '2026-10-31T12:00:00+01:00').map((mark) => mark.split(' ').slice(0, 2).join(' ')), ['1 0', '8 0', '15 0', '22 0']);
});

test('times are compared with the clock of the server, not with that of the browser', () => {
  for (const wrong of [-3_600_000, 86_400_000]) {
    const server = Date.now() - wrong;
    setClock(new Date(server).toISOString());
    equal(Math.abs(present() - server) < 10_000, true);
    equal(ago(server - 600_000), '10 min ago');
    equal(day(server), 'Today');
  }
  // A server that does not say what time it is.
  for (const time of [undefined, 'soon']) {
    setClock(time);
    equal(Math.abs(present() - Date.now()) < 10_000, true);
  }
});

test('how long ago something was', () => {
  deepEqual([10, 89, 90, 3500, 7200].map((seconds) => ago(now - seconds * 1000, now)), ['just now', 'just now', '2 min ago', '58 min ago', '12:02']);
  equal(ago(null, now), 'never');
});

test('durations and distances have one unit, or two', () => {
  deepEqual([42, 60, 3599, 3600, 5400, 47 * 3600, 172_800].map(duration), ['42 s', '1 min', '1 h', '1 h', '1 h 30 min', '47 h', '2 days']);
  deepEqual([0.44, 9.94, 12.3].map(metres), ['0.4 m', '9.9 m', '12 m']);
  deepEqual([0, 1, 2].map(itemCount), ['0 items', '1 item', '2 items']);
});

test('a place is said with its doubt', () => {
  const item = (confidence, rest) => ({ name: 'Keys', presence: 'home', room: 'Hall', confidence, ...rest });
  const all = [item(0.9), item(0.8), item(0.6), item(0.4), item(0.9, { room: undefined }), item(0, { presence: 'away' }), item(0, { presence: 'unknown' }), { presence: 'unknown' }];
  deepEqual(all.map(certainty), ['certain', 'certain', 'likely', 'doubtful', 'doubtful', 'away', 'unknown', 'unknown']);
  deepEqual(all.map(place), ['Hall', 'Hall', 'Probably Hall', 'Perhaps Hall', 'At home', 'Away', 'Unknown, last in Hall', 'Unknown']);
  const doubt = (rooms, confidence) => place(item(confidence, { rooms }));
  deepEqual([doubt({ Hall: 0.4, Kitchen: 0.35, Office: 0.25 }, 0.4), doubt({ Hall: 0.3, Kitchen: 0.25, Office: 0.2, Cellar: 0.1 }, 0.3), doubt({ Kitchen: 0.7, Hall: 0.3 }, 0.3), doubt({ Hall: 0 }, 0)],
    ['Hall or Kitchen', 'Hall, Kitchen or Office', 'Hall or Kitchen', 'At home']);
  equal(sentence(item(0.9), now), 'Keys: Hall, 90 % sure.');
  equal(sentence(item(0, { presence: 'away', since: '2026-11-25T12:00:00Z' }), now), 'Keys: away since 13:00.');
  const empty = { presence: 'away', probable_cause: 'battery', since: '2026-11-25T12:00:00Z' };
  deepEqual([place(item(0, empty)), sentence(item(0, empty), now)], ['Probably an empty battery', 'Keys: away since 13:00, probably an empty battery.']);
});

test('a list says since when an item is there, or what is wrong with its gateway, and an error before all', () => {
  const item = { presence: 'home', room: 'Hall', proximity: 'near', gateway: 'h' };
  const say = (one, trouble = '') => support(one, trouble, now);
  equal(say({ ...item, since: '2026-11-25T12:00:00Z' }), 'since 13:00');
  deepEqual(['immediate', 'near', 'far', 'unknown'].map((proximity) => reception({ proximity }, 'Hall')), ['by Hall, very strongly', 'by Hall, well', 'by Hall, weakly', 'by Hall']);
  equal(say(item, 'Hall’s gateway is offline'), 'Hall’s gateway is offline');
  equal(say({ ...item, error: 'No beacon.' }, 'x'), 'No beacon.');
  equal(say({ presence: 'away', since: '2026-11-25T12:00:00Z' }), 'since 13:00');
  equal(say({ presence: 'unknown' }), 'no gateway has received it');
});

test('a battery is a percentage, or else a voltage, and nothing of a tag that reports none', () => {
  const all = [{}, { temperature_c: 21.5 }, { battery_percent: 12, battery_mv: 2950, battery_low: true }, { battery_percent: 0, battery_low: false }, { battery_mv: 2350, battery_low: true }, { battery_mv: 2960, battery_low: false }];
  deepEqual(all.map(battery), ['', '', '12 %, low', '0 %', '2.4 V, low', '3.0 V']);
});

test('a person is in a room, at home, away or unknown', () => {
  const all = [{ presence: 'home', room: 'Hall' }, { presence: 'home' }, { presence: 'away', since: '2026-11-25T12:00:00Z' }, { presence: 'unknown' }];
  deepEqual(all.map((one) => whereabouts(one, undefined, now)), ['Hall', 'At home', 'Away since 13:00', 'Unknown']);
  equal(whereabouts(all[0], { presence: 'home', room: 'Hall', confidence: 0.4, rooms: { Hall: 0.4, Kitchen: 0.3 } }, now), 'Hall or Kitchen');
});

test('a gateway that receives nothing comes before one with a problem, and that before one that works', () => {
  const radio = { state: 'powered_on' };
  const all = [{ alive: false }, { alive: true, radio: { state: 'powered_off' } }, { alive: true, radio, problems: ['x'] }, { alive: true, radio, rssi_offset_db: -2.5 }, { alive: true, radio }];
  deepEqual(all.map((one) => health(one).rank), [0, 1, 2, 3, 3]);
  deepEqual(all.map((one) => health(one).text), ['Offline.', 'Does not scan: powered off.', '1 problem', 'Working, with an offset of −2.5 dB', 'Working']);
});

test('a search finds names without their accents, in either case and with any apostrophe', () => deepEqual([fold('SCHLÜSSEL Ångström'), fold('Anna’s'), fold("Anna's")], ['schlussel angstrom', "anna's", "anna's"]));
