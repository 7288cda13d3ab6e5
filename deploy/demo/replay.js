// Answers what the page requests from a recording: the page runs as it is, and no request leaves its folder. Time passes faster, and the recorded day is
// today. record.py writes recording.js.

(() => {
  const RealDate = Date;
  const { start, end, speed } = window.recording;
  const today = new RealDate();
  const [first, opened] = [new RealDate(start), performance.now()];
  const shift = new RealDate(today.getFullYear(), today.getMonth(), today.getDate(), first.getUTCHours(), first.getUTCMinutes()).getTime() - start;
  // The page opens when a third of the day is over, so that there is a past. At the end, time stands still.
  const begin = start + (end - start) / 3;
  const now = () => Math.round(Math.min(end, begin + (performance.now() - opened) * speed)) + shift;
  window.Date = class extends RealDate {
    constructor(...words) { super(...(words.length ? words : [now()])); }
    static now() { return now(); }
    static real() { return RealDate.now(); }
  };

  const shifted = (text) => text.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z/g, (time) => new RealDate(RealDate.parse(time) + shift).toISOString());
  const { events, answers, nearby } = JSON.parse(shifted(JSON.stringify(window.recording)));
  delete window.recording;

  // What is known now, and where each item was.
  const known = { item: new Map(), gateway: new Map(), person: new Map(), site: new Map() };
  const lists = { item: 'items', gateway: 'gateways', person: 'people' };
  const stays = [];
  const lasting = new Map();
  let next = 0;
  function remember(item, at) {
    const last = lasting.get(item.item);
    const [presence, room] = [item.presence, item.room ?? null];
    if (last && last.presence === presence && last.room === room) return;
    const from = new RealDate(at).toISOString();
    if (last) last.to = from;
    const stay = { item: item.item, presence, room, from, to: null };
    lasting.set(item.item, stay);
    stays.push(stay);
  }
  function advance() {
    for (; next < events.length && start + shift + events[next][0] <= now(); next++) {
      const [at, name, id, value] = events[next];
      const whole = { ...known[name].get(id), ...value };
      known[name].set(id, whole);
      if (name === 'item') remember(whole, start + shift + at);
    }
  }

  const all = (name) => [...known[name].values()];
  const site = () => ({ ...known.site.get(null), time: new Date().toISOString() });
  // What has changed since an event, each once, as it is now.
  function changes(since) {
    const changed = new Map(events.slice(since, next).map(([, name, id]) => [`${name} ${id}`, [name, id]]));
    return [...changed.values()].map(([name, id]) => (name === 'person' ? ['people', all(name)] : [name, name === 'site' ? site() : known[name].get(id)]));
  }
  const event = ([name, value]) => `event: ${name}\ndata: ${JSON.stringify(value)}\n\n`;
  function history(query, from = query.get('from') ?? '', to = query.get('to') ?? '9') {
    return stays.filter((stay) => (!query.get('item') || stay.item === query.get('item')) && stay.from < to && (stay.to ?? '9') > from);
  }
  const inside = (stay, from) => Date.parse(stay.to ?? new Date().toISOString()) - Math.max(Date.parse(stay.from), Date.parse(from));
  const responses = {
    site, items: () => ({ items: all('item') }), gateways: () => ({ gateways: all('gateway') }), people: () => ({ people: all('person') }),
    history: (query) => ({ stays: history(query), next: null }),
    'history/at': (query) => ({ items: history(query, query.get('time'), query.get('time')).map((stay) => ({ ...stay, since: stay.from })) }),
    'history/rooms': (query) => ({ rooms: history(query).map((stay) => ({ ...stay, seconds: inside(stay, query.get('from') ?? stay.from) / 1000 })) }),
  };

  function stream(beginning, signal, following) {
    const encoder = new TextEncoder();
    return new Response(new ReadableStream({
      start(controller) {
        const send = (text) => controller.enqueue(encoder.encode(text));
        send(beginning.map(event).join(''));
        // The page takes a silent stream for dead.
        const timer = setInterval(() => send(following().map(event).join('') || ': all is as it was\n\n'), 500);
        signal?.addEventListener('abort', () => { clearInterval(timer); controller.error(signal.reason); });
      },
    }), { headers: { 'Content-Type': 'text/event-stream' } });
  }
  const json = (value, status = 200) => new Response(JSON.stringify(value), { status, headers: { 'Content-Type': 'application/json' } });

  const folder = new URL('api/v1/', document.baseURI).href;
  const load = window.fetch;
  window.fetch = async (address, options = {}) => {
    const { href, searchParams } = new URL(address, document.baseURI);
    if (!href.startsWith(folder)) return load(address, options);
    const path = href.slice(folder.length).split('?')[0];
    if ((options.method ?? 'GET') !== 'GET') return json({ error: 'This is a recording: nothing can be changed here.' }, 403);
    if (path === 'stream') {
      advance();
      let sent = next;
      return stream([['site', site()], ...Object.entries(lists).map(([name, list]) => [list, all(name)])], options.signal, () => {
        advance();
        const since = sent;
        sent = next;
        return changes(since);
      });
    }
    if (path.startsWith('nearby')) return stream([['nearby', nearby]], options.signal, () => [['nearby', nearby]]);
    advance();
    const value = responses[path]?.(searchParams) ?? answers[path];
    return value ? json(value) : json({ error: 'This was not recorded.' }, 404);
  };

  // Messages to this browser, and the page without its server, need a server.
  Object.defineProperty(navigator, 'serviceWorker', { value: undefined });
  delete window.PushManager;

  addEventListener('DOMContentLoaded', () => {
    const line = document.createElement('p');
    line.style = 'margin: 0; padding: .4rem 1rem; text-align: center; font-size: .875rem';
    document.body.prepend(line);
    const show = () => {
      const time = new Date().toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
      line.textContent = now() < end + shift ? `A recorded day of an invented family, ${speed} times as fast: it is ${time}.` : 'The recorded day is over. Load the page again to see it once more.';
    };
    show();
    setInterval(show, 1000);
  });
})();
