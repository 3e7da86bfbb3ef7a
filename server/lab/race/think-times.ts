import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Think } from './stock';

/**
 * How long each buyer thinks: between half and one and a half times the average, drawn from the
 * seed, so that every entry of a race has the same buyers.
 */
export function thinkTimes(thinkMs: number, seed: number): (buyer: number) => Think {
  return (buyer) => {
    const random = randomOf(seed + buyer * 7_919);
    return async () => {
      const forMs = thinkMs * (0.5 + random());
      // Even without a pause others get their turn between reading and writing.
      await (thinkMs === 0 ? setImmediate() : setTimeout(forMs));
    };
  };
}

/** Numbers from 0 to below 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
