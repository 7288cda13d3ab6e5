// The receiver offset of a gateway: what is added to every RSSI of it.

import { h, setText, toast, unsaved } from './dom.js';
import { isAdmin } from './store.js';
import { call } from './api.js';
import { decibels } from './text.js';
import { localized } from './language.js';

// Receiver offsets that were typed and not set yet, by gateway.
const typed = new Map();
const ORIGINS = {
  'aggregator.toml': (offset) => localized('{offset}, set in aggregator.toml', { offset }),
  'gateway.toml': (offset) => localized('{offset}, set in its gateway.toml', { offset }),
  page: (offset) => localized('{offset}, set here', { offset }),
};

function note(id, value) {
  if (value == null) typed.delete(id); else typed.set(id, value);
  if (typed.size) unsaved.add(typed); else unsaved.delete(typed);
}

async function set(id, name, offset) {
  try {
    await call('PATCH', `gateways/${encodeURIComponent(id)}`, { rssi_offset_db: offset });
    note(id);
    toast(offset == null ? localized('The receiver offset of {gateway} is automatic again.', { gateway: name }) : localized('The receiver offset of {gateway} is {offset}.', { gateway: name, offset: decibels(offset) }));
  } catch (problem) {
    toast(problem.message, 'problem');
  }
}

export function offsetForm(id) {
  const origin = h('span', { class: 'id' });
  const controls = h('div');
  const element = h('div', { class: 'offset' }, h('p', {}, h('strong', {}, localized('Receiver offset'), ' '), origin), controls);
  let known = '';
  return {
    element,
    show(gateway) {
      const { room, rssi_offset_db: offset, rssi_offset_from: from } = gateway;
      const key = JSON.stringify([room, offset, from, isAdmin()]);
      if (key === known) return;
      known = key;
      setText(origin, from ? ORIGINS[from]?.(decibels(offset ?? 0)) ?? decibels(offset ?? 0) : localized('Automatic'));
      const label = controls.contains(document.activeElement) && document.activeElement.getAttribute('aria-label');
      controls.replaceChildren(...(isAdmin() && from !== 'aggregator.toml' ? [form(gateway)] : []));
      // What has the focus was built again.
      if (label) (controls.querySelector(`[aria-label="${CSS.escape(label)}"]`) ?? controls.querySelector('input'))?.focus({ preventScroll: true });
    },
  };
}

function form({ id, room, rssi_offset_db: offset, rssi_offset_from: from }) {
  const name = room ?? id;
  const input = h('input', {
    type: 'number', min: -50, max: 50, step: 0.5, inputmode: 'text', value: typed.get(id) ?? offset ?? '', placeholder: '0', 'aria-label': localized('Receiver offset of {gateway}, in dB', { gateway: name }),
    oninput: () => note(id, input.value === String(offset ?? '') ? null : input.value),
  });
  const submit = (event) => {
    event.preventDefault();
    if (input.value !== '') set(id, name, Number(input.value));
  };
  return h('form', { onsubmit: submit }, h('span', { class: 'unit' }, input, h('i', { 'aria-hidden': 'true' }, 'dB')),
    h('button', { class: 'small', 'aria-label': localized('Set the receiver offset of {gateway}', { gateway: name }) }, localized('Set')),
    from === 'page' ? h('button', { type: 'button', class: 'small quiet', 'aria-label': localized('Automatic receiver offset of {gateway}', { gateway: name }), onclick: () => set(id, name, null) }, localized('Automatic')) : null);
}
