// Elements without a framework: h() makes HTML, s() makes SVG.

import { localized } from './language.js';
import { present } from './text.js';
import { spans } from './stays.js';

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, properties, children) {
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (value == null || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key === 'value' || key === 'checked' || key === 'disabled') element[key] = value;
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return element;
}

export const h = (tag, properties, ...children) => fill(document.createElement(tag), properties, children);
export const s = (tag, properties, ...children) => fill(document.createElementNS(SVG, tag), properties, children);

// Writes only what differs, so that nothing is laid out again without need.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
export function setAttribute(element, name, value) {
  if (value == null || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

// A button that does nothing for now, and keeps the focus.
export const disable = (button, isDisabled) => setAttribute(button, 'aria-disabled', isDisabled);
addEventListener('click', (event) => {
  if (!event.target.closest?.('[aria-disabled=true]')) return;
  event.preventDefault();
  event.stopPropagation();
}, true);

export const calm = matchMedia('(prefers-reduced-motion: reduce)');

// A sentence for screen readers. The last of several sentences within a second counts.
let waiting;
export function announce(sentence) {
  clearTimeout(waiting);
  waiting = setTimeout(() => setText(document.getElementById('announce'), sentence), 700);
}

export function toast(sentence, kind = 'done') {
  const shown = h('p', { class: 'toast', 'data-kind': kind }, sentence);
  const place = document.getElementById('toasts');
  place.append(shown);
  while (place.children.length > 3) place.firstChild.remove();
  setTimeout(() => shown.remove(), kind === 'done' ? 5000 : 12000);
}

// What was changed and is not saved: the browser asks before it closes the page.
export const unsaved = new Set();
addEventListener('beforeunload', (event) => { if (unsaved.size) event.preventDefault(); });

// What a field has now is what it has without a change.
function settle(field) { [field.defaultValue, field.defaultChecked] = [field.value, field.checked]; }
const isChanged = (field) => field.value !== field.defaultValue || field.checked !== field.defaultChecked;

// The forms that were changed and not saved, by a key. They wait until they are saved or given up, also while another view is shown.
const drafts = new Map();
export const draft = (key) => drafts.get(key);
export function giveUp(key) {
  unsaved.delete(drafts.get(key));
  drafts.delete(key);
}
// Keeps a form as a draft while its fields are changed. `save` is its button; beside it, there is one that gives the changes up.
export function keep(key, form, save, onChange = () => {}) {
  form.tabIndex = -1;
  const cancel = h('button', { type: 'reset', class: 'small quiet', hidden: true }, localized('Cancel'));
  save.after(cancel);
  [...form.elements].forEach(settle);
  const look = () => {
    const isDraft = [...form.elements].some(isChanged);
    giveUp(key);
    if (isDraft) { drafts.set(key, form); unsaved.add(form); }
    save.disabled = cancel.hidden = !isDraft;
    onChange(isDraft);
  };
  form.addEventListener('input', look);
  // The event comes before the fields have changed.
  form.addEventListener('reset', () => setTimeout(() => { look(); form.querySelector('input').focus(); }));
  return form;
}
// What a part of the page has instead of a link, button or field that it had.
const like = (had, part) => [...part.querySelectorAll('a, button, input, select')].find((one) => one.textContent === had.textContent && one.ariaLabel === had.ariaLabel);
// Builds a part of the page again. The focus returns to the same field, or to the form, as a button that saves is disabled then; outside of forms, to
// the same link or button, or else to `other`.
export function rebuild(part, build, other) {
  const had = part.contains(document.activeElement) ? document.activeElement : null;
  const number = [...part.querySelectorAll('form')].indexOf(had?.closest('form'));
  build();
  if (!had) return;
  const same = had.isConnected ? had : document.getElementById(had.id) ?? part.querySelectorAll('form')[number];
  (same ?? like(had, part) ?? other)?.focus({ preventScroll: true });
}
// For whoever leaves a view with such a form.
export function remind(key, sentence) {
  if (drafts.has(key)) toast(`${sentence} ${localized('What you changed is kept until you close this page.')}`, 'problem');
}
// The ids that are stored now, with those that were ticked in a form and without those that were unticked: the others may have changed meanwhile.
// Without a change, undefined.
export function ticked(stored, boxes) {
  if (!boxes.some(isChanged)) return undefined;
  const turned = (isOn) => boxes.filter((box) => isChanged(box) && box.checked === isOn).map((box) => box.value);
  return [...new Set([...stored.filter((id) => !turned(false).includes(id)), ...turned(true)])];
}

// The open dialogs, the topmost last. Each is a step of the browser's history, so that Back closes it.
const dialogs = [];
const steps = () => history.state?.dialogs ?? 0;
const step = () => history.pushState({ dialogs: dialogs.length }, '');
addEventListener('popstate', () => {
  const box = dialogs.at(-1);
  if (steps() >= dialogs.length) return;
  if (box.dispatchEvent(new Event('cancel', { cancelable: true }))) box.close(); else step();
});
// Goes back over the steps of dialogs that were closed otherwise.
let way;
function goBack() {
  if (steps() <= dialogs.length) return Promise.resolve();
  way ??= new Promise((resolve) => {
    addEventListener('popstate', () => { way = undefined; resolve(goBack()); }, { once: true });
    history.go(dialogs.length - steps());
  });
  return way;
}

// A dialog that removes itself. `build(close)` returns its content; the promise has what close() was given, or undefined after Escape. What somebody
// typed is not lost by a click beside the dialog, or by one press of Escape or one step back. `work` gets what close() was given, and if it fails, the dialog stays.
export function dialog(label, build, work) {
  return new Promise((resolve) => {
    let response;
    const before = document.activeElement;
    const box = h('dialog', { 'aria-label': label });
    let [isBusy, isWarned] = [false, false];
    const close = async (value) => {
      if (isBusy && value !== undefined) return;
      warning.textContent = '';
      isBusy = true;
      try {
        if (work && value !== undefined) await work(value);
      } catch (problem) {
        isBusy = false;
        warning.textContent = problem.message;
        return;
      }
      response = value;
      box.close();
    };
    box.append(build(close));
    const fields = [...box.querySelectorAll('input')];
    fields.forEach(settle);
    const isDraft = () => fields.some(isChanged);
    const warning = h('p', { class: 'problem', role: 'alert' });
    fields.at(-1)?.closest('form').append(warning);
    box.addEventListener('input', () => { if (isDraft()) unsaved.add(box); else unsaved.delete(box); });
    box.addEventListener('click', (event) => { if (event.target === box && !isDraft()) close(); });
    box.addEventListener('cancel', (event) => {
      if (!isDraft() || isWarned) return;
      event.preventDefault();
      isWarned = true;
      warning.textContent = localized('What you typed is not saved. Press Escape or go back again to close.');
    });
    box.addEventListener('close', () => {
      unsaved.delete(box);
      box.remove();
      dialogs.splice(dialogs.indexOf(box), 1);
      // The browser returns the focus, unless what had it was built again.
      const main = document.querySelector('main');
      if (document.activeElement === document.body) (like(before, main) ?? main).focus();
      goBack().then(() => resolve(response));
    });
    document.body.append(box);
    box.showModal();
    dialogs.push(box);
    step();
  });
}

// Asks before what cannot be undone. Resolves to true after a yes.
export const confirmed = (question, consequence, verb) => dialog(verb, (close) => h('form', { onsubmit: (event) => { event.preventDefault(); close(true); } },
  h('h2', {}, question), h('p', {}, consequence),
  h('div', { class: 'buttons end' }, h('button', { type: 'button', autofocus: true, onclick: () => close() }, localized('Cancel')), h('button', { class: 'danger' }, verb))));

// The ring in front of an item: its arc is the confidence. Dashed: unknown. A thin empty ring: away.
export function ring() {
  return s('svg', { class: 'ring', viewBox: '0 0 20 20', 'aria-hidden': 'true' },
    s('circle', { class: 'track', cx: 10, cy: 10, r: 7.5 }),
    s('circle', { class: 'arc', cx: 10, cy: 10, r: 7.5, pathLength: 100, transform: 'rotate(-90 10 10)' }));
}
export function setRing(svg, item) {
  const share = item.presence === 'home' ? Math.max(0.04, item.confidence ?? 0.04) : 0;
  setAttribute(svg.lastChild, 'stroke-dasharray', `${Math.round(share * 100)} 100`);
}

const tones = new Map();
// Neighbouring rooms get different tones of the one accent colour.
function tone(room) {
  if (!tones.has(room)) tones.set(room, tones.size % 4);
  return tones.get(room);
}

// The strip of a day: one rectangle for each stay. Home is filled, away is a thin line, unknown is an outline.
export const strip = () => s('svg', { class: 'strip', viewBox: '0 0 1000 10', preserveAspectRatio: 'none', 'aria-hidden': 'true' });

// Draws stays between two times, in ms. Stays shorter than a pixel join their neighbour.
export function drawStrip(svg, stays, from, to, now = present()) {
  const marks = spans(stays ?? [], from, to, 1000, now).map(({ left, right, stay }) => {
    const place = { x: left, width: Math.max(1.5, right - left) };
    switch (stay.presence) {
      case 'unknown': return s('rect', { class: 'unknown', ...place, y: 4, height: 2 });
      case 'away': return s('rect', { class: 'away', ...place, y: 4.25, height: 1.5 });
      default: return s('rect', { class: `home tone${tone(stay.room)}`, ...place, y: 0, height: 10 });
    }
  });
  svg.replaceChildren(...marks);
}

// Narrower stays have no name, in px.
const NAMED = 30;
// A strip with the names of rooms in it, where there is space for some letters.
export const namedStrip = () => h('div', { class: 'named' }, strip(), h('div', { 'aria-hidden': 'true' }));

// `width`: how wide the strip is, in px.
export function drawNamed(box, stays, from, to, width, now = present()) {
  drawStrip(box.firstChild, stays, from, to, now);
  box.lastChild.replaceChildren(...spans(stays ?? [], from, to, width, now).filter(({ left, right, stay }) => stay.presence === 'home' && stay.room && right - left > NAMED).map(({ left, right, stay }) => {
    const name = h('span', {}, stay.room);
    [name.style.left, name.style.width] = [`${(100 * left) / width}%`, `${(100 * (right - left)) / width}%`];
    return name;
  }));
}

// Writes marks of times below a strip, each where its time is.
export function drawMarks(box, times, end, label) {
  box.replaceChildren(...times.map((at, index) => {
    const mark = h('span', {}, label(at));
    mark.style.flex = `${(times[index + 1] ?? end) - at} 0 0`;
    return mark;
  }));
}

// Has the browser store a text as a file.
export function download(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
