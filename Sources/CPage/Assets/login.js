// The login form.

import { h, disable } from './dom.js';
import { call } from './api.js';
import { localized } from './language.js';

export function form(onDone) {
  const user = h('input', { id: 'user', autocomplete: 'username', autocapitalize: 'none', required: true });
  const password = h('input', { id: 'password', type: 'password', autocomplete: 'current-password', required: true });
  const problem = h('p', { class: 'problem', role: 'alert' });
  const button = h('button', { class: 'main' }, localized('Log in'));
  return h('form', { class: 'login', onsubmit: async (event) => {
    event.preventDefault();
    disable(button, true);
    problem.textContent = '';
    try {
      await call('POST', 'login', { user: user.value, password: password.value });
      onDone();
    } catch (error) {
      problem.textContent = error.message;
      disable(button, false);
      password.select();
    }
  } }, h('h1', {}, 'Forgetmenot'), h('p', { class: 'field tall' }, h('label', { for: 'user' }, localized('User')), user),
  h('p', { class: 'field tall' }, h('label', { for: 'password' }, localized('Password')), password), problem, button);
}

export async function logout() {
  try { await call('POST', 'logout'); } finally { location.reload(); }
}
