import type { LockListInput } from '../../../contract/console/console-inputs';
import { totalBlockingMs } from '../../../core/status/blocking-time';
import type { Clock } from '../../../platform/clock';
import type { LockTable } from '../table/lock-table';
import { type RankBuffers, RankKeys } from './rank-buffers';
import { SlotOrder } from './slot-order';
import { sortSlots } from './sort-slots';
import type { TimeSlice } from './time-slice';

/** How long rows keep their positions. */
const RANK_EVERY_MS = 10_000;

/**
 * All locks in one order. They are ranked periodically and keep their positions in between, with
 * three exceptions: a lock that needs attention moves up immediately, a new one is inserted where
 * it belongs, and a forgotten one is removed.
 */
export class Ranking {
  readonly order = new SlotOrder();
  /** Rises with each ranking. */
  number = 0;
  private keys = new RankKeys();
  /** By slot: the version at which the lock got its position between two rankings. */
  private positionedAt = new Float64Array(64);
  private version = 0;
  private rankedAt = Number.NEGATIVE_INFINITY;
  private rankedMoves = -1;
  private ranking: Promise<void> | null = null;
  private readonly sign: 1 | -1;
  /** Keys are relative to this instant: small keys are sorted faster. */
  private readonly origin: number;

  constructor(
    private readonly table: LockTable,
    private readonly sort: LockListInput['sort'],
    private readonly isDescending: boolean,
    private readonly clock: Clock,
    private readonly buffers: RankBuffers,
  ) {
    this.origin = clock.now();
    this.sign = isDescending ? -1 : 1;
  }

  /** Unique in this process. */
  get name(): string {
    return `${this.sort}${this.isDescending ? '-' : '+'}${this.origin.toString(36)}.${this.number}`;
  }

  /** The order of two locks. */
  readonly compare = (a: number, b: number): number => {
    const { names } = this.table;
    if (this.sort === 'name') return this.sign * names.compareSlots(a, b);
    const { first, second, third } = this.keys;
    return (
      compareKeys(first, a, b) ||
      compareKeys(second, a, b) ||
      compareKeys(third, a, b) ||
      names.compareSlots(a, b)
    );
  };

  /** Whether the lock in this slot has moved after `version`, other than by a ranking. */
  hasMoved(slot: number, version: number): boolean {
    return (this.positionedAt[slot] as number) > version;
  }

  /** Ranks if that is due, and brings the order up to date. */
  async update(slice: TimeSlice): Promise<void> {
    const isOld = this.clock.monotonic() - this.rankedAt >= RANK_EVERY_MS;
    const isByTime = this.sort === 'worst' && this.table.facts.hasBlockedCallers;
    const isDue = isOld && (isByTime || this.rankedMoves !== this.table.moves);
    if (isDue || !this.catchUp()) {
      this.ranking ??= this.buffers.queue
        .run(() => slice.count(() => this.rank(slice)))
        .finally(() => {
          this.ranking = null;
        });
      await slice.wait(this.ranking);
      this.catchUp();
    }
  }

  /** Applies what has changed. False: that is too much, and a new ranking is needed. */
  catchUp(): boolean {
    const { log, columns } = this.table;
    if (this.number === 0 || !log.reaches(this.version)) return false;
    const removed: number[] = [];
    const added: number[] = [];
    for (const slot of log.since(this.version, columns.versions)) {
      const isIn = this.order.has(slot);
      const isThere = this.table.hasStatus(slot);
      const isNew = (columns.addedAt[slot] as number) > this.version;
      const isToMove = isNew || this.needsToRise(slot);
      if (isIn && (!isThere || isToMove)) removed.push(slot);
      if (isThere && (!isIn || isToMove)) added.push(slot);
    }
    this.version = log.end;
    for (const slot of added) this.position(slot);
    this.order.change(removed, added, this.compare);
    return true;
  }

  private async rank(slice: TimeSlice): Promise<void> {
    const { table } = this;
    const [version, moves] = [table.log.end, table.moves];
    const { buffers } = this;
    buffers.ensureCapacity(table.slotsEnd);
    const { keys, scratch } = buffers;
    const slots = table.names.copy();
    await slice.times(table.slotsEnd, (slot) => this.setKeys(keys, slot));
    if (this.sort !== 'name') {
      // Among locks held equally long the third key makes no difference.
      const columns = [keys.second, keys.first];
      if (this.sort !== 'held') columns.unshift(keys.third);
      for (const column of columns) {
        await sortSlots(slots, column, scratch, slice);
      }
    } else if (this.sign < 0) slots.reverse();
    // No pause from here on. `catchUp` then applies what changed during the ranking.
    [buffers.keys, this.keys] = [this.keys, keys];
    this.order.replace(slots, (slot) => table.hasStatus(slot));
    this.version = version;
    this.rankedMoves = moves;
    this.number += 1;
    this.rankedAt = this.clock.monotonic();
  }

  /** Negative, and lower the longer callers have been kept from work; 0 if there are none. */
  private blockedFirst(slot: number): number {
    const { blockedCallers, blockedSince, blockedOrigin } = this.table.columns;
    const [callers, sinceSum] = [blockedCallers[slot] as number, blockedSince[slot] as number];
    return -totalBlockingMs({ callers, sinceSum }, this.clock.now() - blockedOrigin);
  }

  private needsToRise(slot: number): boolean {
    if (this.sort !== 'worst' || this.table.columns.tiers[slot] !== 0) return false;
    return this.keys.first[slot] !== 0;
  }

  private position(slot: number): void {
    this.keys.ensureCapacity(slot + 1);
    this.setKeys(this.keys, slot);
    if (slot >= this.positionedAt.length) {
      const wider = new Float64Array(Math.max(slot + 1, 2 * this.positionedAt.length));
      wider.set(this.positionedAt);
      this.positionedAt = wider;
    }
    this.positionedAt[slot] = this.version;
  }

  private setKeys(keys: RankKeys, slot: number): void {
    const { sort, sign } = this;
    const { tiers, statuses, waiting, grantedAt, expiresAt } = this.table.columns;
    if (sort === 'name') return;
    keys.third[slot] = grantedAt[slot] as number;
    if (sort === 'worst') {
      // Adding 0 turns -0 into 0.
      keys.first[slot] = sign * (tiers[slot] as number) + 0;
      keys.second[slot] = sign * (this.blockedFirst(slot) || (statuses[slot] as number));
    } else if (sort === 'waiters') keys.first[slot] = -sign * (waiting[slot] as number);
    else keys.first[slot] = sign * ((sort === 'lease' ? expiresAt : grantedAt)[slot] as number);
  }
}

function compareKeys(keys: Float64Array, a: number, b: number): number {
  const [one, other] = [keys[a] as number, keys[b] as number];
  return one < other ? -1 : one > other ? 1 : 0;
}
