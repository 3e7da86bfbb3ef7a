import type { LockTier } from '../../../core/status/lock-status';

/** How long a lock is still shown after it ceased to need attention. */
const STAYS_MS = 30_000;

const [ABSENT, PRESENT, LEAVING] = [0, 1, 2];

/**
 * The locks that need attention, by slot, and for a while those that no longer do: a row must not
 * vanish while an operator reads it because its lock has just recovered.
 */
export class AttentionRows {
  /** How many need attention now. */
  count = 0;
  private states = new Uint8Array(64);
  /** By slot: until when it stays, on the monotonic clock. */
  private readonly leaving = new Map<number, number>();

  /** Whether the lock is shown among those that need attention. */
  has(slot: number): boolean {
    return this.states[slot] !== undefined && this.states[slot] !== ABSENT;
  }

  /**
   * Notes a lock's tier.
   *
   * @param now the monotonic clock, in milliseconds
   */
  note(slot: number, tier: LockTier, now: number): void {
    this.ensureCapacity(slot);
    const before = this.states[slot];
    if (tier !== 'normal') {
      this.leaving.delete(slot);
      if (before !== PRESENT) this.count += 1;
      this.states[slot] = PRESENT;
      return;
    }
    if (before !== PRESENT) return;
    this.count -= 1;
    this.states[slot] = LEAVING;
    this.leaving.delete(slot);
    this.leaving.set(slot, now + STAYS_MS);
  }

  remove(slot: number): void {
    if (this.states[slot] === PRESENT) this.count -= 1;
    if (this.has(slot)) this.states[slot] = ABSENT;
    this.leaving.delete(slot);
  }

  /** Removes and returns those whose time is up. All stay equally long: first in, first out. */
  takeDue(now: number): number[] {
    const due: number[] = [];
    for (const [slot, until] of this.leaving) {
      if (until > now) break;
      this.leaving.delete(slot);
      this.states[slot] = ABSENT;
      due.push(slot);
    }
    return due;
  }

  private ensureCapacity(slot: number): void {
    if (slot < this.states.length) return;
    const wider = new Uint8Array(Math.max(slot + 1, 2 * this.states.length));
    wider.set(this.states);
    this.states = wider;
  }
}
