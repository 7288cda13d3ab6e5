// Which rooms are confused, and where gateways should go.

import { h } from './dom.js';
import { state } from './store.js';
import { get } from './api.js';
import { PlanView } from './plan.js';
import { localized } from './language.js';

export function placement() {
  const list = h('ul', { class: 'advice', role: 'list' });
  const view = new PlanView();
  view.element.hidden = true;

  async function load() {
    try {
      const { sentences, moves } = await get('placement');
      list.replaceChildren(...sentences.map((sentence) => h('li', {}, sentence)));
      view.element.hidden = !moves.length;
      if (!moves.length) return;
      view.set(state.site.plan);
      view.advise(moves);
    } catch (problem) {
      list.replaceChildren(h('li', { class: 'none' }, problem.message));
    }
  }

  return {
    element: h('section', { class: 'card', 'aria-labelledby': 'placing' }, h('h2', { id: 'placing' }, localized('Where to put gateways')),
      h('p', { class: 'lead' }, localized('Rooms that another room’s gateway receives better than their own, and the gateways whose move helps most.')), list, view.element),
    attached() { if (state.site?.plan) load(); else list.replaceChildren(h('li', { class: 'none' }, h('a', { href: '#/plan' }, localized('Draw the floor plan')), localized(' first.'))); },
  };
}
