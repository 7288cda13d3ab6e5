// The pictures below a plan that is drawn. The plan has their names, and where they are; here is what the browser shows of them.

import { h, toast, dialog } from './dom.js';
import { call } from './api.js';
import { bounds, tidy } from './geometry.js';
import { localized } from './language.js';

// Pictures are made smaller before they are sent, in px.
const LARGEST = 2000;

export class Pictures {
  // By the name in the plan. Until a picture is stored, that is the address of its blob.
  #images = new Map();

  // What the sheet shows of a picture of the plan; undefined while it is not loaded.
  show(picture) {
    const image = this.#images.get(picture?.name);
    return image && { url: image.url, ratio: image.ratio, x: picture.x_m, y: picture.y_m, width: picture.width_m };
  }

  // Loads the pictures of a plan; calls `onLoad` for each.
  async load(pictures, onLoad) {
    for (const { name } of pictures) {
      if (this.#images.has(name)) continue;
      const image = new Image();
      image.src = `api/v1/plan/pictures/${name}`;
      try { await image.decode(); } catch { continue; }
      this.#images.set(name, { url: image.src, ratio: image.naturalHeight / image.naturalWidth });
      onLoad();
    }
  }

  // A picture of a file, as large as the plan; undefined if this browser does not show it.
  async choose(file, plan) {
    let image;
    try { image = await createImageBitmap(file); } catch {
      toast(localized('{file} is no picture that this browser shows: save it as JPEG or PNG.', { file: file.name }), 'problem');
      return undefined;
    }
    // Drawn anew, so that a photograph does not carry where it was taken.
    const share = Math.min(1, LARGEST / Math.max(image.width, image.height));
    const canvas = h('canvas', { width: Math.max(1, Math.round(image.width * share)), height: Math.max(1, Math.round(image.height * share)) });
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((done) => canvas.toBlob(done, 'image/webp', 0.85));
    const url = URL.createObjectURL(blob);
    this.#images.set(url, { url, blob, ratio: canvas.height / canvas.width });
    const edge = bounds(plan);
    return { name: url, x_m: edge.left, y_m: edge.top, width_m: edge.right - edge.left };
  }

  // Frees what the browser holds of pictures that it has made.
  close() {
    for (const { url, blob } of this.#images.values()) if (blob) URL.revokeObjectURL(url);
  }

  // Asks how far two points of a picture are apart; returns by how much the picture has to grow, or undefined.
  async measure([a, b]) {
    const now = Math.hypot(a[0] - b[0], a[1] - b[1]);
    const metres = await dialog(localized('Scale'), (close) => {
      const input = h('input', { id: 'metres', inputmode: 'decimal', required: true, autofocus: true, autocomplete: 'off' });
      const set = (event) => {
        event.preventDefault();
        const value = Number(input.value.replace(',', '.'));
        if (value > 0 && value < 1000) close(value);
      };
      return h('form', { onsubmit: set },
        h('h2', {}, localized('How far apart are the two points?')), h('label', { for: 'metres' }, localized('Metres')), input,
        h('div', { class: 'buttons end' }, h('button', { type: 'button', onclick: () => close() }, localized('Cancel')), h('button', { class: 'main' }, localized('Set the scale'))));
    });
    return metres && now > 0 ? metres / now : undefined;
  }

  // Stores what this browser has made, and returns the pictures with the names that the server gave them. Each time: when somebody else saves a plan,
  // the server deletes what that plan does not show.
  async store(pictures) {
    const stored = [];
    for (const one of pictures) {
      const blob = this.#images.get(one.name)?.blob;
      const name = blob ? (await call('POST', 'plan/pictures', blob, { raw: true })).name : one.name;
      stored.push({ floor: one.floor, name, x_m: tidy(one.x_m), y_m: tidy(one.y_m), width_m: tidy(one.width_m) });
    }
    return stored;
  }
}
