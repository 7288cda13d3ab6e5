// The plan editor: rooms drawn over a picture, doors, gateways dragged into place.

import { h, disable, rebuild, setText, toast, announce, dialog, download, unsaved } from './dom.js';
import { state, gateways, subscribe, isAdmin, apply } from './store.js';
import { call, get } from './api.js';
import { decimal, floorName, position } from './text.js';
import { STEP, onGrid, parseSize, rectangle, sizeOf, sizeText, tidy, wall } from './geometry.js';
import { Drawing, toml } from './drawing.js';
import { Pictures } from './pictures.js';
import { Sheet } from './sheet.js';
import { zooms } from './zoom.js';
import { localized } from './language.js';

// Corners attract each other within so many pixels.
const SNAP = 11;
// A browser reports a tap within this time, in ms.
const TAP = 350;
// What was saved waits so long for what the server made of it, in ms.
const SOON = 4_000;

// A device without a mouse rarely has a keyboard.
const hasKeys = !matchMedia('(pointer: coarse)').matches;
const HINTS = {
  move: localized('Drag corners, doors and gateways, or choose one to remove it.') + (hasKeys ? ` ${localized('With the keyboard: Tab to one of them, then the arrow keys; Delete removes it, and Insert adds a corner behind it.')}` : ''),
  rectangle: localized('Drag from one corner of a room to the opposite one.'),
  room: localized('Choose the corners of a room, one after the other. The first corner again, or Enter, closes it.'),
  door: localized('Choose a wall between two rooms.'),
  scale: localized('Choose two points of the picture whose distance you know.'),
};

const NO_SIZE = localized('Write the size of the room as width x height in metres, like 4 x 3.5 m: each at least 0.5 m.');

const publishedRoom = (id) => gateways.get(id)?.room;

// An editor that was left with a drawing that is not saved: it goes on where it was.
let kept = null;

export const open = () => kept ?? new Editor();

class Editor {
  #drawing = new Drawing(state.site?.plan);
  // Which plan is changed: somebody else may save one meanwhile.
  #revision = state.site?.plan_revision;
  #isSaving = false;
  #pictures = new Pictures();
  #sheet = new Sheet();
  #tool = 'move';
  // The points of the picture whose distance is asked for.
  #marks = [];
  // The rectangle that is being drawn.
  #outline = null;
  // What follows the pointer while something is dragged.
  #dragging = null;
  // The drawing when the pointer went down.
  #pressed = { text: '', corners: 0 };
  #draggedAt = -Infinity;
  // The handle that was chosen last.
  #held = null;
  #canSave = state.site?.plan_editable && isAdmin();
  // The gateways that the panel shows.
  #known = '';
  #leave = null;
  #watcher = new ResizeObserver(() => this.#draw());
  #keys = (event) => this.#press(event);

  constructor() {
    this.hint = h('p', { class: 'none', role: 'status' });
    this.panel = h('div', { class: 'editpanel', tabindex: -1 });
    this.heldName = h('span');
    this.split = h('button', { type: 'button', class: 'small', onclick: () => this.#split(this.#held) }, localized('Add a corner'));
    this.held = h('p', { class: 'roomrow held', hidden: true }, this.heldName, this.split, h('button', { type: 'button', class: 'small danger', onclick: () => this.#remove(this.#held) }, localized('Remove')));
    this.tools = h('div', { class: 'segments', role: 'group', 'aria-label': localized('Tools') });
    this.discard = h('button', { type: 'button', class: 'small quiet discard', onclick: () => this.#discard() }, localized('Discard'));
    this.element = h('div', { class: 'page editor' }, this.#head(),
      this.#canSave ? null : h('p', { class: 'lead' }, state.site?.plan_editable ? localized('Only an administrator can save the plan.') : localized('aggregator.toml has a plan, which takes precedence. Download the tables that you draw here, and put them there.')),
      h('div', { class: 'editbox' }, h('div', { class: 'drawing' }, this.#toolbar(), this.#sheet.element, this.held, this.hint), this.panel));
    this.#listen();
    this.#rescueTaps();
  }

  #head() {
    const file = h('input', { type: 'file', id: 'picture', accept: 'image/*', class: 'hidden', onchange: () => this.#choosePicture(file) });
    return h('header', { class: 'pagehead' }, h('h1', {}, localized('Floor plan')), h('div', { class: 'buttons' },
      h('button', { type: 'button', class: 'small quiet', onclick: () => this.#undo() }, localized('Undo')),
      h('button', { type: 'button', class: 'small quiet', onclick: () => this.#redo() }, localized('Redo')), this.discard, file, h('label', { class: 'button small', for: 'picture' }, localized('Picture')),
      h('button', { type: 'button', class: this.#canSave ? 'small' : 'small main', onclick: () => this.#download() }, localized('Download')),
      this.#canSave ? h('button', { type: 'button', class: 'main small', onclick: () => this.#save() }, localized('Save')) : null));
  }
  #toolbar() {
    return h('div', { class: 'toolbar' }, this.tools, h('div', { class: 'segments' },
      h('button', { type: 'button', 'aria-label': localized('Smaller'), onclick: () => this.#zoom(0.8) }, '−'),
      h('button', { type: 'button', 'aria-label': localized('Larger'), onclick: () => this.#zoom(1.25) }, '+'),
      h('button', { type: 'button', onclick: () => this.#fit() }, localized('Fit'))));
  }

  // A view of the page.
  attached() {
    this.#follow();
    this.#refresh();
    if (kept !== this) {
      this.#fit();
      this.#loadPictures();
    }
    this.#leave = subscribe((changes) => { if (changes.gateways) this.#follow(); });
    this.#watcher.observe(this.#sheet.element);
    document.addEventListener('keydown', this.#keys);
    window.forgetmenot.editor = { plan: () => this.#drawing.plan, pixel: (at) => this.#sheet.pixel(at) };
  }
  close() {
    // A name that is being typed counts.
    document.activeElement?.blur?.();
    this.#leave?.();
    this.#watcher.disconnect();
    document.removeEventListener('keydown', this.#keys);
    kept = this.#drawing.isChanged ? this : null;
    if (kept) toast(localized('The plan is not saved. The editor keeps what you drew until you close this page.'), 'problem');
    else this.#pictures.close();
  }

  // A gateway that appears can be placed; its room may become known.
  #follow() {
    const now = JSON.stringify([...gateways.values()].map((one) => [one.id, one.room]));
    if (now === this.#known || this.#dragging || this.panel.contains(document.activeElement)) return;
    this.#known = now;
    this.#refresh();
  }

  // What is shown.
  #draw() {
    // Disabled and not hidden: nothing moves below a finger that drags.
    disable(this.discard, !this.#drawing.isChanged);
    if (this.#drawing.isChanged) unsaved.add(this.element); else unsaved.delete(this.element);
    this.#sheet.draw(this.#drawing, { picture: this.#pictures.show(this.#drawing.picture), marks: this.#marks, areMovable: this.#tool === 'move', outline: this.#outline ?? this.#drawing.draft });
    setText(this.hint, this.#outline ? `${sizeText(sizeOf(this.#outline) ?? [0, 0])} m` : HINTS[this.#tool]);
    this.#sheet.svg.dataset.tool = this.#tool;
    this.#showHeld();
  }
  // Buttons for what the keyboard does: a touch screen has no Delete and no Insert.
  #showHeld() {
    const name = this.#held && this.#sheet.handle(this.#held)?.getAttribute('aria-label');
    this.held.hidden = !name;
    setText(this.heldName, name ?? '');
    this.split.hidden = !this.#held?.startsWith('corner');
  }
  #refresh() {
    this.#held = null;
    if (this.#tool === 'scale' && !this.#drawing.picture) this.#tool = 'move';
    const button = (name, label) => h('button', { type: 'button', 'data-tool': name, 'aria-pressed': String(this.#tool === name), onclick: () => this.#use(name) }, label);
    const ofPicture = [button('scale', localized('Scale')), h('button', { type: 'button', onclick: () => this.#removePicture() }, localized('Remove picture'))];
    rebuild(this.tools, () => this.tools.replaceChildren(button('move', localized('Move')), button('rectangle', localized('Rectangle')), button('room', localized('Draw a room')), button('door', localized('Door')), ...(this.#drawing.picture ? ofPicture : [])), this.panel);
    rebuild(this.panel, () => this.panel.replaceChildren(...[this.#floors(), this.#rooms(), this.#doors(), this.#gateways()].filter(Boolean)), this.panel);
    this.#draw();
  }
  #fit() { if (this.#sheet.fit(this.#drawing.plan)) this.#draw(); }
  #zoom(factor, x, y) {
    this.#sheet.zoom(factor, x, y);
    this.#draw();
  }
  #use(name) {
    this.#tool = name;
    if (name !== 'room' && this.#drawing.draft.length) {
      this.#drawing.remember();
      this.#drawing.draft = [];
    }
    this.#refresh();
  }

  // The panel beside the drawing.
  #floors() {
    const choose = (event) => {
      if (['above', 'below'].includes(event.target.value)) this.#drawing.addFloor(event.target.value === 'below');
      else this.#drawing.floor = Number(event.target.value);
      this.#drawing.chosen = null;
      this.#refresh();
    };
    const floor = h('select', { id: 'floor', onchange: choose },
      this.#drawing.plan.floors.map((one) => h('option', { value: one.floor, selected: one.floor === this.#drawing.floor }, floorName(one))),
      h('option', { value: 'above' }, localized('Add a floor above')), h('option', { value: 'below' }, localized('Add a floor below')));
    return h('p', { class: 'field' }, h('label', { for: 'floor' }, localized('Floor')), floor,
      h('input', { value: this.#drawing.storey.name ?? '', placeholder: localized('Name of the floor'), 'aria-label': localized('Name of the floor'), maxlength: 120, onchange: (event) => {
        this.#drawing.nameFloor(event.target.value.trim());
        floor.selectedOptions[0].text = floorName(this.#drawing.storey);
        this.#draw();
      } }));
  }
  #rooms() {
    const { rooms } = this.#drawing;
    return h('section', { 'aria-label': localized('Rooms') }, h('h2', {}, localized('Rooms')), rooms.map((room) => this.#room(room)),
      rooms.length ? null : h('p', { class: 'none' }, localized('Choose a picture of the floor, or draw the first room.')), this.#newRoom());
  }
  #room(room) {
    const size = sizeOf(room.polygon_m);
    return h('p', { class: `roomrow${room === this.#drawing.chosen ? ' chosen' : ''}` },
      h('input', { value: room.name, 'aria-label': localized('Name of {room}', { room: room.name }), maxlength: 120, onfocus: () => this.#chooseRoom(room), onchange: (event) => this.#rename(room, event.target) }),
      size && h('input', { class: 'size', value: sizeText(size), 'aria-label': localized('Size of {room} in metres', { room: room.name }), onfocus: () => this.#chooseRoom(room), onchange: (event) => this.#resize(room, event.target) }),
      h('button', { type: 'button', class: 'small quiet', 'aria-label': localized('Remove {name}', { name: room.name }), onclick: () => { this.#drawing.removeRoom(room); this.#refresh(); } }, '×'));
  }
  #resize(room, input) {
    const size = parseSize(input.value);
    if (size) this.#drawing.resize(room, size);
    else toast(NO_SIZE, 'problem');
    // In place, like a name: what is being clicked would not get its click.
    input.value = sizeText(sizeOf(room.polygon_m));
    this.#draw();
  }
  #newRoom() {
    const input = h('input', { 'aria-label': localized('Size of a new room in metres'), placeholder: localized('Size: 4 x 3 m') });
    return h('form', { class: 'roomrow', onsubmit: (event) => {
      event.preventDefault();
      const size = parseSize(input.value);
      if (!size) return toast(NO_SIZE, 'problem');
      this.#closeRoom(this.#drawing.beside(size));
      this.#fit();
    } }, input, h('button', { class: 'small' }, localized('Add a room')));
  }
  #chooseRoom(room) {
    if (this.#drawing.chosen === room) return;
    this.#drawing.chosen = room;
    this.#draw();
  }
  #rename(room, input) {
    const before = room.name;
    const problem = this.#drawing.rename(room, input.value.trim(), publishedRoom);
    if (problem) toast(problem, 'problem');
    input.value = room.name;
    // In place: what is being clicked would not get its click if it was made anew.
    for (const one of input.parentNode.children) one.setAttribute('aria-label', one.getAttribute('aria-label').replace(before, () => room.name));
    for (const one of this.panel.querySelectorAll('[data-part=doors] option')) if (one.text === before) one.text = room.name;
    this.#draw();
  }
  #doors() {
    const names = this.#drawing.rooms.map((room) => room.name);
    if (names.length < 2) return null;
    const from = h('select', { 'aria-label': localized('Door from') }, names.map((name) => h('option', {}, name)));
    const to = h('select', { 'aria-label': localized('Door to') }, names.map((name, index) => h('option', { selected: index === 1 }, name)));
    return h('section', { 'aria-label': localized('Doors'), 'data-part': 'doors' }, h('h2', {}, localized('Doors')), h('p', { class: 'roomrow' }, from, to,
      h('button', { type: 'button', class: 'small', onclick: () => this.#addDoor(this.#drawing.wallBetween(from.value, to.value)) }, localized('Add'))));
  }
  #addDoor(found) {
    if (!found) return toast(localized('No wall between two rooms is near.'), 'problem');
    this.#drawing.addDoor(found);
    announce(localized('A door between {one} and {other}.', { one: found.between[0], other: found.between[1] }));
    this.#refresh();
  }
  #gateways() {
    const free = [...gateways.values()].filter((one) => !this.#drawing.plan.gateways.some((other) => other.id === one.id));
    if (!free.length) return null;
    const put = (one) => {
      const name = this.#drawing.servedRoom(one.id, one.room);
      const room = this.#drawing.rooms.find((other) => other.name === name);
      this.#drawing.addGateway(one.id, this.#drawing.vacant(room?.polygon_m, this.#sheet.middle, 36 / this.#sheet.scale));
      this.#use('move');
    };
    return h('section', { 'aria-label': localized('Gateways') }, h('h2', {}, localized('Gateways without a place')), free.map((one) => h('p', { class: 'roomrow' },
      h('span', {}, one.room ?? one.id), h('button', { type: 'button', class: 'small', onclick: () => put(one) }, localized('Place')))));
  }

  // Pointer and keyboard.
  #listen() {
    const { svg } = this.#sheet;
    svg.addEventListener('pointerdown', (event) => { if (!event.button && event.isPrimary) this.#begin(event); });
    // A click on the drawing takes the focus from nothing, least of all from a dialog that it opens.
    svg.addEventListener('mousedown', (event) => event.preventDefault());
    svg.addEventListener('focusin', (event) => {
      this.#held = event.target.dataset.handle ?? null;
      this.#showHeld();
    });
    svg.addEventListener('pointermove', (event) => {
      if (!this.#dragging) return;
      this.#dragging(event);
      this.#draw();
    });
    for (const end of ['pointerup', 'pointercancel']) svg.addEventListener(end, () => this.#end());
    zooms(svg, {
      zoom: (...how) => { this.#zoom(...how); return true; },
      pan: (dx, dy) => { this.#sheet.pan(dx, dy); this.#draw(); },
      onPinch: () => this.#giveUpPress(),
    });
  }
  // What the first of two fingers began was no drawing.
  #giveUpPress() {
    [this.#dragging, this.#outline, this.#marks] = [null, null, []];
    if (this.#drawing.text !== this.#pressed.text || this.#drawing.draft.length !== this.#pressed.corners) this.#drawing.undo();
    this.#refresh();
  }
  #begin(event) {
    this.#pressed = { text: this.#drawing.text, corners: this.#drawing.draft.length };
    const at = this.#sheet.place(event);
    switch (this.#tool) {
      case 'rectangle': return this.#span(event, at);
      case 'room': return this.#addCorner(at);
      case 'door': {
        const found = wall(at, this.#drawing.rooms);
        return this.#addDoor(found?.distance > 0.8 ? null : found);
      }
      case 'scale': return this.#mark(at);
      default: return this.#drag(event, at);
    }
  }
  // Draws a rectangle from here to where the pointer goes.
  #span(event, at) {
    const [sheet, drawing] = [this.#sheet, this.#drawing];
    sheet.svg.setPointerCapture(event.pointerId);
    const from = drawing.snap(at, SNAP / sheet.scale);
    this.#dragging = (moved) => { this.#outline = rectangle(from, drawing.snap(sheet.place(moved), SNAP / sheet.scale)); };
  }
  #addCorner(at) {
    const { draft } = this.#drawing;
    const near = SNAP / this.#sheet.scale;
    const corner = this.#drawing.snap(at, near, { before: draft.at(-1) });
    if (draft.length > 2 && Math.hypot(draft[0][0] - corner[0], draft[0][1] - corner[1]) < near) return this.#closeRoom();
    this.#drawing.remember();
    draft.push(corner);
    this.#draw();
  }
  #closeRoom(corners) {
    const problem = this.#drawing.closeRoom([...(state.site?.rooms ?? []), ...[...gateways.values()].map((one) => one.room)], corners);
    if (problem) toast(problem, 'problem');
    if (problem != null) return this.#draw();
    this.#refresh();
    this.panel.querySelector('.roomrow.chosen input')?.select();
  }
  #drag(event, at) {
    const sheet = this.#sheet;
    event.preventDefault();
    sheet.touched = event.pointerType === 'touch' && event.target !== sheet.svg ? event.target : null;
    sheet.svg.setPointerCapture(event.pointerId);
    const key = event.target.closest('[data-handle]')?.dataset.handle;
    if (key) {
      this.#drawing.remember();
      const grip = this.#drawing.grip(key);
      this.#dragging = (moved) => {
        const to = sheet.place(moved);
        grip.set(grip.but ? this.#drawing.snap(to, SNAP / sheet.scale, grip) : onGrid(to));
      };
      sheet.focus(key);
    } else {
      this.#held = null;
      const room = this.#drawing.roomAt(at);
      if (room !== this.#drawing.chosen) {
        this.#drawing.chosen = room;
        this.#refresh();
      }
      this.#dragging = sheet.drag(event);
    }
  }
  #end() {
    if (this.#dragging) this.#draggedAt = performance.now();
    const corners = this.#outline;
    [this.#dragging, this.#outline] = [null, null];
    if (corners) {
      if (sizeOf(corners)) this.#closeRoom(corners); else this.#draw();
    }
    setTimeout(() => {
      if (!this.#sheet.touched || this.#dragging) return;
      this.#sheet.touched = null;
      this.#draw();
    }, TAP);
  }
  // A browser may swallow the tap that follows a drag: its gesture recognition takes both for one gesture. The touch itself arrives.
  #rescueTaps() {
    let pressed = null;
    this.element.addEventListener('pointerdown', (event) => {
      const isSoon = event.pointerType === 'touch' && performance.now() - this.#draggedAt < 1500;
      pressed = isSoon ? event.target.closest('button') : null;
    });
    this.element.addEventListener('pointerup', () => {
      const button = pressed;
      pressed = null;
      if (!button) return;
      const timer = setTimeout(() => button.click(), TAP);
      button.addEventListener('click', () => clearTimeout(timer), { once: true, capture: true });
    });
    this.element.addEventListener('pointercancel', () => { pressed = null; });
  }
  #press(event) {
    if (event.target.closest('input, dialog, select')) return;
    if (event.ctrlKey || event.metaKey) {
      const change = { z: () => this.#undo(), Z: () => this.#redo(), y: () => this.#redo() }[event.key];
      if (change) event.preventDefault();
      return change?.();
    }
    if (event.key === 'Enter' && this.#tool === 'room') return this.#closeRoom();
    if (event.key === 'Escape') { this.#marks = []; return this.#use('move'); }
    const key = event.target.dataset?.handle;
    if (!key) return;
    const step = event.shiftKey ? 1 : STEP;
    const move = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] }[event.key];
    const isRemoval = event.key === 'Delete' || event.key === 'Backspace';
    const grip = this.#drawing.grip(key);
    const isNew = (event.key === 'Insert' || event.key === '+') && grip.split;
    if (!move && !isRemoval && !isNew) return;
    event.preventDefault();
    if (isNew) return this.#split(key);
    if (isRemoval) return this.#remove(key);
    this.#drawing.remember();
    const at = [tidy(grip.at[0] + move[0]), tidy(grip.at[1] + move[1])];
    grip.set(at);
    this.#draw();
    announce(position(at));
  }
  #split(key) {
    this.#drawing.remember();
    const added = this.#drawing.grip(key).split();
    this.#refresh();
    this.#sheet.focus(added);
  }
  #remove(key) {
    this.#drawing.remember();
    const problem = this.#drawing.grip(key).remove();
    if (problem) toast(problem, 'problem'); else this.#refresh();
  }

  #undo() {
    if (!this.#drawing.undo()) return toast(localized('There is nothing to undo.'));
    if (this.#drawing.draft.length) this.#tool = 'room';
    this.#refresh();
  }
  #redo() {
    if (!this.#drawing.redo()) return toast(localized('There is nothing to do again.'));
    this.#refresh();
  }
  #discard() {
    this.#marks = [];
    this.#tool = 'move';
    this.#drawing.discard();
    this.#loadPictures();
    this.#refresh();
  }

  // The picture below the floor.
  #loadPictures() { this.#pictures.load(this.#drawing.plan.pictures, () => this.#refresh()); }
  async #choosePicture(file) {
    const [chosen] = file.files;
    file.value = '';
    const picture = chosen && await this.#pictures.choose(chosen, this.#drawing.plan);
    if (!picture) return;
    this.#drawing.setPicture(picture);
    this.#use('scale');
  }
  #removePicture() {
    this.#drawing.setPicture();
    this.#use('move');
  }
  async #mark(at) {
    this.#marks.push(at);
    this.#draw();
    if (this.#marks.length !== 2) return;
    const growth = await this.#pictures.measure(this.#marks);
    this.#marks = [];
    const { picture } = this.#drawing;
    if (growth) {
      this.#drawing.setPicture({ ...picture, width_m: picture.width_m * growth });
      toast(localized('The picture is now {width} m wide.', { width: decimal(picture.width_m * growth) }));
    }
    this.#use(growth && !this.#drawing.rooms.length ? 'room' : 'move');
    if (growth) this.#sheet.scale /= growth;
    this.#draw();
  }

  async #save() {
    const drawing = this.#drawing;
    if (drawing.draft.length) return toast(localized('The room that you draw is not closed: choose its first corner again, or drop it with Undo.'), 'problem');
    // A second press while the first is under way would save over the first, which the server refuses.
    if (this.#isSaving) return;
    this.#isSaving = true;
    const settled = drawing.settleGateways(publishedRoom).map(({ id, room }) => localized('The gateway {gateway} serves {room} now, in which it stands.', { gateway: id, room }));
    const sent = drawing.text;
    try {
      const { floors, doors, gateways: placed, pictures } = JSON.parse(sent);
      this.#revision = await call('PUT', 'plan', { floors: floors.filter((one) => one.rooms.length), doors, gateways: placed, pictures: await this.#pictures.store(pictures) }, { match: this.#revision }) ?? this.#revision;
      this.#wasSaved(sent);
      // What is opened now has the saved plan; the stream brings it later.
      await get('site', SOON).then((site) => apply('site', site), () => {});
      toast([localized('The plan is saved.'), ...settled].join(' '));
      if (this.element.isConnected) location.hash = '#/';
    } catch (problem) {
      if (problem.status === 412) return this.#offerOther();
      toast(problem.message, 'problem');
    } finally {
      this.#isSaving = false;
    }
  }
  async #offerOther() {
    const isAccepted = await dialog(localized('Another plan'), (close) => h('form', { onsubmit: (event) => { event.preventDefault(); close(true); } },
      h('h2', {}, localized('Somebody else has saved another plan')), h('p', {}, localized('Your drawing is not saved. Load the other plan to go on with it; Undo then brings back your drawing.')),
      h('div', { class: 'buttons end' }, h('button', { type: 'button', onclick: () => close() }, localized('Keep my drawing')), h('button', { class: 'main', autofocus: true }, localized('Load the other plan')))));
    if (!isAccepted) return;
    this.#revision = state.site?.plan_revision;
    this.#drawing.wasSaved(new Drawing(state.site?.plan).text);
    this.#discard();
  }
  #wasSaved(text) {
    this.#drawing.wasSaved(text);
    this.#draw();
  }
  #download() {
    this.#drawing.settleGateways(publishedRoom);
    download('plan.toml', toml(this.#drawing.plan, publishedRoom), 'application/toml');
    // Where the page cannot save, the file is what is kept.
    if (!this.#canSave) this.#wasSaved();
    toast(localized('Put the tables of plan.toml into aggregator.toml, instead of its rooms, doors and gateways, and reload the aggregator.'));
  }
}
