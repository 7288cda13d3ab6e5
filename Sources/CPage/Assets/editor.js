// The plan editor: rooms drawn over a picture, doors, gateways dragged into place.

import { h, s, setText, toast, dialog, announce, unsaved } from './dom.js';
import { state, gateways, subscribe, isAdmin } from './store.js';
import { call } from './api.js';
import { bounds, doorLine, fitted, inside, labelPoint } from './plan.js';

const STEP = 0.05;
const SNAP = 11;
const UNDO = 100;
// A browser reports a tap within this time, in ms.
const TAP = 350;
// Pictures are made smaller before they are sent, in px.
const LARGEST = 2000;
const round = (value) => Math.round(value / STEP) * STEP;
const tidy = (value) => Number(value.toFixed(2));
const text = (value) => JSON.stringify(String(value));

// The tables of aggregator.toml for a plan.
export function toml(plan, roomOf) {
  const point = ([x, y]) => `[${tidy(x).toFixed(2)}, ${tidy(y).toFixed(2)}]`;
  const tables = [];
  for (const { floor, rooms } of plan.floors) {
    for (const room of rooms) tables.push(`[[room]]\nname = ${text(room.name)}\nfloor = ${floor}\npolygon_m = [${room.polygon_m.map(point).join(', ')}]`);
  }
  for (const door of plan.doors) tables.push(`[[door]]\nbetween = [${door.between.map(text).join(', ')}]${door.at_m ? `\nat_m = ${point(door.at_m)}` : ''}`);
  for (const one of plan.gateways) {
    const room = roomOf(one.id);
    tables.push(`[[gateway]]\nid = ${text(one.id)}${room ? `\nroom = ${text(room)}` : ''}\nposition_m = ${point([one.x_m, one.y_m])}\nfloor = ${one.floor ?? 0}`);
  }
  return `${tables.join('\n\n')}\n`;
}

const middle = (polygon) => polygon.reduce(([x, y], [a, b]) => [x + a / polygon.length, y + b / polygon.length], [0, 0]);

// An editor that was left with a drawing that is not saved: it goes on where it was.
let kept = null;

export function open() {
  if (kept) return kept;
  let plan = structuredClone(state.site?.plan ?? { floors: [{ floor: 0, rooms: [] }], doors: [], gateways: [] });
  if (!plan.floors.length) plan.floors.push({ floor: 0, rooms: [] });
  let saved = JSON.stringify(plan);
  let floor = plan.floors.some((one) => one.floor === 0) ? 0 : plan.floors[0].floor;
  let tool = 'move';
  let chosen = null;
  let draft = [];
  let marks = [];
  let dragging = null;
  // What a finger touched stays in the document until the finger is lifted: the events of a touch go to it.
  let touched = null;
  let draggedAt = -Infinity;
  let arePicturesNew = false;
  const isChanged = () => draft.length > 0 || arePicturesNew || JSON.stringify(plan) !== saved;
  const past = [];
  // By floor: where the picture is, and its blob until it is stored.
  const pictures = new Map();
  let view = { left: -1, top: 9, scale: 60 };

  const rooms = () => plan.floors.find((one) => one.floor === floor).rooms;
  const doors = () => plan.doors.filter((door) => (door.floor ?? 0) === floor);
  const placed = () => plan.gateways.filter((one) => (one.floor ?? 0) === floor);
  const remember = () => {
    const now = JSON.stringify({ plan, draft });
    if (past.at(-1) !== now) past.push(now);
    if (past.length > UNDO) past.shift();
  };

  const svg = s('svg', { class: 'plan', role: 'group', 'aria-label': 'Plan to edit' });
  const box = h('div', { class: 'canvas' }, svg);
  const hint = h('p', { class: 'none', role: 'status' });
  const panel = h('div', { class: 'editpanel' });
  const file = h('input', { type: 'file', id: 'picture', accept: 'image/*', class: 'hidden', onchange: () => choosePicture(file.files[0]) });

  const pixel = ([x, y]) => [(x - view.left) * view.scale, (view.top - y) * view.scale];
  const metre = (x, y) => [x / view.scale + view.left, view.top - y / view.scale];
  const place = (event) => {
    const { left, top } = svg.getBoundingClientRect();
    return metre(event.clientX - left, event.clientY - top);
  };

  function fit() {
    const { width, height } = box.getBoundingClientRect();
    if (!width) return;
    const edge = bounds({ floors: plan.floors, gateways: plan.gateways });
    view.scale = Math.min((width - 60) / (edge.right - edge.left), (height - 60) / (edge.top - edge.bottom));
    view.left = edge.left - (width / view.scale - (edge.right - edge.left)) / 2;
    view.top = edge.top + (height / view.scale - (edge.top - edge.bottom)) / 2;
    draw();
  }

  // Corners attract each other, so that rooms touch; otherwise the grid of 5 cm counts, and the lines of the corner before.
  function snap([x, y], { but, before } = {}) {
    const near = SNAP / view.scale;
    for (const room of rooms()) {
      for (const corner of room.polygon_m) if (corner !== but && Math.hypot(corner[0] - x, corner[1] - y) < near) return [...corner];
    }
    let [sx, sy] = [round(x), round(y)];
    for (const room of rooms()) {
      for (const corner of room.polygon_m) {
        if (corner === but) continue;
        if (Math.abs(corner[0] - x) < near / 2) sx = corner[0];
        if (Math.abs(corner[1] - y) < near / 2) sy = corner[1];
      }
    }
    if (before && Math.abs(before[0] - x) < near) sx = before[0];
    if (before && Math.abs(before[1] - y) < near) sy = before[1];
    return [tidy(sx), tidy(sy)];
  }

  const hints = {
    move: 'Drag corners, doors and gateways. With the keyboard: Tab to one of them, then the arrow keys; Delete removes it.',
    room: 'Click the corners of a room, one after the other. Click the first corner or press Enter to close it.',
    door: 'Click a wall between two rooms.',
    scale: 'Click two points of the picture whose distance you know.',
  };

  function draw() {
    // Disabled and not hidden: nothing moves below a finger that drags.
    discard.disabled = !isChanged();
    if (isChanged()) unsaved.add(element); else unsaved.delete(element);
    const { width, height } = box.getBoundingClientRect();
    svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    const focused = document.activeElement?.dataset?.handle;
    const parts = [];
    const picture = pictures.get(floor);
    if (picture) {
      const [x, y] = pixel([picture.x, picture.y]);
      parts.push(s('image', { href: picture.url, x, y, width: picture.width * view.scale, height: picture.width * picture.ratio * view.scale, opacity: 0.55, preserveAspectRatio: 'none' }));
    }
    const points = (polygon) => polygon.map((corner) => pixel(corner).map((value) => value.toFixed(1)).join()).join(' ');
    for (const room of rooms()) parts.push(s('polygon', { class: `room${room === chosen ? ' chosen' : ''}${picture ? ' clear' : ''}`, points: points(room.polygon_m) }));
    for (const door of doors()) {
      const line = doorLine(door, rooms());
      if (!line) continue;
      const [[x1, y1], [x2, y2]] = line.map(pixel);
      parts.push(s('line', { class: 'door', x1, y1, x2, y2 }));
    }
    for (const room of rooms()) {
      const at = labelPoint(room.polygon_m, 18 / view.scale, placed(), 70 / view.scale);
      const [x, y] = pixel(at);
      parts.push(s('text', { class: 'roomname', x, y: y + 4 }, fitted(room.name, at[2] * view.scale)));
    }
    if (draft.length) parts.push(s('polyline', { class: 'draft', points: points(draft) }));
    for (const corner of draft) { const [cx, cy] = pixel(corner); parts.push(s('circle', { class: 'handle', cx, cy, r: 5 })); }
    for (const mark of marks) { const [cx, cy] = pixel(mark); parts.push(s('circle', { class: 'handle', cx, cy, r: 5 })); }
    if (tool === 'move') {
      const handle = (key, at, label, shape) => {
        const [x, y] = pixel(at);
        const group = s('g', { class: 'grip', transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`, tabindex: 0, role: 'button', 'aria-label': `${label}, ${tidy(at[0])} m, ${tidy(at[1])} m`, 'data-handle': key }, s('circle', { class: 'reach', r: 16 }), shape);
        parts.push(group);
      };
      rooms().forEach((room, number) => {
        if (chosen && room !== chosen) return;
        room.polygon_m.forEach((corner, index) => handle(`corner ${number} ${index}`, corner, `Corner ${index + 1} of ${room.name}`, s('circle', { class: 'handle', r: 5 })));
      });
      doors().forEach((door) => { if (door.at_m) handle(`door ${plan.doors.indexOf(door)}`, door.at_m, `Door between ${door.between.join(' and ')}`, s('rect', { class: 'handle', x: -5, y: -5, width: 10, height: 10, rx: 2 })); });
    }
    for (const one of placed()) {
      const [x, y] = pixel([one.x_m, one.y_m]);
      // In its own room the label would only repeat the room's name.
      const label = gateways.get(one.id)?.room ?? one.id;
      const shape = [s('circle', { class: 'reach', r: 16 }), s('rect', { x: -7, y: -7, width: 14, height: 14, rx: 4 }), s('circle', { r: 2.2 }), label !== rooms().find((room) => inside([one.x_m, one.y_m], room.polygon_m))?.name ? s('text', { class: 'label', x: 12, y: 4 }, fitted(label, 120)) : null];
      parts.push(s('g', { class: 'gateway grip', transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`, ...(tool === 'move' ? { tabindex: 0, role: 'button', 'aria-label': `Gateway ${one.id}, ${tidy(one.x_m)} m, ${tidy(one.y_m)} m`, 'data-handle': `gateway ${plan.gateways.indexOf(one)}` } : {}) }, shape));
    }
    if (touched) {
      touched.setAttribute('visibility', 'hidden');
      parts.unshift(touched);
    }
    svg.replaceChildren(...parts);
    if (focused) svg.querySelector(`[data-handle="${focused}"]`)?.focus({ preventScroll: true });
    setText(hint, hints[tool]);
    svg.dataset.tool = tool;
  }

  // What a handle moves: reads and writes its position.
  function grip(key) {
    const [kind, a, b] = key.split(' ');
    if (kind === 'corner') {
      const room = rooms()[a];
      // A corner that several rooms share moves with all of them.
      const corner = room.polygon_m[b];
      const shared = rooms().flatMap((other) => other.polygon_m.filter((one) => one[0] === corner[0] && one[1] === corner[1]));
      return { at: corner, but: corner, set: ([x, y]) => { for (const one of shared) [one[0], one[1]] = [x, y]; }, remove() { if (room.polygon_m.length > 3) room.polygon_m.splice(b, 1); else toast('A room has at least three corners.', 'problem'); } };
    }
    if (kind === 'door') {
      const door = plan.doors[a];
      return { at: door.at_m, set: (at) => { door.at_m = wall(at, door.between)?.at ?? door.at_m; }, remove() { plan.doors.splice(a, 1); } };
    }
    const one = plan.gateways[a];
    return { at: [one.x_m, one.y_m], set: ([x, y]) => { one.x_m = x; one.y_m = y; }, remove() { plan.gateways.splice(a, 1); } };
  }

  // The nearest point of a wall that two rooms share.
  function wall([x, y], between) {
    let best = null;
    const all = rooms();
    for (const room of all) {
      if (between && !between.includes(room.name)) continue;
      room.polygon_m.forEach(([ax, ay], index) => {
        const [bx, by] = room.polygon_m[(index + 1) % room.polygon_m.length];
        const length = Math.hypot(bx - ax, by - ay) || 1;
        const along = Math.max(0.3, Math.min(length - 0.3, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length));
        const at = [ax + ((bx - ax) * along) / length, ay + ((by - ay) * along) / length];
        const [nx, ny] = [(-(by - ay) / length) * 0.15, ((bx - ax) / length) * 0.15];
        const sides = [[at[0] + nx, at[1] + ny], [at[0] - nx, at[1] - ny]].map((side) => all.find((one) => inside(side, one.polygon_m))?.name);
        if (!sides[0] || !sides[1] || sides[0] === sides[1] || (between && !sides.every((side) => between.includes(side)))) return;
        const distance = Math.hypot(at[0] - x, at[1] - y);
        if (!best || distance < best.distance) best = { distance, at: at.map(tidy), between: sides };
      });
    }
    return best;
  }

  function addDoor(found) {
    if (!found || found.distance > 0.8) return toast('No wall between two rooms is near.', 'problem');
    remember();
    plan.doors.push({ between: found.between, at_m: found.at, floor });
    announce(`A door between ${found.between.join(' and ')}.`);
    refresh();
  }

  function closeRoom() {
    remember();
    if (draft.length < 3) { draft = []; return draw(); }
    // As SiteConfiguration.mostOutlines: the service refuses more.
    if (plan.floors.reduce((sum, one) => sum + one.rooms.length, 0) >= 400) {
      draft = [];
      draw();
      return toast('The plan has 400 rooms, which is the most: remove one first.', 'problem');
    }
    const free = [...new Set([...(state.site?.rooms ?? []), ...[...gateways.values()].map((one) => one.room)])].find((name) => name && !plan.floors.some((one) => one.rooms.some((room) => room.name === name)));
    const room = { name: free ?? `Room ${plan.floors.reduce((sum, one) => sum + one.rooms.length, 1)}`, polygon_m: draft };
    rooms().push(room);
    draft = [];
    chosen = room;
    use('move');
    panel.querySelector('.roomrow.chosen input')?.select();
  }

  svg.addEventListener('pointerdown', (event) => {
    if (event.button) return;
    const at = place(event);
    const key = event.target.closest('[data-handle]')?.dataset.handle;
    if (tool === 'room') {
      const corner = snap(at, { before: draft.at(-1) });
      if (draft.length > 2 && Math.hypot(draft[0][0] - corner[0], draft[0][1] - corner[1]) < SNAP / view.scale) return closeRoom();
      remember();
      draft.push(corner);
      return draw();
    }
    if (tool === 'door') return addDoor(wall(at));
    if (tool === 'scale') {
      marks.push(at);
      draw();
      if (marks.length === 2) measure();
      return;
    }
    event.preventDefault();
    touched = event.pointerType === 'touch' && event.target !== svg ? event.target : null;
    svg.setPointerCapture(event.pointerId);
    if (key) {
      remember();
      dragging = { grip: grip(key) };
      svg.querySelector(`[data-handle="${key}"]`)?.focus({ preventScroll: true });
    } else {
      const room = rooms().findLast((one) => inside(at, one.polygon_m)) ?? null;
      if (room !== chosen) { chosen = room; refresh(); }
      dragging = { from: [event.clientX, event.clientY], left: view.left, top: view.top };
    }
  });
  // A click on the drawing takes the focus from nothing, least of all from a dialog that it opens.
  svg.addEventListener('mousedown', (event) => event.preventDefault());
  svg.addEventListener('pointermove', (event) => {
    if (!dragging) return;
    if (dragging.grip) dragging.grip.set(dragging.grip.but ? snap(place(event), dragging.grip) : place(event).map((value) => tidy(round(value))));
    else {
      view.left = dragging.left - (event.clientX - dragging.from[0]) / view.scale;
      view.top = dragging.top + (event.clientY - dragging.from[1]) / view.scale;
    }
    draw();
  });
  for (const end of ['pointerup', 'pointercancel']) svg.addEventListener(end, () => {
    if (dragging) draggedAt = performance.now();
    dragging = null;
    setTimeout(() => { if (touched && !dragging) { touched = null; draw(); } }, TAP);
  });
  svg.addEventListener('wheel', (event) => {
    event.preventDefault();
    const { left, top } = svg.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY / 500), event.clientX - left, event.clientY - top);
  }, { passive: false });
  function zoom(factor, x = box.clientWidth / 2, y = box.clientHeight / 2) {
    const [mx, my] = metre(x, y);
    view.scale = Math.max(4, Math.min(400, view.scale * factor));
    view.left = mx - x / view.scale;
    view.top = my + y / view.scale;
    draw();
  }

  const keys = (event) => {
    if (event.target.closest('input, dialog, select')) return;
    if (event.key === 'z' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); return undo(); }
    if (event.key === 'Enter' && tool === 'room') return closeRoom();
    if (event.key === 'Escape') { marks = []; return use('move'); }
    const key = event.target.dataset?.handle;
    if (!key) return;
    const step = event.shiftKey ? 1 : STEP;
    const move = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] }[event.key];
    if (move) {
      event.preventDefault();
      remember();
      const one = grip(key);
      const at = [tidy(one.at[0] + move[0]), tidy(one.at[1] + move[1])];
      one.set(at);
      draw();
      announce(`${at[0]} m, ${at[1]} m`);
    }
    if (event.key === 'Delete' || event.key === 'Backspace') { event.preventDefault(); remember(); grip(key).remove(); refresh(); }
  };

  function undo() {
    const before = past.pop();
    if (!before) return toast('There is nothing to undo.');
    show(JSON.parse(before));
  }

  function show(before) {
    ({ plan, draft } = before);
    if (draft.length) tool = 'room';
    if (!plan.floors.some((one) => one.floor === floor)) floor = plan.floors[0].floor;
    chosen = null;
    refresh();
  }

  async function choosePicture(chosenFile) {
    file.value = '';
    if (!chosenFile) return;
    let image;
    try { image = await createImageBitmap(chosenFile); } catch { return toast(`${chosenFile.name} is no picture that this browser shows.`, 'problem'); }
    // Drawn anew, so that a photograph does not carry where it was taken.
    const share = Math.min(1, LARGEST / Math.max(image.width, image.height));
    const canvas = h('canvas', { width: Math.max(1, Math.round(image.width * share)), height: Math.max(1, Math.round(image.height * share)) });
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((done) => canvas.toBlob(done, 'image/webp', 0.85));
    const edge = bounds(plan);
    pictures.set(floor, { url: URL.createObjectURL(blob), blob, ratio: canvas.height / canvas.width, x: edge.left, y: edge.top, width: edge.right - edge.left });
    arePicturesNew = true;
    use('scale');
  }

  // The pictures of the stored plan.
  async function loadPictures() {
    for (const one of state.site?.plan?.pictures ?? []) {
      const image = new Image();
      image.src = `api/v1/plan/pictures/${one.name}`;
      try { await image.decode(); } catch { continue; }
      if (!pictures.has(one.floor)) pictures.set(one.floor, { url: image.src, name: one.name, ratio: image.naturalHeight / image.naturalWidth, x: one.x_m, y: one.y_m, width: one.width_m });
      refresh();
    }
  }

  function removePicture() {
    pictures.delete(floor);
    arePicturesNew = true;
    use('move');
  }

  async function measure() {
    const [a, b] = marks;
    const picture = pictures.get(floor);
    const now = Math.hypot(a[0] - b[0], a[1] - b[1]);
    const metres = await dialog('Scale', (close) => {
      const input = h('input', { id: 'metres', inputmode: 'decimal', required: true, autofocus: true, autocomplete: 'off' });
      return h('form', { onsubmit: (event) => { event.preventDefault(); const value = Number(input.value.replace(',', '.')); if (value > 0 && value < 1000) close(value); } },
        h('h2', {}, 'How far apart are the two points?'), h('label', { for: 'metres' }, 'Metres'), input,
        h('div', { class: 'buttons end' }, h('button', { type: 'button', onclick: () => close() }, 'Cancel'), h('button', { class: 'main' }, 'Set the scale')));
    });
    marks = [];
    if (metres && now > 0) {
      arePicturesNew = true;
      picture.width *= metres / now;
      toast(`The picture is now ${tidy(picture.width)} m wide.`);
      use(rooms().length ? 'move' : 'room');
      view.scale *= now / metres;
    } else use('move');
    draw();
  }

  function use(name) {
    tool = name;
    if (name !== 'room' && draft.length) { remember(); draft = []; }
    refresh();
  }

  function refresh() {
    const button = (name, label) => h('button', { type: 'button', 'aria-pressed': String(tool === name), onclick: () => use(name) }, label);
    const free = [...gateways.values()].filter((one) => !plan.gateways.some((other) => other.id === one.id));
    const names = rooms().map((room) => room.name);
    const from = h('select', { 'aria-label': 'Door from' }, names.map((name) => h('option', {}, name)));
    const to = h('select', { 'aria-label': 'Door to' }, names.map((name, index) => h('option', { selected: index === 1 }, name)));
    tools.replaceChildren(...[button('move', 'Move'), button('room', 'Draw a room'), button('door', 'Door'), ...(pictures.has(floor) ? [button('scale', 'Scale'), h('button', { type: 'button', onclick: removePicture }, 'Remove picture')] : [])]);
    const floors = h('p', { class: 'field' }, h('label', { for: 'floor' }, 'Floor'), h('select', { id: 'floor', onchange: (event) => {
      if (event.target.value === 'new') {
        remember();
        const next = Math.max(...plan.floors.map((one) => one.floor)) + 1;
        plan.floors.push({ floor: next, rooms: [] });
        floor = next;
      } else floor = Number(event.target.value);
      chosen = null;
      refresh();
    } }, plan.floors.map((one) => h('option', { value: one.floor, selected: one.floor === floor }, one.floor === 0 ? 'Ground floor' : `Floor ${one.floor}`)), h('option', { value: 'new' }, 'Add a floor')));
    panel.replaceChildren(...[floors,
      h('section', { 'aria-label': 'Rooms' }, h('h2', {}, 'Rooms'), rooms().map((room) => h('p', { class: `roomrow${room === chosen ? ' chosen' : ''}` },
        h('input', { value: room.name, 'aria-label': `Name of ${room.name}`, maxlength: 120, onfocus: () => { if (chosen !== room) { chosen = room; draw(); } }, onchange: (event) => rename(room, event.target) }),
        h('button', { type: 'button', class: 'small quiet', 'aria-label': `Remove ${room.name}`, onclick: () => { remember(); rooms().splice(rooms().indexOf(room), 1); plan.doors = plan.doors.filter((door) => !door.between.includes(room.name)); refresh(); } }, 'Remove'))),
      rooms().length ? null : h('p', { class: 'none' }, 'Choose a picture of the floor, or draw the first room.')),
      names.length > 1 ? h('section', { 'aria-label': 'Doors' }, h('h2', {}, 'Doors'), h('p', { class: 'roomrow' }, from, to, h('button', { type: 'button', class: 'small', onclick: () => {
        const found = from.value !== to.value && wall(middle(rooms().find((room) => room.name === from.value).polygon_m), [from.value, to.value]);
        addDoor(found ? { ...found, distance: 0 } : null);
      } }, 'Add'))) : null,
      free.length ? h('section', { 'aria-label': 'Gateways' }, h('h2', {}, 'Gateways without a place'), free.map((one) => h('p', { class: 'roomrow' }, h('span', {}, one.room ?? one.id), h('button', { type: 'button', class: 'small', onclick: () => {
        remember();
        const [x, y] = vacant(rooms().find((room) => room.name === one.room)?.polygon_m);
        plan.gateways.push({ id: one.id, x_m: x, y_m: y, floor });
        use('move');
      } }, 'Place')))) : null].filter(Boolean));
    draw();
  }

  // The middle of a room, or of the view, or the nearest place beside it where no gateway is.
  function vacant(polygon) {
    const [x, y] = middle(polygon ?? [metre(box.clientWidth / 2, box.clientHeight / 2)]);
    for (let turn = 0; turn < 400; turn++) {
      const [angle, radius] = [turn * 2.399963, (12 / view.scale) * Math.sqrt(turn)];
      const at = [tidy(x + radius * Math.cos(angle)), tidy(y + radius * Math.sin(angle))];
      if ((!polygon || inside(at, polygon)) && placed().every((one) => Math.hypot(one.x_m - at[0], one.y_m - at[1]) > 36 / view.scale)) return at;
    }
    return [tidy(x), tidy(y)];
  }

  function rename(room, input) {
    const name = input.value.trim();
    if (!name || plan.floors.some((one) => one.rooms.some((other) => other !== room && other.name === name))) {
      toast(name ? `There is a room ${name} already.` : 'A room needs a name.', 'problem');
      input.value = room.name;
      return;
    }
    remember();
    for (const door of plan.doors) door.between = door.between.map((one) => (one === room.name ? name : one));
    room.name = name;
    draw();
  }

  async function save() {
    if (draft.length) return toast('The room that you draw is not closed: click its first corner or press Enter. Escape drops it.', 'problem');
    const sent = JSON.stringify(plan);
    try {
      for (const picture of pictures.values()) {
        if (!picture.name) picture.name = (await call('POST', 'plan/pictures', picture.blob, { raw: true })).name;
      }
      await call('PUT', 'plan', {
        floors: plan.floors.filter((one) => one.rooms.length), doors: plan.doors, gateways: plan.gateways,
        pictures: [...pictures].map(([at, one]) => ({ floor: at, name: one.name, x_m: tidy(one.x), y_m: tidy(one.y), width_m: tidy(one.width) })),
      });
      [saved, arePicturesNew] = [sent, false];
      draw();
      toast('The plan is saved.');
      location.hash = '#/';
    } catch (problem) {
      toast(problem.message, 'problem');
    }
  }

  function download() {
    const url = URL.createObjectURL(new Blob([toml(plan, (id) => gateways.get(id)?.room)], { type: 'application/toml' }));
    h('a', { href: url, download: 'plan.toml' }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
    // Where the page cannot save, the file is what is kept.
    if (!canSave) { [saved, arePicturesNew] = [JSON.stringify(plan), false]; draw(); }
    toast('Put the tables of plan.toml into aggregator.toml, instead of its rooms, doors and gateways, and reload the aggregator.');
  }

  const canSave = state.site?.plan_editable && isAdmin();
  const discard = h('button', { type: 'button', class: 'small quiet discard', onclick: () => {
    remember();
    if (arePicturesNew) { pictures.clear(); arePicturesNew = false; loadPictures(); }
    marks = [];
    tool = 'move';
    show({ plan: JSON.parse(saved), draft: [] });
  } }, 'Discard');
  const tools = h('div', { class: 'segments', role: 'group', 'aria-label': 'Tools' });
  const element = h('div', { class: 'page editor' },
    h('header', { class: 'pagehead' }, h('h1', {}, 'Floor plan'), h('div', { class: 'buttons' },
      h('button', { type: 'button', class: 'small quiet', onclick: undo }, 'Undo'), discard, file, h('label', { class: 'button small', for: 'picture' }, 'Picture'),
      h('button', { type: 'button', class: canSave ? 'small' : 'small main', onclick: download }, 'Download'), canSave ? h('button', { type: 'button', class: 'main small', onclick: save }, 'Save') : null)),
    canSave ? null : h('p', { class: 'lead' }, state.site?.plan_editable ? 'Only an administrator can save the plan.' : 'aggregator.toml has a plan, which takes precedence. Download the tables that you draw here, and put them there.'),
    h('div', { class: 'editbox' }, h('div', { class: 'drawing' }, h('div', { class: 'toolbar' }, tools, h('div', { class: 'segments' },
      h('button', { type: 'button', 'aria-label': 'Smaller', onclick: () => zoom(0.8) }, '−'), h('button', { type: 'button', 'aria-label': 'Larger', onclick: () => zoom(1.25) }, '+'), h('button', { type: 'button', onclick: fit }, 'Fit'))), box, hint), panel));
  // A browser may swallow the tap that follows a drag: its gesture recognition takes both for one gesture. The touch itself arrives.
  let pressed = null;
  element.addEventListener('pointerdown', (event) => {
    const isSoon = event.pointerType === 'touch' && performance.now() - draggedAt < 1500;
    pressed = isSoon ? event.target.closest('button') : null;
  });
  element.addEventListener('pointerup', () => {
    const button = pressed;
    pressed = null;
    if (!button) return;
    const timer = setTimeout(() => button.click(), TAP);
    button.addEventListener('click', () => clearTimeout(timer), { once: true, capture: true });
  });
  element.addEventListener('pointercancel', () => { pressed = null; });
  // A gateway that appears can be placed; its room may become known.
  let known = '';
  let leave;
  const follow = () => {
    const now = JSON.stringify([...gateways.values()].map((one) => [one.id, one.room]));
    if (now === known || dragging || panel.contains(document.activeElement)) return;
    known = now;
    refresh();
  };
  const watcher = new ResizeObserver(() => draw());
  const page = {
    element,
    attached() {
      follow();
      refresh();
      if (kept !== page) { fit(); loadPictures(); }
      leave = subscribe((changes) => { if (changes.gateways) follow(); });
      watcher.observe(box);
      document.addEventListener('keydown', keys);
      window.forgetmenot.editor = { plan: () => plan, pixel };
    },
    close() {
      // A name that is being typed counts.
      document.activeElement?.blur?.();
      leave?.();
      watcher.disconnect();
      document.removeEventListener('keydown', keys);
      kept = isChanged() ? page : null;
      if (kept) return toast('The plan is not saved. The editor keeps what you drew until you close this page.', 'problem');
      for (const picture of pictures.values()) if (picture.blob) URL.revokeObjectURL(picture.url);
    },
  };
  return page;
}
