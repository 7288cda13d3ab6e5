// The browsers that get messages to a person, this one among them.

import { h, disable, rebuild, toast } from './dom.js';
import { call, get } from './api.js';
import { localized, worker } from './language.js';

const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));
const hexadecimal = (values) => [...values].map((one) => one.toString(16).padStart(2, '0')).join('');

// Why this browser gets no messages, in a sentence; empty if nothing is in the way.
function hindrance() {
  if (window !== top) return localized('To get messages in this browser, open the page by itself, not inside of Home Assistant.');
  if (!isSecureContext) return localized('To get messages in this browser, open the page by HTTPS: browsers offer them nowhere else.');
  if (!('PushManager' in window)) return localized('This browser offers no messages of pages. On an iPhone or iPad, add the page to the home screen, and open it there.');
  return '';
}

// Like "Firefox on Android".
function nameOfBrowser() {
  const text = navigator.userAgent;
  const first = (names) => names.find(([mark]) => text.includes(mark))?.[1];
  const browser = first([['Edg', 'Edge'], ['OPR/', 'Opera'], ['Firefox/', 'Firefox'], ['Chrom', 'Chrome'], ['Safari/', 'Safari']]) ?? localized('A browser');
  const system = first([['Android', 'Android'], ['iPhone', 'iPhone'], ['iPad', 'iPad'], ['Mac OS', 'Mac'], ['Windows', 'Windows'], ['Linux', 'Linux']]);
  return system ? localized('{browser} on {system}', { browser, system }) : browser;
}

const register = () => navigator.serviceWorker.register(new URL(worker, import.meta.url), { scope: './' });

// The id that the server derives from the endpoint of this browser; empty if there is no subscription.
async function ownID() {
  const subscription = hindrance() ? null : await (await navigator.serviceWorker.getRegistration('./'))?.pushManager.getSubscription();
  return subscription ? hexadecimal(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(subscription.endpoint))).slice(0, 6)) : '';
}

async function subscribe(path) {
  if (await Notification.requestPermission() !== 'granted') throw new Error(localized('The browser does not permit this page to show messages: change that in the browser’s settings.'));
  const [registration, { key }] = [await register(), await get('push-key')];
  await navigator.serviceWorker.ready;
  // Another key than that of the former subscription is that of another site, or of one that lost its key.
  const former = await registration.pushManager.getSubscription();
  if (former && hexadecimal(new Uint8Array(former.options.applicationServerKey)) !== hexadecimal(bytes(key))) await former.unsubscribe();
  const subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(key) });
  await call('POST', path, { name: nameOfBrowser(), ...subscription.toJSON() });
}

// `title` takes the focus of a button that is gone.
export function browsers(person, title) {
  const path = `people/${encodeURIComponent(person)}/subscriptions`;
  const list = h('ul', { class: 'things browsers', role: 'list', 'aria-label': localized('Browsers that get messages') });
  const begin = h('button', { type: 'button', onclick: () => attempt(() => subscribe(path), localized('This browser gets messages from now on.')) }, localized('Send messages to this browser'));
  const reason = hindrance();
  let isLoaded = false;

  async function attempt(work, done) {
    disable(begin, true);
    try {
      await work();
      if (done) toast(done);
      const [{ subscriptions }, own] = [await get(path), await ownID()];
      rebuild(list, () => list.replaceChildren(...subscriptions.map((one) => h('li', {}, h('span', {}, one.id === own ? localized('{name} (this browser)', { name: one.name }) : one.name),
        h('button', { type: 'button', class: 'small', 'aria-label': localized('Remove {name}', { name: one.name }), onclick: () => attempt(() => call('DELETE', `${path}/${one.id}`), localized('{name} gets no more messages.', { name: one.name })) }, localized('Remove'))))), title);
      const isSubscribed = subscriptions.some((one) => one.id === own);
      if (isSubscribed && document.activeElement === begin) title.focus();
      begin.hidden = isSubscribed;
    } catch (problem) {
      toast(problem.message, 'problem');
    }
    disable(begin, false);
  }

  return {
    element: h('div', {}, list, reason ? h('p', { class: 'none' }, reason) : h('div', { class: 'buttons' }, begin)),
    load() { if (!isLoaded) attempt(() => { isLoaded = true; }); },
  };
}
