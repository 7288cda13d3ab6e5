// The beacons in range, every second.

import { stream } from './api.js';

// Calls onBeacons(list), the strongest RSSI first, until the signal; and onProblem(sentence) while the server cannot be reached.
export async function follow(signal, onBeacons, onProblem = () => {}) {
  let delay = 500;
  while (!signal.aborted) {
    try {
      await stream('nearby', { signal, onOpen() { delay = 500; }, onEvent(name, data) { if (name === 'nearby') onBeacons(JSON.parse(data).beacons); } });
    } catch (problem) {
      if (signal.aborted || problem.status === 401) return;
      onProblem(problem.message);
    }
    await new Promise((resolve) => setTimeout(resolve, delay));
    delay = Math.min(15_000, delay * 2);
  }
}

// The key of a beacon.
export const keyOf = (beacon) => `${beacon.uuid} ${beacon.major} ${beacon.minor}`;
export const dBm = (rssi) => `${rssi < 0 ? '−' : ''}${Math.abs(Math.round(rssi))} dBm`;
// Received power as a share of what can be expected.
export const strength = (rssi) => Math.max(0, Math.min(1, (rssi + 100) / 65));
