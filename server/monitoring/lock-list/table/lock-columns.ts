import { LOCK_STATUSES, type LockStatus } from '../../../contract/console/console-terms';
import type { Hold } from '../../../core/lock/lock-record';
import { type LockTier, TIERS } from '../../../core/status/lock-status';
import type { ProjectionRow } from '../../projection/projection-row';
import type { CurrentStatus } from './current-status';

type Column = Uint8Array | Int32Array | Float64Array;

/** The data of each lock beside its row, by slot. */
export class LockColumns {
  /** Indexes of `LOCK_STATUSES`. */
  statuses = new Uint8Array(64);
  /** Indexes of `TIERS`. */
  tiers = new Uint8Array(64);
  isHeld = new Uint8Array(64);
  /** See `HoldFigures`. */
  permitsHeld = new Int32Array(64);
  permitCapacity = new Int32Array(64);
  keptHolds = new Uint8Array(64);
  waiting = new Int32Array(64);
  /** Sort keys, of the hold that pages show; `Infinity` where the lock is not held. */
  grantedAt = new Float64Array(64);
  expiresAt = new Float64Array(64);
  /**
   * The callers that the lock keeps from work: see `BlockedCallers`, but by the clock of this
   * process and since `blockedOrigin`, so that sums over many callers are exact.
   */
  blockedCallers = new Int32Array(64);
  blockedSince = new Float64Array(64);
  blockedOrigin = 0;
  /** The slots of locks that a person must act on, or that keep callers from work. */
  readonly troubled = new Set<number>();
  /** Indexes of the table's groups plus one; 0: not in a group yet. */
  groups = new Int32Array(64);
  /** The version after the lock's last change that a page shows. */
  versions = new Float64Array(64);
  /** The version after the lock was added. */
  addedAt = new Float64Array(64);
  /** Why its status must be computed again; see `LockTable`. */
  pending = new Uint8Array(64);
  /** 1: it is in the name orders. */
  isOrdered = new Uint8Array(64);
  /** The table's mark when it was last read from its backend. */
  marks = new Float64Array(64);

  /** The last computed status of a lock, and its tier. */
  statusOf(slot: number): { status: LockStatus; tier: LockTier } {
    return {
      status: LOCK_STATUSES[this.statuses[slot] as number] as LockStatus,
      tier: TIERS[this.tiers[slot] as number] as LockTier,
    };
  }

  /** Reads the sort keys. @param hold the one that pages show */
  read(slot: number, { waiters }: ProjectionRow, hold: Hold | null): void {
    this.waiting[slot] = waiters;
    this.grantedAt[slot] = hold?.grantedAt ?? Number.POSITIVE_INFINITY;
    this.expiresAt[slot] = hold?.expiresAt ?? Number.POSITIVE_INFINITY;
  }

  /** Reads the counts of its holds. */
  readHolds(slot: number, { isHeld, figures }: CurrentStatus): void {
    this.isHeld[slot] = isHeld ? 1 : 0;
    this.permitsHeld[slot] = figures.permitsHeld;
    this.permitCapacity[slot] = figures.permitCapacity;
    this.keptHolds[slot] = figures.keptHolds;
  }

  /** Frees a slot. The next lock there counts as new, even while slots are being processed. */
  free(slot: number): void {
    this.isOrdered[slot] = 0;
    this.pending[slot] = 0;
    this.blockedCallers[slot] = 0;
    this.troubled.delete(slot);
  }

  ensureCapacity(slots: number): void {
    if (slots <= this.statuses.length) return;
    const length = Math.max(slots, 2 * this.statuses.length);
    const wider = <C extends Column>(old: C, fresh: C): C => {
      fresh.set(old);
      return fresh;
    };
    this.statuses = wider(this.statuses, new Uint8Array(length));
    this.tiers = wider(this.tiers, new Uint8Array(length));
    this.isHeld = wider(this.isHeld, new Uint8Array(length));
    this.permitsHeld = wider(this.permitsHeld, new Int32Array(length));
    this.permitCapacity = wider(this.permitCapacity, new Int32Array(length));
    this.keptHolds = wider(this.keptHolds, new Uint8Array(length));
    this.waiting = wider(this.waiting, new Int32Array(length));
    this.grantedAt = wider(this.grantedAt, new Float64Array(length));
    this.expiresAt = wider(this.expiresAt, new Float64Array(length));
    this.blockedCallers = wider(this.blockedCallers, new Int32Array(length));
    this.blockedSince = wider(this.blockedSince, new Float64Array(length));
    this.groups = wider(this.groups, new Int32Array(length));
    this.versions = wider(this.versions, new Float64Array(length));
    this.addedAt = wider(this.addedAt, new Float64Array(length));
    this.pending = wider(this.pending, new Uint8Array(length));
    this.isOrdered = wider(this.isOrdered, new Uint8Array(length));
    this.marks = wider(this.marks, new Float64Array(length));
  }

  /** Marks and returns the slots not yet in the name orders; one given twice is returned once. */
  takeUnordered(slots: number[]): number[] {
    return slots.filter((slot) => {
      if (this.isOrdered[slot] !== 0) return false;
      this.isOrdered[slot] = 1;
      return true;
    });
  }
}
