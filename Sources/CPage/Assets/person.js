// One person: where the person is, what the person carries and owns, messages, and changes. Without an id: a person to add.

import { h, setText, toast, confirmed, draft, keep, giveUp, rebuild, remind, ticked, disable } from './dom.js';
import { items, people, owns, state, subscribe, apply, acknowledge, isAdmin, isKnown } from './store.js';
import { place, percent, when, whereabouts, certainty } from './text.js';
import { call } from './api.js';
import { finder } from './choice.js';
import { peopleList, personPath } from './list.js';
import { browsers } from './push.js';
import { localized } from './language.js';

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
const path = (id) => `people/${encodeURIComponent(id)}`;
const itemLink = (item) => h('a', { href: `#/items/${encodeURIComponent(item.item)}` }, item.name);

export function open(id) {
  const title = h('h1');
  const where = h('p', { class: 'big' });
  const facts = h('dl', { class: 'facts' });
  const alerts = h('section', { class: 'alerts', 'aria-label': localized('Notifications') });
  const carried = h('ul', { class: 'things', role: 'list', 'aria-label': localized('Carries') });
  const owned = h('ul', { class: 'things', role: 'list', 'aria-label': localized('Owns besides') });
  const results = h('ul', { class: 'things', role: 'list' });
  const send = h('button', { type: 'button', onclick: test }, localized('Send me one now'));
  const about = h('section', { class: 'card', 'aria-label': localized('Where') }, where, facts, alerts);
  const things = h('section', { class: 'card', 'aria-label': localized('Things') }, h('h2', {}, localized('Carries')), carried, h('h2', {}, localized('Owns besides')), owned);
  const heading = h('h2', { id: 'messages', tabindex: -1 }, localized('Messages'));
  const subscribed = browsers(id, heading);
  const messages = h('section', { class: 'card', 'aria-labelledby': 'messages' }, heading,
    h('p', { class: 'lead' }, localized('Messages about forgotten things go to these browsers, and over each [[channel]] of aggregator.toml.')), subscribed.element, h('div', { class: 'buttons' }, send), h('div', { role: 'status' }, results));
  const change = h('section', { class: 'card', 'aria-labelledby': 'changing' });
  // Whom somebody may look for whose person was removed, or has another id now.
  const others = peopleList();
  const everybody = h('section', { class: 'card', 'aria-label': localized('People') }, others.element);
  const element = h('div', { class: 'page person' }, h('a', { class: 'back', href: '#/' }, h('span', { 'aria-hidden': 'true' }, '‹ '), localized('All people and items')),
    h('header', { class: 'pagehead' }, title), everybody, about, things, messages, change);
  const key = `person ${id}`;
  let formKey = '';

  const thing = (item) => h('li', { class: certainty(item) }, itemLink(item), h('span', { class: 'place' }, place(item)));

  function show() {
    const person = people.get(id);
    const isNew = !id;
    setText(title, isNew ? localized('Add a person') : person?.name ?? (state.loaded ? localized('There is no such person') : localized('One moment')));
    document.title = `${title.textContent} · Forgetmenot`;
    about.hidden = things.hidden = !person;
    others.show();
    everybody.hidden = isNew || !!person || !people.size;
    messages.hidden = !person || !isAdmin();
    if (!messages.hidden) subscribed.load();
    change.hidden = !(isNew || person) || !isAdmin();
    if (person) {
      about.className = `card ${person.presence}`;
      setText(where, whereabouts(person, items.get(person.item)));
      const rows = [];
      if (person.presence === 'home' && person.since) rows.push([localized('There since'), when(person.since)]);
      if (person.item) rows.push([localized('Shown by'), items.get(person.item)?.name ?? person.item]);
      if (person.confidence != null) rows.push([localized('Confidence'), percent(person.confidence)]);
      if (person.presence === 'unknown') rows.push([localized('Why'), person.carries.length ? localized('Nothing that this person carries is known to be home or away.') : localized('This person carries nothing yet.')]);
      facts.replaceChildren(...rows.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
      const own = [...items.values()].filter((item) => owns(person, item)).sort((a, b) => collator.compare(a.name, b.name));
      const warned = own.filter((item) => item.notification);
      const alertKey = JSON.stringify(warned.map((item) => item.notification));
      if (alerts.key !== alertKey) {
        alerts.key = alertKey;
        rebuild(alerts, () => alerts.replaceChildren(...warned.map((item) => h('div', { class: 'alert' }, h('p', {}, item.notification.message, h('small', {}, localized('since {time}', { time: when(item.notification.since) }))),
          isAdmin() && h('button', { type: 'button', class: 'small', 'aria-label': localized('Acknowledge {item}', { item: item.name }), onclick: () => acknowledge(item.item) }, localized('Acknowledge'))))), title);
      }
      alerts.hidden = !warned.length;
      const fill = (list, rows, none) => list.replaceChildren(...(rows.length ? rows.map(thing) : [h('li', { class: 'none' }, none)]));
      // A link that has the focus keeps it.
      if (!things.contains(document.activeElement)) {
        fill(carried, person.carries.map((one) => items.get(one)).filter(Boolean), localized('Nothing: change that below.'));
        fill(owned, own.filter((item) => !person.carries.includes(item.item)), localized('Nothing: name the owner of an item on the item’s page.'));
      }
    }
    if (id && !person && isKnown()) giveUp(key);
    const known = draft(key) ? 'draft' : JSON.stringify([person?.name, person?.carries, person?.configured, isAdmin(), items.size]);
    if (known === formKey || !state.loaded) return;
    formKey = known;
    // What somebody types in has the focus.
    if (draft(key)?.isConnected) return;
    rebuild(change, () => build(person));
  }

  function build(person) {
    if (person?.configured) {
      return change.replaceChildren(h('h2', { id: 'changing' }, localized('Change')), h('p', { class: 'none' }, localized('This person stands in aggregator.toml. Change the name and what the person carries there.')));
    }
    const put = (form) => change.replaceChildren(h('h2', { id: 'changing' }, person ? localized('Change') : localized('Who, and with what')), form);
    if (draft(key)) return put(draft(key));
    const name = h('input', { id: 'person-name', value: person?.name ?? '', required: true, maxlength: 120, autocomplete: 'off' });
    // A box for each item that was found; what is ticked, or was, stays in the list.
    const boxes = new Map();
    const stored = () => people.get(id)?.carries ?? [];
    const row = ({ item, name: label }) => {
      if (boxes.has(item)) return boxes.get(item).parentNode;
      const box = h('input', { type: 'checkbox', id: `carry-${item}`, value: item });
      box.defaultChecked = stored().includes(item);
      boxes.set(item, box);
      return h('li', { class: 'check' }, box, h('label', { for: box.id }, label));
    };
    const isKept = ({ item }) => (boxes.has(item) ? boxes.get(item).checked || boxes.get(item).defaultChecked : stored().includes(item));
    const list = h('ul', { class: 'checks', role: 'list' });
    const search = finder('carry', fill);
    function fill() {
      const found = search.found(isKept);
      list.replaceChildren(...(found.length ? found.map(row) : [h('li', { class: 'none' }, items.size ? localized('No item matches.') : localized('There are no items yet.'))]));
    }
    fill();
    const refusal = h('p', { class: 'problem', role: 'alert' });
    const save = h('button', { class: 'main', disabled: !!person }, person ? localized('Save') : localized('Add'));
    const form = h('form', { class: 'notify', onsubmit: async (event) => {
      event.preventDefault();
      refusal.textContent = '';
      // Only what was changed here: somebody else may have changed the rest.
      const body = {};
      const carries = ticked(stored(), [...boxes.values()]);
      if (carries) body.carries = carries;
      if (name.value !== name.defaultValue) body.name = name.value.trim();
      try {
        const saved = await call(person ? 'PATCH' : 'POST', person ? path(person.id) : 'people', body);
        giveUp(key);
        apply('people', [...people.values()].map((one) => (one.id === saved.id ? { ...one, ...body } : one)));
        toast(person ? localized('{name} is changed.', { name: saved.name }) : localized('{name} is added.', { name: saved.name }));
        if (!person) location.hash = personPath(saved.id);
      } catch (problem) {
        refusal.textContent = problem.message;
      }
    } }, h('p', { class: 'field tall' }, h('label', { for: 'person-name' }, localized('Name')), name),
    h('fieldset', {}, h('legend', {}, localized('Carries usually')), search.field, list, search.more), refusal,
    h('div', { class: 'buttons' }, save, person && h('button', { type: 'button', class: 'danger', onclick: () => remove(person) }, localized('Remove'))));
    put(keep(key, form, save, () => { refusal.textContent = ''; }));
  }

  async function remove(person) {
    if (!await confirmed(localized('Remove {name}?', { name: person.name }), localized('The items stay. Nobody is told any more when this person leaves without them.'), localized('Remove'))) return;
    try {
      await call('DELETE', path(person.id));
      giveUp(key);
      toast(localized('{name} is removed.', { name: person.name }));
      location.hash = '#/';
    } catch (problem) {
      toast(problem.message, 'problem');
    }
  }

  async function test() {
    disable(send, true);
    try {
      const { channels } = await call('POST', `${path(id)}/test`);
      results.replaceChildren(...(channels.length ? channels.map((one) => h('li', {}, h('span', {}, one.name), h('span', { class: one.sent ? '' : 'problem' }, one.problem ?? localized('Sent')))) : [h('li', { class: 'none' }, localized('This person has no channel.'))]));
    } catch (problem) {
      results.replaceChildren(h('li', { class: 'problem' }, problem.message));
    }
    disable(send, false);
  }

  let leave;
  return {
    element,
    attached() { show(); leave = subscribe(show); },
    close() { leave?.(); remind(key, id ? localized('The changes of {name} are not saved.', { name: people.get(id)?.name ?? id }) : localized('The new person is not saved.')); },
  };
}
