// The strip of a day: one rectangle for each stay. Home is filled, away is a thin line, unknown is an outline.

import { s } from './dom.js';

const tones = new Map();
// Neighbouring rooms get different tones of the one accent colour.
export function tone(room) {
  if (!tones.has(room)) tones.set(room, tones.size % 4);
  return tones.get(room);
}

export const strip = () => s('svg', { class: 'strip', viewBox: '0 0 1000 10', preserveAspectRatio: 'none', 'aria-hidden': 'true' });

// Draws stays between two times, in ms. Stays shorter than a pixel join their neighbour.
export function drawStrip(svg, stays, from, to, now = Date.now()) {
  const marks = [];
  const scale = 1000 / (to - from);
  for (const stay of stays ?? []) {
    const left = Math.max(0, (stay.from - from) * scale);
    const right = Math.min(1000, (Math.min(stay.to ?? now, now) - from) * scale);
    if (right <= left) continue;
    const isThin = stay.presence === 'away';
    if (stay.presence === 'unknown') {
      marks.push(s('rect', { class: 'unknown', x: left, width: Math.max(1.5, right - left), y: 4, height: 2 }));
    } else {
      marks.push(s('rect', {
        class: isThin ? 'away' : `home tone${tone(stay.room)}`, x: left, width: Math.max(1.5, right - left),
        y: isThin ? 4.25 : 0, height: isThin ? 1.5 : 10,
      }));
    }
  }
  svg.replaceChildren(...marks);
}
