// The floor plan: rooms, doors, gateways, who is in which room, and items where they are believed to be. Only marks that move are touched in a frame.

import { h, s, setText, setAttribute, calm } from './dom.js';
import { gateways, namesIn, isStale } from './store.js';
import { certainty, sentence, itemCount, floorName } from './text.js';
import { bounds, doorLine, doorsBetween, inside, into, labelPoint } from './geometry.js';
import { zooms } from './zoom.js';
import { localized } from './language.js';

// With more items on a floor, dots are drawn on a canvas, and only those searched for or chosen have a mark of their own.
const CROWD = 250;
const LABELS = 60;
const SETTLE = 220;
// A mark that is so near to a door goes on, in px.
const NEAR = 10;

// So many times as large as the whole plan.
const LARGEST = 8;

const isAway = (dx, dy) => dx * dx + dy * dy > 0.06;

const ruler = document.createElement('canvas').getContext('2d');
const widths = new Map();
function widthOf(text) {
  if (!widths.has(text)) {
    if (widths.size > 10_000) widths.clear();
    ruler.font = '500 12px Inter, system-ui, sans-serif';
    widths.set(text, ruler.measureText(text).width);
  }
  return widths.get(text);
}

// The text, shortened to a width in px.
export function fitted(text, width) {
  if (widthOf(text) <= width) return text;
  // An emoji may have several code units.
  const signs = [...new Intl.Segmenter().segment(text)].map((one) => one.segment);
  let count = Math.floor((signs.length * width) / widthOf(text));
  const short = () => `${signs.slice(0, Math.max(1, count)).join('').trim()}…`;
  while (count > 1 && widthOf(short()) > width) count--;
  return short();
}

// What the marks mean.
function legend() {
  const mark = (kind, ...shapes) => s('svg', { class: kind, viewBox: '-9 -9 18 18', 'aria-hidden': 'true' }, shapes);
  const rows = [['certain', localized('certain')], ['likely', localized('probable')], ['doubtful', localized('doubtful')]].map(([kind, name]) => h('li', {}, mark(kind, s('circle', { class: 'dot', r: 5.5 })), name));
  return h('ul', { class: 'legend', role: 'list', 'aria-label': localized('Marks on the plan') }, rows, h('li', {}, mark('', s('circle', { class: 'area selected', r: 8 })), localized('the chosen item is in the circle two times in three')));
}

// Labels of items are at most so wide, in px; narrower ones where there is no space for that.
const WIDEST = 150;
const WIDTHS = [WIDEST, 90, 56];

export class PlanView {
  #plan = null;
  #floor = 0;
  #marks = new Map();
  #moving = new Set();
  #frame = 0;
  #last = 0;
  #selected = null;
  #found = null;
  #layoutTimer = 0;
  #scale = 1;
  // How much larger the plan is than the whole one that fits, and by how many px it is moved.
  #zoom = { factor: 1, x: 0, y: 0 };
  #redraw = 0;
  // Where the names of rooms stand; the plan itself, which the editor copies and saves, is not changed.
  #labels = new Map();

  #moves = [];

  // The plan shows the items of this map, with a sentence for each; without a map, only rooms and gateways. `isNow`: it names who is in a room, and explains the marks.
  constructor({ onSelect, onRoom, items = new Map(), describe = sentence, isNow = false } = {}) {
    Object.assign(this, { items, describe, isNow });
    this.onSelect = onSelect;
    this.onRoom = onRoom;
    this.floors = h('div', { class: 'segments floors', role: 'group', 'aria-label': localized('Floor') });
    this.canvas = h('canvas', { 'aria-hidden': 'true' });
    this.rooms = s('g', { class: 'rooms' });
    this.names = s('g');
    this.here = s('g', { class: 'here' });
    this.fixtures = s('g', { class: 'fixtures' });
    this.clip = s('clipPath', { id: 'house' });
    this.areas = s('g', { 'clip-path': 'url(#house)' });
    this.layer = s('g', { class: 'marks' });
    this.svg = s('svg', { class: 'plan', role: 'img', 'aria-label': localized('Floor plan') }, this.rooms);
    // The canvas with the crowd is between the rooms and their names.
    this.top = s('svg', { class: 'plan over', 'aria-hidden': 'true' }, this.clip, this.areas, this.names, this.here, this.fixtures, this.layer);
    this.whole = h('button', { type: 'button', class: 'small whole', hidden: true, onclick: () => this.fit() }, localized('Whole plan'));
    this.frameBox = h('div', { class: 'planbox' }, this.svg, this.canvas, this.top, this.whole);
    this.element = h('div', { class: 'planview' }, this.floors, this.frameBox, isNow && legend());
    new ResizeObserver(([{ contentRect: { width, height } }]) => { if (width !== this.width || height !== this.height) this.#draw(); }).observe(this.frameBox);
    zooms(this.top, { zoom: (...how) => this.#enlarge(...how), pan: (dx, dy) => this.#move(this.#zoom.x + dx, this.#zoom.y + dy), canPan: () => this.#zoom.factor > 1 });
    this.top.addEventListener('click', (event) => {
      const id = event.target.closest('.mark')?.dataset.id ?? this.#nearest(event);
      if (id) return this.onSelect?.(id);
      const room = this.#roomAt(event);
      if (room) this.onRoom?.(room);
    });
    for (const [kind, isOver] of [['pointerover', true], ['pointerout', false]]) {
      this.top.addEventListener(kind, (event) => {
        const id = event.target.closest('.mark')?.dataset.id;
        const mark = this.#marks.get(id);
        if (!mark) return;
        mark.isHovered = isOver;
        this.#dress(id, mark);
      });
    }
    calm.addEventListener('change', () => this.update());
  }

  set(plan) {
    this.#plan = plan;
    const floors = plan.floors.toSorted((a, b) => a.floor - b.floor);
    const numbers = floors.map((one) => one.floor);
    if (!numbers.includes(this.#floor)) this.#floor = numbers.includes(0) ? 0 : numbers[0] ?? 0;
    this.floors.hidden = numbers.length < 2;
    this.floors.replaceChildren(...floors.map((one) =>
      h('button', { type: 'button', 'data-floor': one.floor, 'aria-pressed': String(one.floor === this.#floor), onclick: () => this.setFloor(one.floor) },
        h('span', {}, floorName(one)),
        h('b', { class: 'number' }, ''))));
    this.#draw();
  }

  setFloor(number) {
    if (number === this.#floor || !this.#plan?.floors.some((floor) => floor.floor === number)) return;
    this.#floor = number;
    for (const button of this.floors.children) setAttribute(button, 'aria-pressed', String(Number(button.dataset.floor) === number));
    this.#clear();
    this.#draw();
  }

  // Shows an item with its uncertainty, on its floor.
  select(id) {
    const old = this.#selected;
    this.#selected = id;
    const item = this.items.get(id);
    if (item?.floor != null) this.setFloor(item.floor);
    if (id) this.fit();
    this.update(new Set([old, id].filter(Boolean)));
  }

  // Shows the whole plan.
  fit() { if (this.#zoom.factor > 1) this.#enlarge(0, 0, 0); }

  // The point under these px stays where it is. Returns whether the plan has another size now.
  #enlarge(by, x, y) {
    const { factor } = this.#zoom;
    const next = Math.max(1, Math.min(LARGEST, factor * by));
    if (next === factor || !this.box) return false;
    const [width, height] = [this.frameBox.clientWidth, this.frameBox.clientHeight];
    const moved = (at, size, shift) => at - size / 2 - (at - size / 2 - shift) * (next / factor);
    this.#zoom.factor = next;
    this.#move(moved(x, width, this.#zoom.x), moved(y, height, this.#zoom.y));
    return true;
  }
  // The middle of what is shown stays on the plan.
  #move(x, y) {
    const { factor } = this.#zoom;
    const within = (shift, size) => Math.max(-size, Math.min(size, shift));
    const share = (factor - 1) / 2;
    this.#zoom = { factor, x: within(x, share * this.frameBox.clientWidth), y: within(y, share * this.frameBox.clientHeight) };
    this.#redraw ||= requestAnimationFrame(() => { this.#redraw = 0; this.#draw(); });
  }

  // Marks what the search found; null: no search.
  want(ids) {
    if (!ids && !this.#found) return;
    this.#found = ids;
    if (ids?.size === 1) {
      const item = this.items.get([...ids][0]);
      if (item?.floor != null) this.setFloor(item.floor);
    }
    this.update();
  }

  // Fills rooms by time spent; null: none.
  heat(seconds) {
    this.seconds = seconds;
    const most = seconds ? Math.max(1, ...Object.values(seconds)) : 1;
    for (const room of this.rooms.querySelectorAll('.room')) {
      const share = seconds ? (seconds[room.dataset.room] ?? 0) / most : 0;
      room.style.setProperty('--heat', share.toFixed(3));
    }
    this.element.classList.toggle('heated', !!seconds);
  }

  #point(x, y) {
    const { left, top } = this.box;
    return [this.ox + (x - left) * this.#scale, this.oy + (top - y) * this.#scale];
  }

  #draw() {
    if (!this.#plan) return;
    const { width, height } = this.frameBox.getBoundingClientRect();
    Object.assign(this, { width, height });
    if (!width || !height) return;
    this.box = bounds(this.#plan);
    const [w, t] = [this.box.right - this.box.left, this.box.top - this.box.bottom];
    const margin = 14;
    this.#scale = Math.min((width - 2 * margin) / w, (height - 2 * margin) / t) * this.#zoom.factor;
    this.ox = (width - w * this.#scale) / 2 + this.#zoom.x;
    this.oy = (height - t * this.#scale) / 2 + this.#zoom.y;
    this.whole.hidden = this.#zoom.factor === 1;
    this.top.classList.toggle('zoomed', this.#zoom.factor > 1);
    for (const svg of [this.svg, this.top]) setAttribute(svg, 'viewBox', `0 0 ${width} ${height}`);
    const density = devicePixelRatio || 1;
    this.canvas.width = width * density;
    this.canvas.height = height * density;
    this.density = density;
    const floor = this.#plan.floors.find((floor) => floor.floor === this.#floor) ?? { rooms: [] };
    this.floorRooms = floor.rooms;
    const path = (polygon) => polygon.map(([x, y]) => this.#point(x, y).map((v) => v.toFixed(1)).join()).join(' ');
    const picture = this.#plan.pictures?.find((one) => one.floor === this.#floor);
    const parts = [];
    if (picture) {
      const [x, y] = this.#point(picture.x_m, picture.y_m);
      // Without a height the picture keeps its proportions.
      parts.push(s('image', { class: 'picture', href: `api/v1/plan/pictures/${picture.name}`, x, y, width: picture.width_m * this.#scale, 'pointer-events': 'none' }));
    }
    setAttribute(this.svg, 'class', `plan${picture ? ' pictured' : ''}`);
    this.rooms.replaceChildren(
      ...parts,
      ...floor.rooms.map((room) => s('polygon', { class: 'room', points: path(room.polygon_m), 'data-room': room.name })),
      ...this.#plan.doors.filter((door) => (door.floor ?? 0) === this.#floor).map((door) => {
        const line = doorLine(door, floor.rooms);
        if (!line) return null;
        const [[x1, y1], [x2, y2]] = line.map(([x, y]) => this.#point(x, y));
        return s('line', { class: 'door', x1, y1, x2, y2 });
      }).filter(Boolean));
    this.names.replaceChildren(...floor.rooms.map((room) => {
      const at = labelPoint(room.polygon_m, 18 / this.#scale, this.#plan.gateways, (Math.min(WIDEST, widthOf(room.name)) / 2 + 12) / this.#scale);
      const [x, y] = this.#point(...at);
      this.#labels.set(room.name, { x, y: y + 4, width: at[2] * this.#scale });
      return s('text', { class: 'roomname', x, y: y + 4 }, fitted(room.name, at[2] * this.#scale));
    }));
    this.people();
    this.heat(this.seconds);
    // The areas end at the walls.
    this.clip.replaceChildren(...floor.rooms.map((room) => s('polygon', { points: path(room.polygon_m) })));
    this.gateways();
    // After a change of size everything jumps; nothing has moved.
    for (const mark of this.#marks.values()) mark.x = undefined;
    this.update();
  }

  gateways() {
    if (!this.#plan || !this.box) return;
    this.fixtures.replaceChildren(...this.#plan.gateways.filter((gateway) => gateways.has(gateway.id) && (gateway.floor ?? 0) === this.#floor && gateway.x_m != null)
      .map((place) => {
        const [x, y] = this.#point(place.x_m, place.y_m);
        const gateway = gateways.get(place.id);
        const isWell = gateway.alive && gateway.radio?.state === 'powered_on';
        return s('g', { class: `gateway${isWell ? '' : ' down'}`, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` },
          s('title', {}, isWell ? localized('Gateway {gateway}: receives', { gateway: place.id }) : localized('Gateway {gateway}: does not receive', { gateway: place.id })),
          s('rect', { x: -5.5, y: -5.5, width: 11, height: 11, rx: 3 }), isWell ? s('circle', { r: 1.75 }) : s('path', { d: 'M-2.2-2.2 2.2 2.2M2.2-2.2-2.2 2.2' }));
      }), ...this.#moves.map((move, index) => ({ move, number: index + 1 })).filter(({ move }) => move.floor === this.#floor).map(({ move, number }) => {
      const [[x1, y1], [x2, y2]] = [this.#point(...move.from_m), this.#point(...move.to_m)];
      return s('g', { class: 'move' }, s('title', {}, localized('Move {number}: gateway {gateway}', { number, gateway: move.gateway })), s('line', { x1, y1, x2, y2 }),
        s('circle', { cx: x2, cy: y2, r: 8 }), s('text', { x: x2, y: y2 + 4 }, String(number)));
    }));
  }

  // Writes who is in a room under the room's name.
  people() {
    if (!this.#plan || !this.box || !this.isNow) return;
    this.here.replaceChildren(...(this.floorRooms ?? []).flatMap((room) => {
      const names = namesIn(room.name);
      const { x, y, width } = this.#labels.get(room.name);
      return names.length ? [s('text', { x, y: y + 16 }, fitted(names.join(', '), width))] : [];
    }));
    this.#arrange();
  }

  // Marks where gateways should go.
  advise(moves) {
    this.#moves = moves;
    this.gateways();
  }

  #clear() {
    this.#marks.clear();
    this.#moving.clear();
    this.layer.replaceChildren();
    this.areas.replaceChildren();
  }

  #shows(item) {
    return item && item.x_m != null && (item.floor ?? 0) === this.#floor && item.presence === 'home';
  }

  // Takes over positions of the given ids, or of all items.
  update(changed) {
    if (!this.#plan || !this.box) return;
    if (changed) {
      for (const id of changed) this.#place(id);
      for (const id of changed) this.#count(id);
    } else {
      for (const id of [...this.#marks.keys()]) if (!this.#shows(this.items.get(id))) this.#drop(id);
      let here = 0;
      for (const item of this.items.values()) if (this.#shows(item)) here++;
      this.crowded = here > CROWD;
      for (const id of this.items.keys()) this.#place(id);
      this.#tally = null;
    }
    this.#labelFloors();
    this.crowded = this.#marks.size > CROWD;
    if (!changed || this.wasCrowded !== this.crowded) {
      this.wasCrowded = this.crowded;
      for (const [id, mark] of this.#marks) this.#dress(id, mark);
      this.#paint();
    }
    this.#arrange();
    this.#animate();
  }

  #arrange() {
    if (!this.#layoutTimer) this.#layoutTimer = setTimeout(() => { this.#layoutTimer = 0; this.#layout(); }, 120);
  }

  #tally = null;
  #floorOf = new Map();
  #count(id) {
    const item = this.items.get(id);
    const now = item?.x_m != null && item.presence === 'home' ? item.floor ?? 0 : undefined;
    const before = this.#floorOf.get(id);
    if (now === before || !this.#tally) return;
    if (before !== undefined) this.#tally.set(before, (this.#tally.get(before) ?? 1) - 1);
    if (now !== undefined) this.#tally.set(now, (this.#tally.get(now) ?? 0) + 1);
    if (now === undefined) this.#floorOf.delete(id); else this.#floorOf.set(id, now);
  }
  #labelFloors() {
    if (!this.#tally) {
      this.#tally = new Map();
      this.#floorOf.clear();
      for (const id of this.items.keys()) this.#count(id);
    }
    for (const button of this.floors.children) setText(button.lastChild, String(this.#tally.get(Number(button.dataset.floor)) ?? 0));
    const here = this.#tally.get(this.#floor) ?? 0;
    setAttribute(this.svg, 'aria-label', localized('Floor plan with {items}. The list of items has the same in words.', { items: itemCount(here) }));
  }

  #place(id) {
    const item = this.items.get(id);
    if (!this.#shows(item)) return this.#drop(id);
    let mark = this.#marks.get(id);
    if (!mark) {
      mark = {};
      this.#marks.set(id, mark);
    }
    const room = this.floorRooms?.find((one) => one.name === item.room);
    // A move leads through the doors.
    if (mark.name && room && mark.name !== room.name) {
      const doors = this.#plan.doors.filter((door) => (door.floor ?? 0) === this.#floor);
      mark.way = doorsBetween(mark.name, room.name, doors).map((at) => this.#point(...at));
    }
    mark.name = room?.name;
    mark.room = room?.polygon_m;
    [mark.tx, mark.ty] = this.#point(...(room ? into([item.x_m, item.y_m], room.polygon_m) : [item.x_m, item.y_m]));
    mark.tr = Math.max(9, Math.min(400, (item.accuracy_m ?? 1) * this.#scale));
    if (mark.x === undefined || calm.matches) {
      mark.x = mark.tx; mark.y = mark.ty; mark.r = mark.tr;
      mark.way = [];
    }
    this.#moving.add(mark);
    this.#dress(id, mark);
  }

  #drop(id) {
    const mark = this.#marks.get(id);
    if (!mark) return;
    this.#marks.delete(id);
    this.#moving.delete(mark);
    if (mark.g) {
      const { g, spot } = mark;
      g.classList.add('leaving');
      spot?.remove();
      setTimeout(() => g.remove(), calm.matches ? 0 : 400);
    }
    this.repaint = true;
  }

  // Gives a mark its element if it needs one, and its look.
  #dress(id, mark) {
    const item = this.items.get(id);
    if (!item) return;
    const isWanted = id === this.#selected || !!item.notification || (this.#found?.has(id) && this.#found.size <= 50);
    if (this.crowded && !isWanted) {
      mark.g?.remove();
      mark.spot?.remove();
      mark.g = mark.spot = undefined;
      return;
    }
    if (!mark.g) {
      mark.text = s('text', { class: 'label', y: 4 });
      mark.title = s('title');
      mark.pin = s('g', { class: 'pin' }, s('circle', { class: 'dot', r: 5.5 }), mark.text, mark.title);
      mark.g = s('g', { class: 'mark' }, mark.pin);
      mark.g.dataset.id = id;
      mark.cx = undefined;
      this.layer.append(mark.g);
    }
    setText(mark.text, fitted(item.name, mark.width ?? WIDEST));
    setText(mark.title, this.describe(item));
    const isDimmed = this.#found ? !this.#found.has(id) : false;
    const look = `${certainty(item)}${isStale(item) ? ' stale' : ''}${id === this.#selected ? ' selected' : ''}${isDimmed ? ' dimmed' : ''}`;
    setAttribute(mark.g, 'class', `mark ${look}`);
    this.#surround(mark, id === this.#selected || mark.isHovered ? `area ${look}` : null);
    // Nothing lies on the chosen item.
    if (id === this.#selected && this.layer.lastChild !== mark.g) this.layer.append(mark.g);
    this.#draft(mark);
  }

  // Only a mark whose circle shows has one: each would be laid out in each frame in which its mark moves.
  #surround(mark, look) {
    if (look && !mark.spot) {
      mark.spot = s('circle');
      mark.cx = mark.cr = undefined;
      this.areas.append(mark.spot);
    }
    if (look) setAttribute(mark.spot, 'class', look);
    else {
      mark.spot?.remove();
      mark.spot = undefined;
    }
  }

  #draft(mark) {
    if (!mark.g) return;
    if (mark.cx !== mark.x || mark.cy !== mark.y) {
      const place = `translate(${mark.x.toFixed(2)} ${mark.y.toFixed(2)})`;
      mark.g.setAttribute('transform', place);
      mark.spot?.setAttribute('transform', place);
      mark.cx = mark.x; mark.cy = mark.y;
    }
    if (mark.spot && mark.cr !== mark.r) mark.spot.setAttribute('r', (mark.cr = mark.r).toFixed(1));
  }

  #animate() {
    if (this.#frame || (!this.#moving.size && !this.repaint)) return;
    this.#last = performance.now();
    const step = (now) => {
      // A frame may have begun before it was asked for. Few frames, as of a slow machine, lead as fast to the same place.
      const share = 1 - Math.exp(Math.min(0, this.#last - now) / SETTLE);
      this.#last = now;
      let isCrowdMoving = this.repaint;
      this.repaint = false;
      for (const mark of this.#moving) {
        while (mark.way?.length && Math.hypot(mark.way[0][0] - mark.x, mark.way[0][1] - mark.y) < NEAR) mark.way.shift();
        const [tx, ty] = mark.way?.[0] ?? [mark.tx, mark.ty];
        if (isAway(tx - mark.x, ty - mark.y) || Math.abs(mark.tr - mark.r) > 0.3) {
          mark.x += (tx - mark.x) * share;
          mark.y += (ty - mark.y) * share;
          mark.r += (mark.tr - mark.r) * share;
        } else {
          mark.x = mark.tx; mark.y = mark.ty; mark.r = mark.tr;
          this.#moving.delete(mark);
        }
        if (mark.g) this.#draft(mark); else isCrowdMoving = true;
      }
      if (isCrowdMoving) this.#paint();
      this.#frame = this.#moving.size || this.repaint ? requestAnimationFrame(step) : 0;
    };
    this.#frame = requestAnimationFrame(step);
  }

  // The crowd, on the canvas: one fill for each look.
  #paint() {
    const context = this.canvas.getContext('2d');
    context.setTransform(this.density, 0, 0, this.density, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    if (!this.crowded) return;
    const style = getComputedStyle(this.element);
    this.colours ??= { at: -Infinity };
    if (performance.now() - this.colours.at > 1000) {
      this.colours = { at: performance.now(), sure: style.getPropertyValue('--accent'), dim: style.getPropertyValue('--muted') };
    }
    const paths = { sure: new Path2D(), dim: new Path2D() };
    for (const [id, mark] of this.#marks) {
      if (mark.g) continue;
      const item = this.items.get(id);
      const isDim = (this.#found && !this.#found.has(id)) || certainty(item) === 'doubtful';
      paths[isDim ? 'dim' : 'sure'].rect(mark.x - 1.75, mark.y - 1.75, 3.5, 3.5);
    }
    context.globalAlpha = this.#found ? 0.25 : 0.4;
    context.fillStyle = this.colours.dim;
    context.fill(paths.dim);
    context.globalAlpha = 0.75;
    context.fillStyle = this.colours.sure;
    context.fill(paths.sure);
  }

  // Moves pins apart that overlap, and puts each name where there is space for it, or hides it.
  #layout() {
    const marks = [...this.#marks].filter(([, mark]) => mark.g).sort(([a], [b]) => (a === this.#selected ? -1 : b === this.#selected ? 1 : a < b ? -1 : 1));
    const width = this.frameBox.clientWidth;
    const taken = [];
    const isFree = (left, top, right, bottom) =>
      left > 2 && right < width - 2 && taken.every((box) => right < box[0] || left > box[2] || bottom < box[1] || top > box[3]);
    for (const gateway of this.fixtures.children) {
      const [, x, y] = /translate\(([-\d.]+) ([-\d.]+)\)/.exec(gateway.getAttribute('transform')) ?? [];
      if (x) taken.push([x - 6, y - 6, +x + 6, +y + 6]);
    }
    for (const name of [...this.names.children, ...this.here.children]) {
      const half = widthOf(name.textContent) / 2;
      const [x, y] = [+name.getAttribute('x'), +name.getAttribute('y')];
      taken.push([x - half, y - 11, x + half, y + 3]);
    }
    for (const [, mark] of marks) {
      let [dx, dy] = [0, 0];
      for (let turn = 0; turn < 24; turn++) {
        const [angle, radius] = [turn * 2.399963, 9 * Math.sqrt(turn)];
        [dx, dy] = [radius * Math.cos(angle), radius * Math.sin(angle)];
        const [x, y] = [mark.tx + dx, mark.ty + dy];
        // A pin that moves aside stays in its room.
        if (mark.room && turn && !inside(this.#metres(x, y), mark.room)) continue;
        if (isFree(x - 6, y - 6, x + 6, y + 6)) break;
      }
      if (mark.room && !inside(this.#metres(mark.tx + dx, mark.ty + dy), mark.room)) [dx, dy] = [0, 0];
      mark.dx = dx; mark.dy = dy;
      const [x, y] = [mark.tx + dx, mark.ty + dy];
      taken.push([x - 6, y - 6, x + 6, y + 6]);
      mark.pin.style.transform = `translate(${dx.toFixed(1)}px, ${dy.toFixed(1)}px)`;
    }
    const hasLabels = marks.length <= LABELS;
    for (const [id, mark] of marks) {
      const [x, y] = [mark.tx + mark.dx, mark.ty + mark.dy];
      const spots = [[10, 4, 'start'], [-10, 4, 'end'], [0, 20, 'middle'], [0, -11, 'middle'], [9, 15, 'start'], [9, -7, 'start'], [-9, 15, 'end'], [-9, -7, 'end']];
      let chosen = null;
      let text;
      // A name stays in its room, shortened if need be.
      const isInRoom = (left, top, right, bottom) => !mark.room || [[left, top], [right, top], [left, bottom], [right, bottom]].every(([a, b]) => inside(this.#metres(a, b), mark.room));
      for (mark.width of WIDTHS) {
        setText(mark.text, fitted(this.items.get(id)?.name ?? '', mark.width));
        text = widthOf(mark.text.textContent);
        for (const [dx, dy, anchor] of spots) {
          const left = x + dx - (anchor === 'end' ? text : anchor === 'middle' ? text / 2 : 0);
          const box = [left, y + dy - 10, left + text, y + dy + 3];
          if (!isFree(...box) || !isInRoom(...box)) continue;
          chosen = [dx, dy, anchor];
          if (hasLabels || id === this.#selected) taken.push(box);
          break;
        }
        if (chosen || text < mark.width) break;
      }
      const isShown = id === this.#selected || (hasLabels && chosen);
      chosen ??= spots.find(([dx, , anchor]) => {
        const left = x + dx - (anchor === 'end' ? text : anchor === 'middle' ? text / 2 : 0);
        return left > 2 && left + text < width - 2;
      }) ?? spots[0];
      setAttribute(mark.text, 'x', chosen[0]);
      setAttribute(mark.text, 'y', chosen[1]);
      setAttribute(mark.text, 'text-anchor', chosen[2]);
      mark.text.classList.toggle('crowded', !isShown);
    }
  }

  #where(event) {
    const { left, top } = this.frameBox.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  }
  #nearest(event) {
    if (!this.crowded) return null;
    const [x, y] = this.#where(event);
    let best = null;
    for (const [id, mark] of this.#marks) {
      const distance = Math.hypot(mark.x - x, mark.y - y);
      if (distance < (best?.distance ?? 10)) best = { id, distance };
    }
    return best?.id;
  }
  #metres(x, y) {
    return [(x - this.ox) / this.#scale + this.box.left, this.box.top - (y - this.oy) / this.#scale];
  }
  #roomAt(event) {
    const at = this.#metres(...this.#where(event));
    return this.floorRooms?.find((room) => inside(at, room.polygon_m))?.name;
  }

  // For tests and views: where an item's mark is now, in px of the plan.
  position(id) {
    const mark = this.#marks.get(id);
    return mark && { x: mark.x, y: mark.y, tx: mark.tx, ty: mark.ty, dx: mark.dx ?? 0, dy: mark.dy ?? 0 };
  }
}
