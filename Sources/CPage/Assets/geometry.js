// The geometry of a plan, in metres: the first axis points right, the second up. Nothing here touches the page.

import { decimal } from './text.js';

export function bounds(plan) {
  let [left, bottom, right, top] = [Infinity, Infinity, -Infinity, -Infinity];
  const add = (x, y) => {
    left = Math.min(left, x); right = Math.max(right, x);
    bottom = Math.min(bottom, y); top = Math.max(top, y);
  };
  for (const floor of plan.floors) for (const room of floor.rooms) for (const [x, y] of room.polygon_m) add(x, y);
  for (const gateway of plan.gateways) if (gateway.x_m != null) add(gateway.x_m, gateway.y_m);
  return left < right && bottom < top ? { left, bottom, right, top } : { left: 0, bottom: 0, right: 10, top: 8 };
}

export function inside([x, y], polygon) {
  let is = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [xi, yi] = polygon[i];
    const [xj, yj] = polygon[j];
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) is = !is;
  }
  return is;
}

// Where a room's name stands: near the top edge, in the middle of the part of the room there, but beside a gateway; and how wide the room is there,
// to both sides of that point. All in metres.
export function labelPoint(polygon, inset, gateways = [], half = 0) {
  const ys = polygon.map(([, y]) => y);
  const xs = polygon.map(([x]) => x);
  const y = Math.max(...ys) - inset;
  const step = (Math.max(...xs) - Math.min(...xs)) / 40 || 1;
  const inner = [];
  for (let x = Math.min(...xs) + step / 2; x < Math.max(...xs); x += step) if (inside([x, y], polygon)) inner.push(x);
  const at = (x) => {
    let reach = 0;
    while (inside([x - reach - step, y], polygon) && inside([x + reach + step, y], polygon)) reach += step;
    return [x, y, 2 * reach];
  };
  const isClear = (x) => !gateways.some((gateway) => Math.abs(gateway.x_m - x) < half && Math.abs(gateway.y_m - y) < 1.2 * inset);
  for (const share of [0.5, 0.3, 0.7]) {
    const x = inner[0] + (inner.at(-1) - inner[0]) * share;
    // Beside a gateway only where the name still has most of its width.
    if (inner.length && isClear(x) && at(x)[2] > 1.5 * half) return at(x);
  }
  return inner.length ? at((inner[0] + inner.at(-1)) / 2) : [xs.reduce((a, b) => a + b) / xs.length, ys.reduce((a, b) => a + b) / ys.length, 0];
}

// The wall through a door's position: the direction of the nearest edge of its rooms.
export function doorLine(door, rooms, half = 0.45) {
  let best = null;
  if (!door.at_m) return null;
  const [x, y] = door.at_m;
  for (const room of rooms) {
    if (!door.between.includes(room.name)) continue;
    room.polygon_m.forEach(([ax, ay], index) => {
      const [bx, by] = room.polygon_m[(index + 1) % room.polygon_m.length];
      const length = Math.hypot(bx - ax, by - ay) || 1;
      const [ux, uy] = [(bx - ax) / length, (by - ay) / length];
      const along = Math.max(0, Math.min(length, (x - ax) * ux + (y - ay) * uy));
      const distance = Math.hypot(ax + ux * along - x, ay + uy * along - y);
      if (!best || distance < best.distance) best = { distance, ux, uy, px: ax + ux * along, py: ay + uy * along };
    });
  }
  if (!best || best.distance > 1) return null;
  return [[best.px - best.ux * half, best.py - best.uy * half], [best.px + best.ux * half, best.py + best.uy * half]];
}

// The nearest point in a room, a little away from its walls. The place of an item is the middle of all that is likely, which may be behind a
// wall; its mark is in the room that the list names.
const OFF_WALL = 0.25;
export function into([x, y], polygon) {
  if (inside([x, y], polygon)) return [x, y];
  let best = null;
  polygon.forEach(([ax, ay], index) => {
    const [bx, by] = polygon[(index + 1) % polygon.length];
    const length = Math.hypot(bx - ax, by - ay) || 1;
    const edge = Math.min(OFF_WALL, length / 2);
    const along = Math.max(edge, Math.min(length - edge, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length));
    const [px, py] = [ax + ((bx - ax) * along) / length, ay + ((by - ay) * along) / length];
    const [nx, ny] = [(-(by - ay) / length) * OFF_WALL, ((bx - ax) / length) * OFF_WALL];
    const at = [[px + nx, py + ny], [px - nx, py - ny]].find((side) => inside(side, polygon)) ?? [px, py];
    const distance = Math.hypot(px - x, py - y);
    if (!best || distance < best.distance) best = { distance, at };
  });
  return best?.at ?? [x, y];
}

// The doors on the shortest way from room to room on one floor, by the number of doors; none if there is no way.
export function doorsBetween(from, to, doors) {
  const ways = new Map([[from, []]]);
  for (const [room, way] of ways) {
    if (room === to) return way;
    for (const door of doors) {
      const next = door.between[0] === room ? door.between[1] : door.between[1] === room ? door.between[0] : null;
      if (next && door.at_m && !ways.has(next)) ways.set(next, [...way, door.at_m]);
    }
  }
  return [];
}

export const middle = (polygon) => polygon.reduce(([x, y], [a, b]) => [x + a / polygon.length, y + b / polygon.length], [0, 0]);

// The nearest point of a wall that two rooms share, its distance, and the two rooms; `between`: of these rooms alone.
export function wall([x, y], rooms, between) {
  let best = null;
  for (const room of rooms) {
    if (between && !between.includes(room.name)) continue;
    room.polygon_m.forEach(([ax, ay], index) => {
      const [bx, by] = room.polygon_m[(index + 1) % room.polygon_m.length];
      const length = Math.hypot(bx - ax, by - ay) || 1;
      const along = Math.max(0.3, Math.min(length - 0.3, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length));
      const at = [ax + ((bx - ax) * along) / length, ay + ((by - ay) * along) / length];
      const [nx, ny] = [(-(by - ay) / length) * 0.15, ((bx - ax) / length) * 0.15];
      const sides = [[at[0] + nx, at[1] + ny], [at[0] - nx, at[1] - ny]].map((side) => rooms.find((one) => inside(side, one.polygon_m))?.name);
      if (!sides[0] || !sides[1] || sides[0] === sides[1] || (between && !sides.every((side) => between.includes(side)))) return;
      const distance = Math.hypot(at[0] - x, at[1] - y);
      if (!best || distance < best.distance) best = { distance, at: at.map(tidy), between: sides };
    });
  }
  return best;
}

// What people draw keeps to a grid of 5 cm, and is written in centimetres.
export const STEP = 0.05;
export const tidy = (value) => Number(value.toFixed(2));
export const onGrid = ([x, y]) => [x, y].map((value) => tidy(Math.round(value / STEP) * STEP));

// The corners of a rectangle between two opposite ones.
export const rectangle = ([ax, ay], [bx, by]) => {
  const [left, right, bottom, top] = [Math.min(ax, bx), Math.max(ax, bx), Math.min(ay, by), Math.max(ay, by)];
  return [[left, bottom], [right, bottom], [right, top], [left, top]];
};
// The width and height of a room whose walls are those of a rectangle along the axes; null for another room.
export function sizeOf(polygon) {
  const [xs, ys] = [0, 1].map((axis) => [...new Set(polygon.map((corner) => corner[axis]))].sort((a, b) => a - b));
  if (polygon.length !== 4 || xs.length !== 2 || ys.length !== 2 || new Set(polygon.map(String)).size !== 4) return null;
  // Two walls that cross have the same corners.
  if (polygon[0][0] !== polygon[1][0] && polygon[0][1] !== polygon[1][1]) return null;
  return [tidy(xs[1] - xs[0]), tidy(ys[1] - ys[0])];
}
// "4 x 3 m" or "4,5 × 3": width and height in metres; null for another text.
export function parseSize(text) {
  const found = /^\s*(\d+(?:[.,]\d+)?)\s*m?\s*[x×*]\s*(\d+(?:[.,]\d+)?)\s*m?\s*$/i.exec(text);
  const size = found?.slice(1).map((part) => tidy(Number(part.replace(',', '.'))));
  return size?.every((side) => side >= 0.5 && side <= 200) ? size : null;
}
export const sizeText = ([width, height]) => `${decimal(width)} x ${decimal(height)}`;
