import { test } from 'node:test';
import { deepEqual, equal, ok } from 'node:assert/strict';
import { Drawing, toml } from './drawing.js';

const plan = () => ({
  floors: [{ floor: 0, rooms: [{ name: 'Kitchen', polygon_m: [[0, 0], [4, 0], [4, 3], [0, 3]] }, { name: 'Hall', polygon_m: [[4, 0], [6, 0], [6, 3], [4, 3]] }] }],
  doors: [{ between: ['Kitchen', 'Hall'], at_m: [4, 1.5] }], gateways: [{ id: 'k', x_m: 1, y_m: 1 }],
});
const square = [[0, 5], [2, 5], [2, 7], [0, 7]];

test('an empty drawing has a ground floor, and is not changed', () => {
  const drawing = new Drawing();
  deepEqual([drawing.floor, drawing.rooms, drawing.isChanged], [0, [], false]);
});

test('each change can be undone, as often as there were changes', () => {
  const drawing = new Drawing(plan());
  for (let turn = 0; turn < 2; turn++) {
    equal(drawing.rename(drawing.rooms[0], 'Galley'), null);
    drawing.removeRoom(drawing.rooms[1]);
    deepEqual([drawing.rooms.length, drawing.plan.doors.length, drawing.isChanged], [1, 0, true]);
    ok(drawing.undo());
    deepEqual([drawing.rooms.length, drawing.plan.doors[0].between], [2, ['Galley', 'Hall']]);
    ok(drawing.undo());
    ok(!drawing.isChanged && !drawing.undo());
  }
});

test('more changes than the limit of undo drop the oldest', () => {
  const drawing = new Drawing(plan());
  for (let number = 0; number < 150; number++) drawing.addGateway(`g${number}`, [number / 10, 1]);
  let undone = 0;
  while (drawing.undo()) undone++;
  deepEqual([undone, drawing.plan.gateways.length], [100, 51]);
});

test('discarding gives the saved plan back, and can be undone itself', () => {
  const drawing = new Drawing(plan());
  drawing.removeRoom(drawing.rooms[0]);
  drawing.discard();
  ok(!drawing.isChanged && drawing.rooms.length === 2);
  ok(drawing.undo() && drawing.rooms.length === 1);
  drawing.wasSaved();
  ok(!drawing.isChanged);
});

test('what was changed while a plan was being saved is still a change', () => {
  const drawing = new Drawing(plan());
  drawing.addFloor();
  const sent = drawing.text;
  drawing.addGateway('x', [1, 1]);
  drawing.wasSaved(sent);
  ok(drawing.isChanged);
});

test('a floor has a name, and none again, each of which can be undone', () => {
  const drawing = new Drawing(plan());
  for (let time = 0; time < 2; time++) {
    drawing.nameFloor('Downstairs');
    deepEqual([drawing.storey.name, drawing.isChanged], ['Downstairs', true]);
    drawing.nameFloor('');
    ok(!('name' in drawing.storey) && !drawing.isChanged);
    ok(drawing.undo());
    deepEqual(drawing.storey.name, 'Downstairs');
    ok(drawing.undo() && !('name' in drawing.storey));
  }
});

test('a room of three corners or more gets the first free name', () => {
  const drawing = new Drawing(plan());
  drawing.draft = structuredClone(square).slice(0, 2);
  deepEqual([drawing.closeRoom(['Study']), drawing.rooms.length, drawing.draft], ['', 2, []]);
  drawing.draft = structuredClone(square);
  deepEqual([drawing.closeRoom(['Kitchen', undefined, 'Study']), drawing.chosen.name], [null, 'Study']);
  drawing.draft = structuredClone(square);
  deepEqual([drawing.closeRoom(['Study']), drawing.chosen.name], [null, 'Room 4']);
  // Also after others were removed.
  drawing.removeRoom(drawing.rooms[0]);
  for (const name of ['Room 5', 'Room 6']) {
    drawing.removeRoom(drawing.rooms[0]);
    drawing.draft = structuredClone(square);
    drawing.closeRoom();
    drawing.draft = structuredClone(square);
    deepEqual([drawing.closeRoom(), new Set(drawing.rooms.map((room) => room.name)).size], [null, drawing.rooms.length], name);
  }
});

test('the 401st room is refused', () => {
  const drawing = new Drawing();
  for (let number = 0; number < 401; number++) {
    drawing.draft = structuredClone(square);
    const problem = drawing.closeRoom();
    equal(problem === null, number < 400);
  }
  equal(drawing.rooms.length, 400);
});

test('a name is neither empty nor that of another room, on any floor', () => {
  const drawing = new Drawing(plan());
  const [kitchen] = drawing.rooms;
  ok(drawing.rename(kitchen, '') && drawing.rename(kitchen, 'Hall'));
  equal(drawing.rename(kitchen, 'Kitchen'), null);
  drawing.addFloor();
  drawing.draft = structuredClone(square);
  drawing.closeRoom();
  deepEqual([drawing.floor, drawing.rename(drawing.chosen, 'Hall')], [1, 'There is a room Hall already.']);
});

test('gateways follow the room that they serve when it is renamed, twice', () => {
  const drawing = new Drawing(plan());
  drawing.addGateway('h', [5, 1]);
  const roomOf = (id) => ({ k: 'Kitchen', h: 'Hall' })[id];
  for (const name of ['Lobby', 'Entrance']) {
    equal(drawing.rename(drawing.rooms[1], name, roomOf), null);
    deepEqual(drawing.plan.gateways.map((one) => one.room), [undefined, name]);
  }
  ok(toml(drawing.plan, roomOf).includes('id = "h"\nroom = "Entrance"'));
});

test('a room that is drawn and then named carries no gateway of the name that was proposed; one of a name that was typed or saved does', () => {
  const roomOf = () => 'Study';
  for (let turn = 0; turn < 2; turn++) {
    const drawing = new Drawing(plan());
    equal(drawing.closeRoom(['Study'], structuredClone(square)), null);
    equal(drawing.rename(drawing.chosen, 'Office', roomOf), null);
    deepEqual([drawing.plan.gateways[0].room, drawing.undo()], [undefined, true]);
    equal(drawing.rename(drawing.rooms[2], 'Office', roomOf), null);
    equal(drawing.plan.gateways[0].room, undefined);
    if (turn) drawing.rename(drawing.rooms[2], 'Study', roomOf); else drawing.undo();
    drawing.wasSaved();
    equal(drawing.rename(drawing.rooms[2], 'Office', roomOf), null);
    equal(drawing.plan.gateways[0].room, 'Office');
  }
});

test('a room that was renamed is removed from the gateways that serve it, too', () => {
  const drawing = new Drawing(plan());
  drawing.addGateway('h', [5, 1]);
  const roomOf = (id) => ({ k: 'Kitchen', h: 'Hall' })[id];
  for (const name of ['Galley', 'Lobby']) {
    equal(drawing.rename(drawing.rooms[0], name, roomOf), null);
    drawing.removeRoom(drawing.rooms[0]);
    ok(drawing.plan.gateways.every((one) => !('room' in one)), name);
  }
});

test('a gateway that is removed and placed again serves the room that it served, while the plan has that room', () => {
  const drawing = new Drawing(plan());
  const roomOf = () => 'Kitchen';
  drawing.rename(drawing.rooms[0], 'Galley', roomOf);
  for (const name of ['Galley', 'Scullery']) {
    drawing.remember();
    drawing.grip('gateway 0').remove();
    drawing.rename(drawing.rooms[0], name, roomOf);
    equal(drawing.servedRoom('k', roomOf()), name);
    drawing.addGateway('k', [1, 1]);
    deepEqual(drawing.plan.gateways, [{ id: 'k', x_m: 1, y_m: 1, floor: 0, room: name }]);
  }
  drawing.grip('gateway 0').remove();
  drawing.removeRoom(drawing.rooms[0]);
  equal(drawing.servedRoom('k', 'Hall'), 'Hall');
  drawing.addGateway('k', [1, 1]);
  deepEqual(drawing.plan.gateways, [{ id: 'k', x_m: 1, y_m: 1, floor: 0 }]);
});

test('a gateway whose room is not drawn serves the room that it stands in, once the plan is saved, on each floor, and no other gateway does', () => {
  const drawing = new Drawing(plan());
  const roomOf = (id) => ({ k: 'Kitchen', a: 'Attic', b: 'Bedroom', out: 'Garden' })[id];
  drawing.addGateway('out', [90, 90]);
  deepEqual(drawing.settleGateways(roomOf), []);
  equal(drawing.undo(), true);
  drawing.addGateway('b', [5, 1]);
  for (const name of ['Hall', 'Lobby']) {
    drawing.rename(drawing.rooms[1], name, roomOf);
    const settled = drawing.settleGateways(roomOf);
    deepEqual(settled, name === 'Hall' ? [{ id: 'b', x_m: 5, y_m: 1, floor: 0, room: 'Hall' }] : []);
    equal(drawing.plan.gateways[1].room, name);
    drawing.wasSaved();
  }
  drawing.addFloor();
  drawing.closeRoom([], structuredClone(square));
  drawing.addGateway('a', [1, 6]);
  deepEqual(drawing.settleGateways(roomOf).map((one) => one.room), [drawing.rooms[0].name]);
  deepEqual(drawing.plan.gateways[0].room, undefined);
});

test('a corner that two rooms share moves with both, and a triangle loses no corner', () => {
  const drawing = new Drawing(plan());
  drawing.grip('corner 0 1').set([4.5, 0]);
  deepEqual([drawing.rooms[0].polygon_m[1], drawing.rooms[1].polygon_m[0]], [[4.5, 0], [4.5, 0]]);
  equal(drawing.grip('corner 0 3').remove(), null);
  equal(drawing.grip('corner 0 0').remove(), 'A room has at least three corners.');
  equal(drawing.rooms[0].polygon_m.length, 3);
});

test('a door stays in the wall between its rooms, and gateways go anywhere', () => {
  const drawing = new Drawing(plan());
  drawing.grip('door 0').set([4.4, 2.2]);
  deepEqual(drawing.doors[0].at_m, [4, 2.2]);
  drawing.grip('gateway 0').set([5, 2]);
  deepEqual(drawing.gateways, [{ id: 'k', x_m: 5, y_m: 2 }]);
  drawing.grip('gateway 0').remove();
  drawing.grip('door 0').remove();
  deepEqual([drawing.plan.gateways, drawing.plan.doors], [[], []]);
});

test('a corner snaps to a near corner, to the lines of others, and else to the grid', () => {
  const drawing = new Drawing(plan());
  deepEqual(drawing.snap([3.9, 0.1], 0.2), [4, 0]);
  deepEqual(drawing.snap([4.07, 5.021], 0.2), [4, 5]);
  deepEqual(drawing.snap([7.49, 8.021], 0.2, { before: [7.6, 1] }), [7.6, 8]);
  // Not to itself.
  const own = drawing.rooms[0].polygon_m[3];
  deepEqual([drawing.snap([-0.3, 3.3], 0.5), drawing.snap([-0.3, 3.3], 0.5, { but: own })], [[0, 3], [-0.3, 3.3]]);
});

test('gateways of one room are put beside each other, inside the room', () => {
  const drawing = new Drawing(plan());
  const places = [];
  for (let number = 0; number < 8; number++) {
    const at = drawing.vacant(drawing.rooms[0].polygon_m, [0, 0], 0.5);
    for (const other of places) ok(Math.hypot(at[0] - other[0], at[1] - other[1]) > 0.5);
    places.push(at);
    drawing.addGateway(`g${number}`, at);
  }
  deepEqual(drawing.vacant(undefined, [20, 20], 0.5), [20, 20]);
});

test('only handles of the chosen room are shown, and those of doors', () => {
  const drawing = new Drawing(plan());
  equal(drawing.handles.length, 9);
  drawing.chosen = drawing.roomAt([5, 1]);
  deepEqual(drawing.handles.map((one) => one.key), ['corner 1 0', 'corner 1 1', 'corner 1 2', 'corner 1 3', 'door 0']);
});

test('the downloaded tables quote names and have two decimals', () => {
  const drawing = new Drawing(plan());
  drawing.rename(drawing.rooms[0], 'The "new" kitchen');
  const text = toml(drawing.plan, (id) => (id === 'k' ? 'Hall' : null));
  ok(text.startsWith('[[room]]\nname = "The \\"new\\" kitchen"\nfloor = 0\npolygon_m = [[0.00, 0.00], [4.00, 0.00], [4.00, 3.00], [0.00, 3.00]]\n'), text);
  ok(text.includes('[[door]]\nbetween = ["The \\"new\\" kitchen", "Hall"]\nat_m = [4.00, 1.50]'), text);
  ok(text.endsWith('[[gateway]]\nid = "k"\nroom = "Hall"\nposition_m = [1.00, 1.00]\nfloor = 0\n'), text);
});

test('what was undone is made again, as often as it was undone, until something else is changed', () => {
  const drawing = new Drawing(plan());
  equal(drawing.redo(), false);
  for (let turn = 0; turn < 2; turn++) {
    drawing.removeRoom(drawing.rooms[0]);
    drawing.addGateway('x', [1, 1]);
    const done = drawing.text;
    ok(drawing.undo() && drawing.undo() && drawing.rooms.length === 2);
    ok(drawing.redo() && drawing.redo() && !drawing.redo());
    equal(drawing.text, done);
    ok(drawing.undo() && drawing.undo());
  }
  drawing.rename(drawing.rooms[0], 'Galley');
  equal(drawing.redo(), false);
});

test('what changes nothing can neither be undone, nor prevents that something is made again', () => {
  const drawing = new Drawing(plan());
  drawing.removeRoom(drawing.rooms[0]);
  ok(drawing.undo());
  for (let turn = 0; turn < 2; turn++) {
    drawing.remember();
    drawing.resize(drawing.rooms[0], [4, 3]);
    equal(drawing.undo(), false);
    drawing.remember();
    ok(drawing.redo() && drawing.rooms.length === 1);
    drawing.remember();
    ok(drawing.undo() && drawing.rooms.length === 2);
  }
});

test('a picture is put, replaced and removed with undo, and its floor is there although it has no room', () => {
  const drawing = new Drawing({ ...plan(), pictures: [{ floor: 1, name: 'a' }] });
  deepEqual([drawing.plan.floors.map((one) => one.floor), drawing.floor, drawing.picture], [[0, 1], 0, undefined]);
  drawing.floor = 1;
  for (const name of ['b', 'c']) drawing.setPicture({ name });
  deepEqual(drawing.plan.pictures, [{ floor: 1, name: 'c' }]);
  drawing.setPicture();
  ok(!drawing.picture && drawing.undo() && drawing.picture.name === 'c' && drawing.undo() && drawing.undo() && drawing.picture.name === 'a' && !drawing.isChanged);
});

test('a floor is added above all others or below them', () => {
  const drawing = new Drawing(plan());
  const floors = [true, false, true, false].map((isBelow) => { drawing.addFloor(isBelow); return drawing.floor; });
  deepEqual(floors, [-1, 1, -2, 2]);
});

test('a room of a typed size stands beside the others, and another size keeps its upper left corner', () => {
  const drawing = new Drawing(plan());
  deepEqual(new Drawing().beside([4, 3]), [[0, 0], [4, 0], [4, 3], [0, 3]]);
  equal(drawing.closeRoom(['Study'], drawing.beside([2.5, 2])), null);
  deepEqual(drawing.chosen.polygon_m, [[6, 1], [8.5, 1], [8.5, 3], [6, 3]]);
  drawing.resize(drawing.chosen, [1, 4.5]);
  deepEqual(drawing.chosen.polygon_m, [[6, -1.5], [7, -1.5], [7, 3], [6, 3]]);
});

test('a corner is added in the middle of the wall behind another, also behind the last', () => {
  const drawing = new Drawing(plan());
  equal(drawing.grip('corner 0 0').split(), 'corner 0 1');
  equal(drawing.grip('corner 0 4').split(), 'corner 0 5');
  deepEqual(drawing.rooms[0].polygon_m, [[0, 0], [2, 0], [4, 0], [4, 3], [0, 3], [0, 1.5]]);
});
