import type { ProjectionRow } from '../../projection/projection-row';
import { TimeIndex } from './time-index';

const NEVER = Number.POSITIVE_INFINITY;

/**
 * When a lock is next due for work. Instants are on the clocks of the backends, and stored
 * separately for each.
 */
export class LockTimes {
  /** When the first lease of each lock runs out. */
  private readonly expiries = new Map<string, TimeIndex>();
  /** When the status of each lock can change next. */
  private readonly deadlines = new Map<string, TimeIndex>();
  private readonly slotsWithQueue = new Set<number>();

  /** Reads the times of a record. */
  read(slot: number, { backend, firstExpiryAt, waiters }: ProjectionRow): void {
    indexOf(this.expiries, backend).set(slot, firstExpiryAt);
    if (waiters > 0) this.slotsWithQueue.add(slot);
    else this.slotsWithQueue.delete(slot);
  }

  /** @param at `Infinity`: time alone will not change its status */
  setDeadline(slot: number, { backend }: ProjectionRow, at: number): void {
    indexOf(this.deadlines, backend).set(slot, at);
  }

  remove(slot: number, { backend }: ProjectionRow): void {
    this.slotsWithQueue.delete(slot);
    indexOf(this.expiries, backend).set(slot, NEVER);
    indexOf(this.deadlines, backend).set(slot, NEVER);
  }

  /** Removes and returns the slots whose deadline has come. @param nowOf the clock of a backend */
  *takeDue(nowOf: (backend: string) => number): Generator<number> {
    for (const [backend, index] of this.deadlines) {
      const now = nowOf(backend);
      for (let slot = index.takeDue(now); slot >= 0; slot = index.takeDue(now)) yield slot;
    }
  }

  /** Slots whose lease ran out by the instant of their backend, in no order. */
  *expired(instants: ReadonlyMap<string, number>): Generator<number> {
    for (const [backend, index] of this.expiries) yield* index.due(instants.get(backend) ?? 0);
  }

  /** Slots of locks with waiters. */
  queued(): Iterable<number> {
    return this.slotsWithQueue;
  }
}

function indexOf(indexes: Map<string, TimeIndex>, backend: string): TimeIndex {
  const known = indexes.get(backend);
  if (known) return known;
  const index = new TimeIndex();
  indexes.set(backend, index);
  return index;
}
