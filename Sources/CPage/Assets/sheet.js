// The sheet that a plan is drawn on: it turns metres into pixels, and a drawing into SVG.

import { h, s } from './dom.js';
import { gateways } from './store.js';
import { bounds, doorLine, inside, labelPoint } from './geometry.js';
import { fitted } from './plan.js';
import { localized } from './language.js';
import { position } from './text.js';

export class Sheet {
  #left = -1;
  #top = 9;
  scale = 60;
  // What a finger touched stays in the document until the finger is lifted: the events of a touch go to it.
  touched = null;

  constructor() {
    this.svg = s('svg', { class: 'plan', role: 'group', 'aria-label': localized('Plan to edit') });
    this.element = h('div', { class: 'canvas' }, this.svg);
  }

  pixel([x, y]) { return [(x - this.#left) * this.scale, (this.#top - y) * this.scale]; }
  metre(x, y) { return [x / this.scale + this.#left, this.#top - y / this.scale]; }
  // Where a pointer is, in metres.
  place(event) {
    const { left, top } = this.svg.getBoundingClientRect();
    return this.metre(event.clientX - left, event.clientY - top);
  }
  get middle() { return this.metre(this.element.clientWidth / 2, this.element.clientHeight / 2); }

  // Shows the whole plan; returns whether the sheet has a size.
  fit(plan) {
    const { width, height } = this.element.getBoundingClientRect();
    if (!width) return false;
    const edge = bounds(plan);
    this.scale = Math.min((width - 60) / (edge.right - edge.left), (height - 60) / (edge.top - edge.bottom));
    this.#left = edge.left - (width / this.scale - (edge.right - edge.left)) / 2;
    this.#top = edge.top + (height / this.scale - (edge.top - edge.bottom)) / 2;
    return true;
  }
  // The point under these pixels stays where it is.
  zoom(factor, x = this.element.clientWidth / 2, y = this.element.clientHeight / 2) {
    const [mx, my] = this.metre(x, y);
    this.scale = Math.max(4, Math.min(400, this.scale * factor));
    this.#left = mx - x / this.scale;
    this.#top = my + y / this.scale;
  }
  pan(dx, dy) {
    this.#left -= dx / this.scale;
    this.#top += dy / this.scale;
  }
  // Begins to move the sheet with a pointer; returns what follows the pointer.
  drag({ clientX, clientY }) {
    const [left, top] = [this.#left, this.#top];
    return (event) => {
      this.#left = left - (event.clientX - clientX) / this.scale;
      this.#top = top + (event.clientY - clientY) / this.scale;
    };
  }

  // Draws all anew; with handles only if things can be moved. `outline`: the corners of a room that is being drawn.
  draw(drawing, { picture, marks, areMovable, outline }) {
    const { width, height } = this.element.getBoundingClientRect();
    this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    const focused = document.activeElement?.dataset?.handle;
    const parts = [
      ...this.#picture(picture), ...this.#rooms(drawing, picture, outline), ...this.#dots([...outline, ...marks]),
      ...(areMovable ? drawing.handles.map((one) => this.#handle(one)) : []),
      ...drawing.gateways.map((one) => this.#gateway(one, drawing, areMovable)),
    ];
    if (this.touched) {
      this.touched.setAttribute('visibility', 'hidden');
      parts.unshift(this.touched);
    }
    this.svg.replaceChildren(...parts);
    if (focused) this.focus(focused);
  }
  handle(key) { return this.svg.querySelector(`[data-handle="${key}"]`); }
  focus(key) { this.handle(key)?.focus({ preventScroll: true }); }

  #points(polygon) { return polygon.map((corner) => this.pixel(corner).map((value) => value.toFixed(1)).join()).join(' '); }

  #picture(picture) {
    if (!picture) return [];
    const [x, y] = this.pixel([picture.x, picture.y]);
    const [width, height] = [picture.width * this.scale, picture.width * picture.ratio * this.scale];
    return [s('image', { href: picture.url, x, y, width, height, opacity: 0.55, preserveAspectRatio: 'none' })];
  }

  // Rooms below doors below names below the draft.
  #rooms({ rooms, doors, gateways: placed, chosen }, picture, outline) {
    const shapes = rooms.map((room) => s('polygon', { class: `room${room === chosen ? ' chosen' : ''}${picture ? ' clear' : ''}`, points: this.#points(room.polygon_m) }));
    const lines = doors.map((door) => doorLine(door, rooms)).filter(Boolean).map((line) => {
      const [[x1, y1], [x2, y2]] = line.map((end) => this.pixel(end));
      return s('line', { class: 'door', x1, y1, x2, y2 });
    });
    const names = rooms.map((room) => {
      const at = labelPoint(room.polygon_m, 18 / this.scale, placed, 70 / this.scale);
      const [x, y] = this.pixel(at);
      return s('text', { class: 'roomname', x, y: y + 4 }, fitted(room.name, at[2] * this.scale));
    });
    return [...shapes, ...lines, ...names, ...(outline.length ? [s('polyline', { class: 'draft', points: this.#points(outline) })] : [])];
  }

  #dots(places) {
    return places.map((at) => {
      const [cx, cy] = this.pixel(at);
      return s('circle', { class: 'handle', cx, cy, r: 5 });
    });
  }

  // What can be moved by pointer and by keyboard.
  #grip(at, name, key, label, shape) {
    const [x, y] = this.pixel(at);
    const keyboard = key ? { tabindex: 0, role: 'button', 'aria-label': `${label}, ${position(at)}`, 'data-handle': key } : {};
    return s('g', { class: name, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`, ...keyboard }, s('circle', { class: 'reach', r: 16 }), shape);
  }
  #handle({ key, at, label }) {
    const shape = key.startsWith('door') ? s('rect', { class: 'handle', x: -5, y: -5, width: 10, height: 10, rx: 2 }) : s('circle', { class: 'handle', r: 5 });
    return this.#grip(at, 'grip', key, label, shape);
  }
  #gateway(one, { plan, rooms }, isMovable) {
    const at = [one.x_m, one.y_m];
    // In its own room the label would only repeat the room's name.
    const label = gateways.get(one.id)?.room ?? one.id;
    const isNamed = label !== rooms.find((room) => inside(at, room.polygon_m))?.name;
    const shape = [s('rect', { x: -7, y: -7, width: 14, height: 14, rx: 4 }), s('circle', { r: 2.2 }), isNamed ? s('text', { class: 'label', x: 12, y: 4 }, fitted(label, 120)) : null];
    return this.#grip(at, 'gateway grip', isMovable ? `gateway ${plan.gateways.indexOf(one)}` : null, localized('Gateway {gateway}', { gateway: one.id }), shape);
  }
}
