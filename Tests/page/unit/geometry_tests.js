import { test } from 'node:test';
import { deepEqual, equal, ok } from 'node:assert/strict';
import { bounds, doorLine, doorsBetween, inside, into, labelPoint, middle, onGrid, parseSize, rectangle, sizeOf, sizeText, wall } from './geometry.js';

const kitchen = { name: 'Kitchen', polygon_m: [[0, 0], [4, 0], [4, 3], [0, 3]] };
const hall = { name: 'Hall', polygon_m: [[4, 0], [6, 0], [6, 3], [4, 3]] };
// An L: the square from (2, 2) to (4, 4) is missing.
const bent = [[0, 0], [4, 0], [4, 2], [2, 2], [2, 4], [0, 4]];

test('the bounds of a plan have all rooms and gateways, and those of an empty plan a size', () => {
  const plan = { floors: [{ floor: 0, rooms: [kitchen] }, { floor: 1, rooms: [hall] }], gateways: [{ id: 'a', x_m: -1, y_m: 5 }, { id: 'b' }] };
  deepEqual(bounds(plan), { left: -1, bottom: 0, right: 6, top: 5 });
  deepEqual(bounds({ floors: [], gateways: [] }), { left: 0, bottom: 0, right: 10, top: 8 });
});

test('a point is inside a bent room, and not in its missing corner', () => {
  ok(inside([1, 3], bent) && inside([3, 1], bent));
  ok(!inside([3, 3], bent) && !inside([-0.1, 1], bent) && !inside([1, 4.1], bent));
});

test('the way from room to room leads through the fewest doors, and is unknown where there is none', () => {
  const doors = [['Hall', 'Kitchen', 1], ['Kitchen', 'Larder', 2], ['Office', 'Hall', 3], ['Office', 'Larder', 4]].map(([a, b, x]) => ({ between: [a, b], at_m: [x, 0] }));
  deepEqual(doorsBetween('Kitchen', 'Office', doors), [[1, 0], [3, 0]]);
  deepEqual([doorsBetween('Hall', 'Hall', doors), doorsBetween('Hall', 'Attic', doors)], [[], []]);
});

test('the middle of a room is the mean of its corners', () => deepEqual(middle(kitchen.polygon_m).map((value) => value.toFixed(9)), ['2.000000000', '1.500000000']));

test('a name stands inside its room, beside a gateway', () => {
  const [x, y, width] = labelPoint(kitchen.polygon_m, 0.3);
  ok(Math.abs(x - 2) < 0.1 && y === 2.7 && width > 3);
  const beside = labelPoint(kitchen.polygon_m, 0.3, [{ x_m: 2, y_m: 2.7 }], 0.5);
  ok(Math.abs(beside[0] - 2) >= 0.5 && inside(beside, kitchen.polygon_m));
  ok(inside(labelPoint(bent, 0.3), bent));
});

test('a door lies along the wall that it is in, and a door far from its rooms is not drawn', () => {
  const between = ['Kitchen', 'Hall'];
  deepEqual(doorLine({ between, at_m: [4.1, 1.5] }, [kitchen, hall]).map(([x, y]) => [x, Number(Math.abs(y - 1.5).toFixed(2))]), [[4, 0.45], [4, 0.45]]);
  equal(doorLine({ between, at_m: [9, 9] }, [kitchen, hall]), null);
  equal(doorLine({ between }, [kitchen, hall]), null);
});

test('a mark outside of its room is put into it, off the wall', () => {
  deepEqual(into([1, 1], kitchen.polygon_m), [1, 1]);
  const at = into([2, 9], kitchen.polygon_m);
  ok(inside(at, kitchen.polygon_m) && Math.abs(at[1] - 2.75) < 1e-9 && at[0] === 2);
});

test('the wall nearest to a point is one that two rooms share', () => {
  const found = wall([3.5, 1.5], [kitchen, hall]);
  deepEqual(found.at, [4, 1.5]);
  deepEqual([...found.between].sort(), ['Hall', 'Kitchen']);
  equal(found.distance, 0.5);
  equal(wall([0, 1.5], [kitchen]), null);
  equal(wall([3.5, 1.5], [kitchen, hall], ['Kitchen', 'Attic']), null);
  // No door stands in a corner.
  deepEqual(wall([4, 0], [kitchen, hall]).at, [4, 0.3]);
});

test('what is drawn keeps to the grid of 5 cm', () => deepEqual(onGrid([1.024, 2.976]), [1, 3]));

test('a size is read as people write it, and a text that is none is refused', () => {
  for (const text of ['4 x 3.5 m', '4×3,5', ' 4.0m x 3.5m ', '4*3.5', '4X3.5']) deepEqual(parseSize(text), [4, 3.5], text);
  for (const text of ['', '4', '4 x', 'x 3', '4 x 3 x 2', '-4 x 3', '0.4 x 3', '4 x 201', '4 x 3 cm', '4 x NaN']) equal(parseSize(text), null, text);
  deepEqual(parseSize(sizeText([4.25, 3])), [4.25, 3]);
});

test('a rectangle has a size whichever of its corners comes first, and other rooms have none', () => {
  deepEqual(sizeOf(rectangle([4, 1], [1, 3.5])), [3, 2.5]);
  deepEqual(sizeOf([[4, 3], [0, 3], [0, 0], [4, 0]]), [4, 3]);
  for (const other of [bent, [[0, 0], [4, 0], [4, 3]], [[0, 0], [4, 0], [5, 3], [0, 3]], [[0, 0], [4, 3], [4, 0], [0, 3]], rectangle([1, 1], [1, 3])]) equal(sizeOf(other), null);
});
