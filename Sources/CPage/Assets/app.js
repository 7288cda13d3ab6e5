// The shell: views by the address, the connection's state, keys that work everywhere.

import { h, setText, announce, toast } from './dom.js';
import { state, items, gateways, people, downGateways, gatewayTrouble, subscribe, connect, disconnect, apply } from './store.js';
import { get } from './api.js';
import { loadMore, localized, plural, translateShell, worker } from './language.js';
import { present, when } from './text.js';
import { Now } from './now.js';

translateShell();
const main = document.getElementById('main');
const now = new Now();
const others = { history: () => import('./history.js'), gateways: () => import('./gateways.js'), manage: () => import('./manage.js'), people: () => import('./person.js'), plan: () => import('./editor.js') };
let open = null;

function parse() {
  const [view = '', ...rest] = location.hash.replace(/^#\/?/, '').split('/');
  return { view: view || 'now', argument: rest.map(decoded).join('/') };
}
// An address that somebody typed may not be an encoded text.
function decoded(part) {
  try { return decodeURIComponent(part); } catch { return part; }
}

async function route() {
  if (state.live === 'login') return;
  let { view, argument } = parse();
  if (view === 'items') view = 'now';
  else if (view === 'now') argument = '';
  else if (!others[view]) { location.replace('#/'); return; }
  // Each person is a view of its own.
  const name = view === 'people' ? `people/${argument}` : view;
  const isOther = open?.name !== name;
  if (view === 'now') {
    mark(view);
    document.title = 'Forgetmenot';
    if (isOther) {
      open?.close?.();
      main.replaceChildren(now.element);
      now.attached();
      if (open && !argument) main.focus({ preventScroll: true });
      open = { name: 'now' };
    }
    open.hash = location.hash;
    now.show(argument || null);
    return;
  }
  // The other views need to know the site.
  if (!state.site) {
    mark(view);
    open?.close?.();
    main.replaceChildren(h('p', { class: 'empty' }, localized('There is no connection to the server. This view is shown as soon as the server responds.')));
    open = { name: 'none', hash: location.hash };
    return;
  }
  let module;
  try {
    await loadMore();
    module = await others[view]();
  } catch {
    // The program was updated while the page was open, or the connection is lost. What is shown stays, under its own address.
    toast(localized('This view cannot be loaded now. Try again, or reload the page.'), 'problem');
    if (parse().view === view) location.replace(open?.hash || '#/');
    return;
  }
  if (parse().view !== view || (view === 'people' && parse().argument !== argument)) return;
  mark(view);
  if (isOther) {
    open?.close?.();
    const page = module.open(argument);
    main.replaceChildren(page.element);
    scrollTo(0, 0);
    const heading = page.element.querySelector('h1');
    if (heading) {
      heading.tabIndex = -1;
      if (open) heading.focus({ preventScroll: true });
      document.title = `${heading.textContent} · Forgetmenot`;
    }
    page.attached?.();
    open = { name, close: () => page.close(), show: page.show };
  } else open.show?.(argument);
  open.hash = location.hash;
}

function mark(view) {
  for (const link of document.querySelectorAll('.tabs a')) {
    if (link.dataset.view === view || (link.dataset.view === 'manage' && view === 'plan') || (link.dataset.view === 'now' && view === 'people')) link.setAttribute('aria-current', 'page'); else link.removeAttribute('aria-current');
  }
  document.body.dataset.view = view;
}

const words = {
  connecting: localized('Connecting'), live: localized('Live'), login: localized('Log in'),
  lost: () => state.loaded ? localized('Connection lost {time}, trying again', { time: when(state.liveSince) }) : localized('No connection, trying again'),
};

function showLive() {
  const site = state.site;
  const element = document.getElementById('live');
  let [kind, text] = [state.live, words[state.live]];
  if (typeof text === 'function') text = text();
  if (kind === 'live' && site?.broker_connected === false) [kind, text] = ['stale', localized('No connection to the broker')];
  else if (kind === 'live' && site?.aggregator_alive === false) [kind, text] = ['stale', localized('The aggregator does not respond')];
  document.body.dataset.live = kind;
  const down = downGateways();
  if (kind === 'live' && down.length) [kind, text] = ['stale', down.length > 1 ? localized('{count} of {all} gateways do not receive', { count: down.length, all: gateways.size }) : gatewayTrouble(down[0])];
  const [before, former] = [element.dataset.state, element.textContent];
  element.dataset.state = kind;
  setText(document.getElementById('live-text'), text);
  if (before !== 'connecting' && kind !== 'connecting' && (before !== kind || (kind === 'stale' && former !== text))) announce(kind === 'live' ? localized('The page is live again.') : `${text}.`);
}

function showProblems() {
  const problems = state.site?.problems ?? [];
  const key = JSON.stringify(problems);
  const place = document.getElementById('problems');
  if (place.key === key) return;
  place.key = key;
  place.replaceChildren(...(problems.length ? [h('section', { class: 'banner', 'aria-label': localized('Problems') }, h('ul', { role: 'list' }, problems.slice(0, 5).map((problem) => h('li', {}, problem)), problems.length > 5 && h('li', {}, plural(problems.length - 5, '1 more problem', '{count} more problems'))))] : []));
}

subscribe((changes) => {
  if (changes.site || changes.live || changes.gateways) {
    showLive();
    showProblems();
  }
  if (changes.site && open?.name === 'none') route();
});

// An address of its own would be another view.
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = event.target.closest?.('input:not([type=checkbox]):not([type=range]), textarea, select, dialog');
  if (event.key === '/' && !isTyping) {
    event.preventDefault();
    if (location.hash.replace(/^#\/?/, '')) location.hash = '#/';
    requestAnimationFrame(() => requestAnimationFrame(() => { const field = document.getElementById('search'); field?.focus(); field?.select(); }));
  }
  if (event.key === 'Escape' && !isTyping && parse().view === 'items') location.hash = '#/';
});

addEventListener('hashchange', route);
addEventListener('forgetmenot:login', () => login());

// Shows the form if one has to log in here, and returns whether it does. If that cannot be known now, the stream is refused again, and asks again.
async function login(site) {
  if (state.live === 'login') return true;
  let form;
  try {
    site ??= await get('site', SOON);
    if (!site.login_required || site.role) return false;
    await loadMore().catch(() => {});
    ({ form } = await import('./login.js'));
  } catch {
    return false;
  }
  if (state.live === 'login') return true;
  disconnect();
  state.live = 'login';
  showLive();
  open?.close?.();
  open = null;
  for (const box of document.querySelectorAll('dialog')) box.close();
  main.replaceChildren(form(() => start()));
  main.querySelector('input').focus();
  return true;
}

// How long the server may take to say who this is, in ms, and how long the page waits for that before it shows what it has.
const SOON = 8_000;
const BLANK = 1_000;

async function start() {
  state.live = 'connecting';
  state.liveSince = present();
  document.querySelector('.logout')?.remove();
  const timer = setTimeout(route, BLANK);
  try {
    const site = await get('site', SOON);
    clearTimeout(timer);
    if (site.role) apply('site', site);
    else if (await login(site)) return;
    if (site.role && site.login_required) {
      document.querySelector('.bar').append(h('button', { type: 'button', class: 'small quiet logout', onclick: async () => {
        const { logout } = await import('./login.js');
        await logout();
      } }, localized('Log out')));
    }
  } catch { /* The stream tries again and brings the site. */ }
  clearTimeout(timer);
  route();
  connect();
}

// Where the browser permits it, which takes HTTPS; later than what people wait for. The address inside Home Assistant's page changes, so that
// nothing is kept there.
if (window === top) setTimeout(() => navigator.serviceWorker?.register(new URL(worker, import.meta.url), { scope: './' }).catch(() => {}), 3000);

// For the browser tests.
window.forgetmenot = { state, items, gateways, people, apply, plan: now.plan };
start();
