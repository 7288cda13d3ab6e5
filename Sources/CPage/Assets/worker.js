// Opens the page while its server cannot be reached. The network comes first, so that a page with a server is never an old one, but for files whose
// name has the version, which never change. What the server knows of items is never kept. Each version has a worker, and a cache, of its own.

const version = location.pathname.split('/').at(-2);
const home = registration.scope;

addEventListener('install', (event) => event.waitUntil(keepAll().then(() => skipWaiting())));
addEventListener('activate', (event) => event.waitUntil(forgetOthers().then(() => clients.claim())));
addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request;
  const path = url.startsWith(home) ? url.slice(home.length) : null;
  if (method !== 'GET' || (mode === 'navigate' ? path?.split(/[?#]/)[0] !== '' : !path?.startsWith('assets/'))) return;
  event.respondWith(answer(event.request, mode === 'navigate' ? home : url));
});

async function keepAll() {
  const cache = await caches.open(version);
  const page = await fetch(home);
  const names = [...(await page.clone().text()).matchAll(/"(assets\/[^"]+)"/g)].map((match) => new URL(match[1], home).href);
  await Promise.all([cache.put(home, page), cache.addAll(new Set(names))]);
}

async function forgetOthers() {
  for (const name of await caches.keys()) if (name !== version) await caches.delete(name);
}

async function answer(request, key) {
  const kept = key.startsWith(`${home}assets/${version}/`) && await caches.match(key);
  if (kept) return kept;
  try {
    const response = await fetch(request);
    if (response.ok) (await caches.open(version)).put(key, response.clone());
    // A proxy answers for a server that is gone.
    if (response.status < 500) return response;
  } catch { /* The server cannot be reached. */ }
  return await caches.match(key) ?? Response.error();
}
