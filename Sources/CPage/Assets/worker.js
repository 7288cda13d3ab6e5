// Shows messages to persons, and opens the page while its server cannot be reached. The network comes first, so that a page whose server responds
// within seconds is never an old one, but for files whose name has the version, which never change. What the server knows of items is never kept.
// Each version has a worker, and a cache, of its own.

const version = location.pathname.split('/').at(-2);
const home = registration.scope;
// Other apps of the same host have caches beside ours.
const caching = `forgetmenot ${home} `;
const cacheName = caching + version;
// How long a page that is kept waits for the server, and a button of a message, in ms.
const PATIENCE = 4_000;
const ACKNOWLEDGING = 10_000;
const language = new URLSearchParams(location.search).get('language');

addEventListener('install', (event) => event.waitUntil(keepAll().then(() => skipWaiting())));
addEventListener('activate', (event) => event.waitUntil(forgetOthers().then(() => clients.claim())));
addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request;
  const path = url.startsWith(home) ? url.slice(home.length) : null;
  if (method !== 'GET' || (mode === 'navigate' ? path?.split(/[?#]/)[0] !== '' : !path?.startsWith('assets/'))) return;
  event.respondWith(answer(event.request, mode === 'navigate' ? home : url));
});

// A message to a person. Its text was encrypted on the way: nobody but this browser has read it.
addEventListener('push', (event) => event.waitUntil(show(event.data.json())));
addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(event.action === 'acknowledge' ? acknowledge(event.notification.data) : openPage());
});

// Without a title, a message is over. Browsers want to see a notification for each push, and may end the subscription otherwise: so one without
// a sound takes the place of the former, and is closed. There is no icon: away from home, the browser would wait for it.
async function show(message, problem) {
  const localized = await speaker();
  const { title, text, tag, urgent, token } = message;
  await registration.showNotification(title ?? 'Forgetmenot', {
    tag, body: problem ? `${problem} ${text ?? ''}` : text, data: message, renotify: !!title, silent: !title, requireInteraction: !!urgent,
    actions: token ? [{ action: 'acknowledge', title: localized('Acknowledge') }] : [],
  });
  // What came meanwhile stays.
  if (!title) for (const one of await registration.getNotifications({ tag })) if (!one.data.title) one.close();
}

// What translates a sentence; English without the file of another language.
async function speaker() {
  const files = language ? await Promise.all(['', '-more'].map((part) => caches.match(`${home}assets/${version}/language-${language}${part}.json`, { cacheName }))) : [];
  const table = Object.assign({}, ...await Promise.all(files.map((file) => file?.json())));
  return (sentence) => table[sentence] ?? sentence;
}

// What is over, or was acknowledged elsewhere, is unknown to the server: then the button is of no use any more.
async function acknowledge(message) {
  const localized = await speaker();
  const ask = () => fetch(`${home}acknowledge/${message.token}`, { method: 'POST', signal: AbortSignal.timeout(ACKNOWLEDGING) });
  let over = false;
  try {
    let { ok, status } = await ask();
    if (status === 429) {
      await new Promise((resolve) => { setTimeout(resolve, 1500); });
      ({ ok, status } = await ask());
    }
    if (ok) return;
    over = status === 404;
  } catch { /* The server cannot be reached. */ }
  // A message that came meanwhile says more than the failure of the former.
  if ((await registration.getNotifications({ tag: message.tag })).length) return;
  if (over) await show({ ...message, token: null }, localized('Not acknowledged: this is over, or was acknowledged elsewhere.'));
  else await show(message, localized('Not acknowledged, because the page cannot be reached from here.'));
}

async function openPage() {
  const [open] = await clients.matchAll({ type: 'window' });
  return open ? open.focus() : clients.openWindow(home);
}

async function keepAll() {
  const cache = await caches.open(cacheName);
  const known = new Set();
  // A file, and what it names: the page its assets, a module what it imports, now or later, and the languages.
  const keep = async (url) => {
    if (known.has(url)) return;
    known.add(url);
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url}: ${response.status}`);
    const [text] = await Promise.all([response.clone().text(), cache.put(url, response)]);
    const names = url === home || url.endsWith('.js') ? text.matchAll(/"(assets\/[^"]+)"|'(\.\/[\w-]+\.js(?:on)?)'/g) : [];
    await Promise.all([...names].map(([, asset, module]) => keep(new URL(asset ?? module, url).href)));
  };
  await keep(home);
}

async function forgetOthers() {
  for (const name of await caches.keys()) {
    if (name.startsWith(caching) ? name !== cacheName : await isFormer(name)) await caches.delete(name);
  }
}
// Earlier versions named their cache only by the version.
const isFormer = async (name) => /^[0-9a-f]{16}$/.test(name) && !!await caches.match(home, { cacheName: name });

// Without its storage, which a browser may refuse, the page is as the server sends it.
async function answer(request, key) {
  const kept = await caches.match(key, { cacheName }).catch(() => undefined);
  if (kept && key.startsWith(`${home}assets/${version}/`)) return kept;
  try {
    const fetched = fetch(request);
    // A server that cannot be reached may be silent instead of refusing.
    const response = await (kept ? Promise.race([fetched, new Promise((_, late) => setTimeout(late, PATIENCE))]) : fetched);
    if (response.ok) {
      const copy = response.clone();
      caches.open(cacheName).then((cache) => cache.put(key, copy)).catch(() => {});
    }
    // A proxy answers for a server that is gone.
    if (response.status < 500) return response;
  } catch { /* The server cannot be reached. */ }
  return kept ?? Response.error();
}
