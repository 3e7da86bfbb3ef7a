import { SerialQueue } from '../../../platform/serial-queue';
import type { SortScratch } from './sort-slots';

/** By slot: a lock's sort keys when it got its position. Its name is compared last. */
export class RankKeys {
  first = new Float64Array(64);
  second = new Float64Array(64);
  third = new Float64Array(64);

  ensureCapacity(slots: number): void {
    if (slots <= this.first.length) return;
    const wider = (old: Float64Array) => {
      const fresh = new Float64Array(Math.max(slots, Math.ceil(1.25 * old.length)));
      fresh.set(old);
      return fresh;
    };
    this.first = wider(this.first);
    this.second = wider(this.second);
    this.third = wider(this.third);
  }
}

/**
 * Buffers for rankings, which run one at a time. New buffers for each would allocate and free
 * megabytes of typed arrays, and make the garbage collector scan the whole heap.
 */
export class RankBuffers {
  keys = new RankKeys();
  scratch: SortScratch = { slots: new Int32Array(64), words: new Uint32Array(64) };
  readonly queue = new SerialQueue();

  /** @param slots how many there are */
  ensureCapacity(slots: number): void {
    this.keys.ensureCapacity(slots);
    if (slots <= this.scratch.slots.length) return;
    const length = Math.ceil(1.25 * slots);
    this.scratch = { slots: new Int32Array(length), words: new Uint32Array(length) };
  }
}
