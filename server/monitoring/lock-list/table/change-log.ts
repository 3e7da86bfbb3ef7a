/** How many changes are kept. A reader further behind starts over. A power of two. */
const CAPACITY = 1 << 16;

/**
 * Which slots changed, in order. Each reader remembers the version up to which it has read.
 * Versions rise for as long as the process runs.
 */
export class ChangeLog {
  private readonly ring = new Int32Array(CAPACITY);
  private last = 0;

  /** The version after the last change. */
  get end(): number {
    return this.last;
  }

  /** Returns the version after this change. */
  add(slot: number): number {
    this.ring[this.last % CAPACITY] = slot;
    this.last += 1;
    return this.last;
  }

  /** Whether everything after `version` is still known. */
  reaches(version: number): boolean {
    return this.last - version <= CAPACITY;
  }

  /**
   * Every slot that changed after `version`, once each.
   *
   * @param versions by slot, the version after its last change
   */
  since(version: number, versions: Float64Array): number[] {
    const slots: number[] = [];
    for (let at = version; at < this.last; at += 1) {
      const slot = this.ring[at % CAPACITY] as number;
      if (versions[slot] === at + 1) slots.push(slot);
    }
    return slots;
  }
}
