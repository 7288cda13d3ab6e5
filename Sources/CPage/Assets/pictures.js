// The pictures below a plan that is drawn: by floor, where the picture is, and its blob until it is stored.

import { h, toast, dialog } from './dom.js';
import { state } from './store.js';
import { call } from './api.js';
import { bounds, tidy } from './geometry.js';

// Pictures are made smaller before they are sent, in px.
const LARGEST = 2000;

export class Pictures {
  isChanged = false;
  #byFloor = new Map();

  at(floor) { return this.#byFloor.get(floor); }

  // The pictures of the stored plan; calls `onLoad` for each.
  async load(onLoad) {
    for (const one of state.site?.plan?.pictures ?? []) {
      const image = new Image();
      image.src = `api/v1/plan/pictures/${one.name}`;
      try { await image.decode(); } catch { continue; }
      if (!this.at(one.floor)) this.#byFloor.set(one.floor, { url: image.src, name: one.name, ratio: image.naturalHeight / image.naturalWidth, x: one.x_m, y: one.y_m, width: one.width_m });
      onLoad();
    }
  }

  // Puts a file as large as the plan below a floor; returns whether this browser shows it.
  async choose(file, floor, plan) {
    let image;
    try { image = await createImageBitmap(file); } catch {
      toast(`${file.name} is no picture that this browser shows.`, 'problem');
      return false;
    }
    // Drawn anew, so that a photograph does not carry where it was taken.
    const share = Math.min(1, LARGEST / Math.max(image.width, image.height));
    const canvas = h('canvas', { width: Math.max(1, Math.round(image.width * share)), height: Math.max(1, Math.round(image.height * share)) });
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((done) => canvas.toBlob(done, 'image/webp', 0.85));
    const edge = bounds(plan);
    this.#byFloor.set(floor, { url: URL.createObjectURL(blob), blob, ratio: canvas.height / canvas.width, x: edge.left, y: edge.top, width: edge.right - edge.left });
    this.isChanged = true;
    return true;
  }

  remove(floor) {
    this.#byFloor.delete(floor);
    this.isChanged = true;
  }
  discard(onLoad) {
    if (!this.isChanged) return;
    this.#byFloor.clear();
    this.isChanged = false;
    this.load(onLoad);
  }
  // Frees what the browser holds of pictures that were not stored.
  close() {
    for (const picture of this.#byFloor.values()) if (picture.blob) URL.revokeObjectURL(picture.url);
  }

  // Asks how far two points of a picture are apart and sets its width; returns by how much it grew, or undefined.
  async measure(floor, [a, b]) {
    const now = Math.hypot(a[0] - b[0], a[1] - b[1]);
    const metres = await dialog('Scale', (close) => {
      const input = h('input', { id: 'metres', inputmode: 'decimal', required: true, autofocus: true, autocomplete: 'off' });
      const set = (event) => {
        event.preventDefault();
        const value = Number(input.value.replace(',', '.'));
        if (value > 0 && value < 1000) close(value);
      };
      return h('form', { onsubmit: set },
        h('h2', {}, 'How far apart are the two points?'), h('label', { for: 'metres' }, 'Metres'), input,
        h('div', { class: 'buttons end' }, h('button', { type: 'button', onclick: () => close() }, 'Cancel'), h('button', { class: 'main' }, 'Set the scale')));
    });
    if (!metres || !(now > 0)) return undefined;
    const picture = this.at(floor);
    this.isChanged = true;
    picture.width *= metres / now;
    toast(`The picture is now ${tidy(picture.width)} m wide.`);
    return metres / now;
  }

  // Stores what is not stored, and returns the list for the plan.
  async store() {
    for (const picture of this.#byFloor.values()) {
      if (!picture.name) picture.name = (await call('POST', 'plan/pictures', picture.blob, { raw: true })).name;
    }
    return [...this.#byFloor].map(([floor, one]) => ({ floor, name: one.name, x_m: tidy(one.x), y_m: tidy(one.y), width_m: tidy(one.width) }));
  }
}
