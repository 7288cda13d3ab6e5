// Requests. Every address is relative, so that the page works below any base path.

import { localized } from './language.js';

export class Problem extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

let csrf = '';
export const setToken = (token) => { csrf = token ?? ''; };

const unreachable = () => new Problem(0, localized('The server does not respond. Check that forgetmenot runs, and try again.'));
// Only a site with users has a login, and `site` says whether this is one. Home Assistant refuses as well, until its own page has renewed the session.
const noteRefusal = ({ status }, path) => { if (status === 401 && path !== 'site') dispatchEvent(new Event('forgetmenot:login')); };

// Whether the server has another token than the one that it refused: it was started again, and the stream brings the new one later.
async function isRenewed(refused) {
  try { setToken((await get('site')).csrf); } catch { /* The refusal stands. */ }
  return csrf !== refused;
}

// With `match`, what is replaced must still have that revision; returns the new revision. `limit`: how long the server may take, in ms.
export async function call(method, path, body, { raw = false, match, limit = raw ? 300_000 : 60_000, isAgain = false } = {}) {
  const token = csrf;
  const headers = { Accept: 'application/json' };
  if (match) headers['If-Match'] = `"${match}"`;
  if (method !== 'GET' && token) headers['X-Forgetmenot-CSRF'] = token;
  if (body !== undefined) headers['Content-Type'] = raw ? body.type || 'application/octet-stream' : 'application/json';
  let response;
  let text;
  try {
    response = await fetch(`api/v1/${path}`, {
      method, headers, credentials: 'same-origin', body: body === undefined ? undefined : raw ? body : JSON.stringify(body), signal: AbortSignal.timeout(limit),
    });
    text = await response.text();
  } catch {
    throw unreachable();
  }
  let value = null;
  try { value = text ? JSON.parse(text) : null; } catch { /* An error of a proxy is no JSON. */ }
  if (!response.ok) {
    noteRefusal(response, path);
    if (response.status === 403 && method !== 'GET' && !isAgain && await isRenewed(token)) return call(method, path, body, { raw, match, limit, isAgain: true });
    throw new Problem(response.status, value?.error ?? localized('The server refused this request ({status}).', { status: response.status }));
  }
  // A proxy may make the revision a weak one.
  return match ? response.headers.get('ETag')?.split('"')[1] : value;
}

export const get = (path, limit) => call('GET', path, undefined, { limit });
export const query = (values) =>
  new URLSearchParams(Object.entries(values).filter(([, value]) => value != null && value !== '')).toString();

// Server-sent events over fetch: unlike EventSource, comments count as signs of life, and a refusal has its status.
// Calls onEvent(name, data) for each event and onBytes() for whatever arrives. Resolves when the stream ends; rejects if it fails.
async function stream(path, { signal, onBytes, onEvent }) {
  const response = await fetch(`api/v1/${path}`, {
    signal, headers: { Accept: 'text/event-stream' }, credentials: 'same-origin', cache: 'no-store',
  });
  if (!response.ok || !response.body) {
    noteRefusal(response, path);
    throw new Problem(response.status, localized('The server refused the live stream ({status}).', { status: response.status }));
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  let name = 'message';
  let data = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onBytes();
    const lines = (rest + value).split('\n');
    rest = lines.pop();
    for (const raw of lines) {
      const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
      if (line === '') {
        if (data.length) onEvent(name, data.join('\n'));
        name = 'message';
        data = [];
      } else if (line.startsWith('event:')) {
        name = line.slice(6).trim();
      } else if (line.startsWith('data:')) {
        data.push(line[5] === ' ' ? line.slice(6) : line.slice(5));
      }
    }
  }
}

// A page that nobody sees ends its streams after this time, in ms: a browser has six connections to a host, for all its tabs.
const HIDDEN = 60_000;
// A stream begins at once, and sends something at least every 15 s. Silence for longer means that the connection is dead although nobody closed it.
const BEGINNING = 8_000;
const SILENCE = 35_000;
// The time by which a silence is measured: timers stand still while the machine sleeps, and a page that replays a day has another clock.
const realTime = () => (Date.real ?? Date.now)();
// How long a stream that has failed waits for the first and for each later attempt, in ms.
const FIRST = 500;
const LAST = 15_000;

// Resolves to true when there is a reason to try at once: the network is back, or the reader.
let woken;
let wake = () => {};
function rouse() {
  wake(true);
  woken = new Promise((resolve) => { wake = resolve; });
}
rouse();
addEventListener('online', rouse);
// A browser may keep a page for the way back, which needs no stream until then.
let isLeft = false;
const isUnseen = () => document.hidden || isLeft;
addEventListener('pagehide', () => { isLeft = true; });
addEventListener('pageshow', () => { isLeft = false; rouse(); });
document.addEventListener('visibilitychange', () => { if (!document.hidden) rouse(); });

// Follows a stream until the signal, and connects again whenever it ends. Calls onEvent(name, data) for each event; when the stream has ended,
// onEnd('lost', problem, silence), or 'connecting' without a problem if nobody saw the page; `silence` is how long ago something arrived, in ms.
export async function followStream(path, signal, { onEvent, onEnd }) {
  let delay = FIRST;
  while (!signal.aborted) {
    const attempt = new AbortController();
    const during = { signal: attempt.signal };
    const end = () => attempt.abort();
    let silence = setTimeout(end, BEGINNING);
    let heardAt = realTime();
    let isDead = false;
    let rest;
    const doze = () => {
      clearTimeout(rest);
      if (document.hidden) rest = setTimeout(end, HIDDEN);
      else if (realTime() - heardAt > SILENCE) {
        isDead = true;
        end();
      }
    };
    signal.addEventListener('abort', end, during);
    document.addEventListener('visibilitychange', doze, during);
    addEventListener('pagehide', end, during);
    doze();
    let problem = unreachable();
    try {
      await stream(path, {
        ...during,
        onBytes() {
          clearTimeout(silence);
          silence = setTimeout(end, SILENCE);
          heardAt = realTime();
        },
        onEvent(name, data) {
          delay = FIRST;
          onEvent(name, data);
        },
      });
    } catch (refusal) {
      if (refusal instanceof Problem) problem = refusal;
    }
    const isAsleep = isDead || (isUnseen() && attempt.signal.aborted);
    clearTimeout(silence);
    clearTimeout(rest);
    end();
    if (signal.aborted) return;
    if (isAsleep) {
      onEnd('connecting', null, realTime() - heardAt);
      while (isUnseen()) await woken;
    } else {
      onEnd('lost', problem, realTime() - heardAt);
      const isRoused = await Promise.race([woken, new Promise((resolve) => setTimeout(resolve, delay * (0.75 + Math.random() / 2)))]);
      delay = isRoused ? FIRST : Math.min(LAST, delay * 2);
    }
  }
}
