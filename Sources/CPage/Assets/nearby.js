// The beacons in range, every second.

import { followStream, query } from './api.js';

// Calls onBeacons(list, more), the strongest RSSI first, until the signal: `more` weaker ones are not in the list; and onProblem(sentence) while the server cannot be reached.
// `find`: only the beacons that match this text.
export const follow = (signal, onBeacons, onProblem = () => {}, find = '') => followStream(find ? `nearby?${query({ find })}` : 'nearby', signal, {
  onEvent(name, data) {
    if (name !== 'nearby') return;
    const { beacons, more } = JSON.parse(data);
    onBeacons(beacons, more ?? 0);
  },
  onEnd(state, problem) { if (problem) onProblem(problem.message); },
});

// The key of a beacon.
export const keyOf = (beacon) => `${beacon.uuid} ${beacon.major} ${beacon.minor}`;
export const dBm = (rssi) => `${rssi < 0 ? '−' : ''}${Math.abs(Math.round(rssi))} dBm`;
// Received power as a share of what can be expected.
export const strength = (rssi) => Math.max(0, Math.min(1, (rssi + 100) / 65));
