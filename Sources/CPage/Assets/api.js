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

// With `match`, what is replaced must still have that revision.
export async function call(method, path, body, { raw = false, match } = {}) {
  const headers = { Accept: 'application/json' };
  if (match) headers['If-Match'] = `"${match}"`;
  if (method !== 'GET' && csrf) headers['X-Forgetmenot-CSRF'] = csrf;
  if (body !== undefined) headers['Content-Type'] = raw ? body.type || 'application/octet-stream' : 'application/json';
  let response;
  try {
    response = await fetch(`api/v1/${path}`, {
      method, headers, credentials: 'same-origin', body: body === undefined ? undefined : raw ? body : JSON.stringify(body),
    });
  } catch {
    throw new Problem(0, localized('The server does not respond. Check that forgetmenot runs, and try again.'));
  }
  const text = await response.text();
  let value = null;
  try { value = text ? JSON.parse(text) : null; } catch { /* An error of a proxy is no JSON. */ }
  if (!response.ok) {
    if (response.status === 401) dispatchEvent(new Event('forgetmenot:login'));
    throw new Problem(response.status, value?.error ?? localized('The server refused this request ({status}).', { status: response.status }));
  }
  return value;
}

export const get = (path) => call('GET', path);
export const query = (values) =>
  new URLSearchParams(Object.entries(values).filter(([, value]) => value != null && value !== '')).toString();

// Server-sent events over fetch: unlike EventSource, comments count as signs of life, and a refusal has its status.
// Calls onEvent(name, data) for each event and onBytes() for whatever arrives. Resolves when the stream ends; rejects if it fails.
export async function stream(path, { signal, onOpen, onBytes, onEvent }) {
  const response = await fetch(`api/v1/${path}`, {
    signal, headers: { Accept: 'text/event-stream' }, credentials: 'same-origin', cache: 'no-store',
  });
  if (!response.ok || !response.body) {
    if (response.status === 401) dispatchEvent(new Event('forgetmenot:login'));
    throw new Problem(response.status, localized('The server refused the live stream ({status}).', { status: response.status }));
  }
  onOpen?.();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  let name = 'message';
  let data = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onBytes?.();
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
