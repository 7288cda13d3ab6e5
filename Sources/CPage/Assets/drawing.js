// A plan that somebody draws: rooms, doors and gateways, the room that is not closed yet, and what can be undone. Nothing here touches the page.

import { inside, middle, onGrid, rectangle, tidy, wall } from './geometry.js';
import { localized } from './language.js';

const UNDO = 100;
// As SiteConfiguration.mostOutlines: the service refuses more.
const ROOMS = 400;

export class Drawing {
  // The floor that is drawn, and the room that was chosen on it.
  floor;
  chosen = null;
  // The corners of the room that is not closed yet.
  draft = [];
  #saved;
  #past = [];
  #future = [];
  // The state that undo or redo led to: what was undone can be made again from there.
  #reached = null;
  // The names that rooms got here without having been typed or saved.
  #proposed = new Set();
  // The gateways that were removed, by id: placed again, they serve the room that they served.
  #removed = new Map();

  constructor(plan) {
    this.plan = { pictures: [], ...structuredClone(plan ?? { floors: [], doors: [], gateways: [] }) };
    const { floors, pictures } = this.plan;
    if (!floors.length) floors.push({ floor: 0, rooms: [] });
    // A stored plan has no floors without rooms, which may have pictures.
    for (const { floor } of pictures) if (!floors.some((one) => one.floor === floor)) floors.push({ floor, rooms: [] });
    floors.sort((a, b) => a.floor - b.floor);
    this.#saved = JSON.stringify(this.plan);
    this.floor = this.plan.floors.some((one) => one.floor === 0) ? 0 : this.plan.floors[0].floor;
  }

  get storey() { return this.plan.floors.find((one) => one.floor === this.floor); }
  get rooms() { return this.storey.rooms; }
  get doors() { return this.plan.doors.filter((door) => (door.floor ?? 0) === this.floor); }
  get gateways() { return this.plan.gateways.filter((one) => (one.floor ?? 0) === this.floor); }
  get allRooms() { return this.plan.floors.flatMap((one) => one.rooms); }

  get isChanged() { return this.draft.length > 0 || this.text !== this.#saved; }
  get text() { return JSON.stringify(this.plan); }
  // The plan with this text is stored elsewhere.
  wasSaved(text = this.text) {
    this.#saved = text;
    this.#proposed.clear();
  }

  // Called before what may become a change.
  remember() {
    if (this.#past.at(-1) !== this.#now) this.#past.push(this.#now);
    if (this.#past.length > UNDO) this.#past.shift();
  }
  // These return whether there was a change to undo, or one to make again.
  undo() { return this.#go(this.#past, this.#future); }
  redo() { return this.#go(this.#future, this.#past); }
  get #now() { return JSON.stringify({ plan: this.plan, draft: this.draft }); }
  #go(from, to) {
    // What was remembered may have become no change.
    if (this.#past.at(-1) === this.#now) this.#past.pop();
    if (this.#reached !== this.#now) this.#future.length = 0;
    const there = from.pop();
    if (there === undefined) return false;
    to.push(this.#now);
    this.#show(JSON.parse(there));
    this.#reached = this.#now;
    return true;
  }
  discard() {
    this.remember();
    this.#show({ plan: JSON.parse(this.#saved), draft: [] });
  }
  #show({ plan, draft }) {
    [this.plan, this.draft, this.chosen] = [plan, draft, null];
    if (!plan.floors.some((one) => one.floor === this.floor)) this.floor = plan.floors[0].floor;
  }

  // Adds a floor above all others, or below them.
  addFloor(isBelow = false) {
    this.remember();
    const numbers = this.plan.floors.map((one) => one.floor);
    this.floor = isBelow ? Math.min(...numbers) - 1 : Math.max(...numbers) + 1;
    this.plan.floors.push({ floor: this.floor, rooms: [] });
  }

  // Names the floor; without a name it is called by its number.
  nameFloor(name) {
    if (name === (this.storey.name ?? '')) return;
    this.remember();
    if (name) this.storey.name = name; else delete this.storey.name;
  }

  // Makes a room of the draft, with the first free name, and chooses it; returns why not, in a sentence. A draft of two corners is only dropped.
  closeRoom(names = [], corners = this.draft) {
    this.remember();
    this.draft = [];
    if (corners.length < 3) return '';
    if (this.allRooms.length >= ROOMS) return localized('The plan has {count} rooms, which is the most: remove one first.', { count: ROOMS });
    const isFree = (name) => name && !this.allRooms.some((room) => room.name === name);
    let number = this.allRooms.length + 1;
    const numbered = () => localized('Room {number}', { number });
    while (!isFree(numbered())) number++;
    this.chosen = { name: names.find(isFree) ?? numbered(), polygon_m: corners };
    this.rooms.push(this.chosen);
    this.#proposed.add(this.chosen.name);
    return null;
  }
  // Gives a rectangular room another size; its upper left corner stays.
  resize(room, [width, height]) {
    this.remember();
    const [left, top] = [Math.min(...room.polygon_m.map(([x]) => x)), Math.max(...room.polygon_m.map(([, y]) => y))];
    for (const corner of room.polygon_m) {
      [corner[0], corner[1]] = [corner[0] === left ? left : tidy(left + width), corner[1] === top ? top : tidy(top - height)];
    }
  }
  // The corners of a rectangle of this size, to the right of all rooms of the floor.
  beside([width, height]) {
    const corners = this.rooms.flatMap((room) => room.polygon_m);
    const [left, top] = corners.length ? [Math.max(...corners.map(([x]) => x)), Math.max(...corners.map(([, y]) => y))] : [0, height];
    return rectangle([left, tidy(top - height)], [tidy(left + width), top]);
  }
  removeRoom(room) {
    this.remember();
    this.rooms.splice(this.rooms.indexOf(room), 1);
    this.plan.doors = this.plan.doors.filter((door) => !door.between.includes(room.name));
    for (const one of this.plan.gateways) if (one.room === room.name) delete one.room;
  }
  // Returns why the room cannot have this name, in a sentence. Gateways that serve the room serve it under its new name, too, unless its
  // name was only proposed; `roomOf` gives the room that a gateway publishes.
  rename(room, name, roomOf = () => null) {
    if (!name) return localized('A room needs a name.');
    if (this.allRooms.some((other) => other !== room && other.name === name)) return localized('There is a room {room} already.', { room: name });
    this.remember();
    for (const door of this.plan.doors) door.between = door.between.map((one) => (one === room.name ? name : one));
    const isProposed = this.#proposed.has(room.name);
    for (const one of [...this.plan.gateways, ...this.#removed.values()]) if (!isProposed && (one.room ?? roomOf(one.id)) === room.name) one.room = name;
    this.#proposed.delete(name);
    room.name = name;
    return null;
  }
  roomAt(at) { return this.#roomOn(this.floor, at); }
  #roomOn(floor, at) { return this.plan.floors.find((one) => one.floor === floor)?.rooms.findLast((one) => inside(at, one.polygon_m)) ?? null; }

  addDoor({ between, at }) {
    this.remember();
    this.plan.doors.push({ between, at_m: at, floor: this.floor });
  }
  // The wall between two rooms that is nearest to the middle of the first.
  wallBetween(first, second) {
    const room = this.rooms.find((one) => one.name === first);
    return first === second ? null : wall(middle(room.polygon_m), this.rooms, [first, second]);
  }

  get picture() { return this.plan.pictures.find((one) => one.floor === this.floor); }
  // Puts a picture below the floor, in place of another; undefined: none.
  setPicture(picture) {
    this.remember();
    this.plan.pictures = [...this.plan.pictures.filter((one) => one.floor !== this.floor), ...(picture ? [{ floor: this.floor, ...picture }] : [])];
  }

  addGateway(id, [x, y]) {
    this.remember();
    const room = this.servedRoom(id);
    this.plan.gateways.push({ id, x_m: x, y_m: y, floor: this.floor, ...(room && { room }) });
  }
  // The room that a gateway served before it was removed, if that is still there; otherwise the one that it publishes.
  servedRoom(id, published) {
    const served = this.#removed.get(id)?.room;
    return this.allRooms.some((room) => room.name === served) ? served : published;
  }
  // A gateway whose room is not drawn serves the room that it stands in: returns those gateways, in their new rooms. To be asked when the plan is complete.
  settleGateways(roomOf) {
    const names = new Set(this.allRooms.map((room) => room.name));
    const changed = this.plan.gateways.flatMap((one) => {
      const room = names.has(one.room ?? roomOf(one.id)) ? null : this.#roomOn(one.floor ?? 0, [one.x_m, one.y_m]);
      return room ? [{ one, room: room.name }] : [];
    });
    if (changed.length) this.remember();
    for (const { one, room } of changed) one.room = room;
    return changed.map(({ one }) => one);
  }
  // The middle of a room, or another place, or the nearest beside it where no gateway is within `reach`.
  vacant(polygon, otherwise, reach) {
    const [x, y] = polygon ? middle(polygon) : otherwise;
    for (let turn = 0; turn < 400; turn++) {
      const [angle, radius] = [turn * 2.399963, (reach / 3) * Math.sqrt(turn)];
      const at = [tidy(x + radius * Math.cos(angle)), tidy(y + radius * Math.sin(angle))];
      const isFree = this.gateways.every((one) => Math.hypot(one.x_m - at[0], one.y_m - at[1]) > reach);
      if (isFree && (!polygon || inside(at, polygon))) return at;
    }
    return [tidy(x), tidy(y)];
  }

  // Corners within `near` attract each other, so that rooms touch; otherwise the grid counts, and the lines of other corners and of the one before.
  snap([x, y], near, { but, before } = {}) {
    const corners = this.rooms.flatMap((room) => room.polygon_m).filter((corner) => corner !== but);
    const same = corners.find((corner) => Math.hypot(corner[0] - x, corner[1] - y) < near);
    if (same) return [...same];
    let [sx, sy] = onGrid([x, y]);
    for (const corner of corners) {
      if (Math.abs(corner[0] - x) < near / 2) sx = corner[0];
      if (Math.abs(corner[1] - y) < near / 2) sy = corner[1];
    }
    if (before && Math.abs(before[0] - x) < near) sx = before[0];
    if (before && Math.abs(before[1] - y) < near) sy = before[1];
    return [tidy(sx), tidy(sy)];
  }

  // What can be moved on this floor: corners of the chosen room or of all, and doors; gateways are apart. Each has a key for `grip`.
  get handles() {
    const corners = this.rooms.flatMap((room, number) => (this.chosen && room !== this.chosen ? [] : room.polygon_m.map((at, index) => (
      { key: `corner ${number} ${index}`, at, label: localized('Corner {number} of {room}', { number: index + 1, room: room.name }) }))));
    const doors = this.doors.filter((door) => door.at_m).map((door) => (
      { key: `door ${this.plan.doors.indexOf(door)}`, at: door.at_m, label: localized('Door between {one} and {other}', { one: door.between[0], other: door.between[1] }) }));
    return [...corners, ...doors];
  }
  // What a handle moves: reads and writes its position, and removes it or returns why not.
  grip(key) {
    const [kind, a, b] = key.split(' ');
    if (kind === 'corner') {
      const room = this.rooms[a];
      // A corner that several rooms share moves with all of them.
      const corner = room.polygon_m[b];
      const shared = this.rooms.flatMap((other) => other.polygon_m.filter((one) => one[0] === corner[0] && one[1] === corner[1]));
      return {
        at: corner, but: corner,
        set([x, y]) { for (const one of shared) [one[0], one[1]] = [x, y]; },
        // Adds a corner in the middle of the wall behind this one, and returns its key.
        split() {
          const [bx, by] = room.polygon_m[(Number(b) + 1) % room.polygon_m.length];
          room.polygon_m.splice(Number(b) + 1, 0, [tidy((corner[0] + bx) / 2), tidy((corner[1] + by) / 2)]);
          return `corner ${a} ${Number(b) + 1}`;
        },
        remove() {
          if (room.polygon_m.length <= 3) return localized('A room has at least three corners.');
          room.polygon_m.splice(b, 1);
          return null;
        },
      };
    }
    const list = kind === 'door' ? this.plan.doors : this.plan.gateways;
    const one = list[a];
    const remove = () => {
      if (kind === 'gateway') this.#removed.set(one.id, one);
      list.splice(a, 1);
    };
    if (kind === 'door') return { at: one.at_m, set: (at) => { one.at_m = wall(at, this.rooms, one.between)?.at ?? one.at_m; }, remove };
    return { at: [one.x_m, one.y_m], set: ([x, y]) => { [one.x_m, one.y_m] = [x, y]; }, remove };
  }
}

// The tables of aggregator.toml for a plan.
export function toml(plan, roomOf) {
  const text = (value) => JSON.stringify(String(value));
  const point = ([x, y]) => `[${tidy(x).toFixed(2)}, ${tidy(y).toFixed(2)}]`;
  const tables = [];
  for (const { floor, rooms } of plan.floors) {
    for (const room of rooms) tables.push(`[[room]]\nname = ${text(room.name)}\nfloor = ${floor}\npolygon_m = [${room.polygon_m.map(point).join(', ')}]`);
  }
  for (const door of plan.doors) tables.push(`[[door]]\nbetween = [${door.between.map(text).join(', ')}]${door.at_m ? `\nat_m = ${point(door.at_m)}` : ''}`);
  for (const one of plan.gateways) {
    const room = one.room ?? roomOf(one.id);
    tables.push(`[[gateway]]\nid = ${text(one.id)}${room ? `\nroom = ${text(room)}` : ''}\nposition_m = ${point([one.x_m, one.y_m])}\nfloor = ${one.floor ?? 0}`);
  }
  return `${tables.join('\n\n')}\n`;
}
