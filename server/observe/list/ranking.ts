import type { Clock } from '../../clock';
import type { LockListInput } from '../../domain/console-inputs';
import type { BoardRow } from '../board-row';
import type { LockTable } from './lock-table';
import { SlotOrder } from './slot-order';
import { sortSlots } from './sort-slots';
import type { TimeSlice } from './time-slice';

/** Rows keep their places for so long. */
const RANK_EVERY_MS = 10_000;

const ROWS_A_LOOK = 256;

/** Above every length of a queue. */
const WAITERS_END = 65_536;
const STATUSES_END = 16;
const TIER_STEP = WAITERS_END * STATUSES_END;

const NEVER = Number.POSITIVE_INFINITY;

/** By slot: what a lock is sorted by, as it was when it got its place. Its name comes last. */
class Keys {
  first = new Float64Array(64);
  second = new Float64Array(64);
  third = new Float64Array(64);

  makeRoom(slot: number): void {
    if (slot < this.first.length) return;
    const wider = (old: Float64Array) => {
      const fresh = new Float64Array(Math.max(slot + 1, 2 * old.length));
      fresh.set(old);
      return fresh;
    };
    this.first = wider(this.first);
    this.second = wider(this.second);
    this.third = wider(this.third);
  }
}

/**
 * All locks in one order. They are ranked on a clock and keep their places in between, but for three: a lock that needs
 * somebody at once moves up, a new one goes where it belongs, and one that is forgotten leaves.
 */
export class Ranking {
  readonly order = new SlotOrder();
  /** Rises with each ranking. */
  number = 0;
  private keys = new Keys();
  /** By slot: the version at which it got its place between two rankings. */
  private placed = new Float64Array(64);
  private version = 0;
  private rankedAt = Number.NEGATIVE_INFINITY;
  private moves = -1;
  private ranking: Promise<void> | null = null;
  private readonly sign: 1 | -1;
  /** Instants near it make small keys, which are sorted sooner. */
  private readonly origin: number;

  constructor(
    private readonly table: LockTable,
    private readonly sort: LockListInput['sort'],
    private readonly isDescending: boolean,
    private readonly clock: Clock,
  ) {
    this.origin = clock.now();
    this.sign = isDescending ? -1 : 1;
  }

  /** Unlike that of every other ranking of this process. */
  get name(): string {
    return `${this.sort}${this.isDescending ? '-' : '+'}${this.origin.toString(36)}.${this.number}`;
  }

  /** Where a lock comes among the others. */
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

  /** Whether the lock in this slot has got another place since, other than by a ranking. */
  hasMoved(slot: number, version: number): boolean {
    return (this.placed[slot] as number) > version;
  }

  /** Ranks if it is time, and brings the order up to date. */
  async update(slice: TimeSlice): Promise<void> {
    const isOld = this.clock.monotonic() - this.rankedAt >= RANK_EVERY_MS;
    const isDue = isOld && this.moves !== this.table.moves;
    if (isDue || !this.catchUp()) {
      this.ranking ??= this.rank(slice).finally(() => {
        this.ranking = null;
      });
      await this.ranking;
      this.catchUp();
    }
  }

  /** False: too much has changed since, it has to be ranked. */
  catchUp(): boolean {
    const { log, columns } = this.table;
    if (this.number === 0 || !log.reaches(this.version)) return false;
    const removed: number[] = [];
    const added: number[] = [];
    for (const slot of log.since(this.version, columns.versions)) {
      const isIn = this.order.has(slot);
      const isThere = this.table.isKnown(slot);
      const isNew = (columns.births[slot] as number) > this.version;
      const isToMove = isNew || this.rises(slot);
      if (isIn && (!isThere || isToMove)) removed.push(slot);
      if (isThere && (!isIn || isToMove)) added.push(slot);
    }
    this.version = log.end;
    for (const slot of added) this.place(slot);
    this.order.change(removed, added, this.compare);
    return true;
  }

  private async rank(slice: TimeSlice): Promise<void> {
    const { table } = this;
    const [version, moves] = [table.log.end, table.moves];
    const keys = new Keys();
    keys.makeRoom(table.slotsEnd);
    const slots = table.names.copy();
    for (const [i, slot] of slots.entries()) {
      const row = table.at(slot);
      if (row) this.setKeys(keys, slot, row);
      if (i % ROWS_A_LOOK === 0 && slice.isOver) await slice.pause();
    }
    if (this.sort !== 'name') {
      for (const column of [keys.third, keys.second, keys.first]) {
        await sortSlots(slots, column, slice);
      }
    } else if (this.sign < 0) slots.reverse();
    // All from here on in one go. What changed meanwhile is put right by what follows.
    this.keys = keys;
    this.order.replace(slots.filter((slot) => table.isKnown(slot)));
    this.version = version;
    this.moves = moves;
    this.number += 1;
    this.rankedAt = this.clock.monotonic();
  }

  private rises(slot: number): boolean {
    if (this.sort !== 'worst' || this.table.columns.tiers[slot] !== 0) return false;
    const tier = Math.floor((this.sign * (this.keys.first[slot] as number)) / TIER_STEP);
    return tier !== 0;
  }

  private place(slot: number): void {
    const row = this.table.at(slot);
    if (!row) return;
    this.keys.makeRoom(slot);
    this.setKeys(this.keys, slot, row);
    if (slot >= this.placed.length) {
      const wider = new Float64Array(Math.max(slot + 1, 2 * this.placed.length));
      wider.set(this.placed);
      this.placed = wider;
    }
    this.placed[slot] = this.version;
  }

  private setKeys(keys: Keys, slot: number, row: BoardRow): void {
    const { sort, sign } = this;
    const { tiers, statuses } = this.table.columns;
    if (sort === 'name') return;
    const hold = row.hold;
    keys.third[slot] = hold?.grantedAt ?? NEVER;
    if (sort === 'worst') {
      const rank = (tiers[slot] as number) * STATUSES_END + (statuses[slot] as number);
      const waiters = Math.min(row.waiters, WAITERS_END - 1);
      keys.first[slot] = sign * (rank * WAITERS_END + WAITERS_END - 1 - waiters);
      keys.second[slot] = sign * ((row.oldestWaitAt ?? this.origin) - this.origin);
    } else if (sort === 'waiters') keys.first[slot] = -sign * row.waiters;
    else if (sort === 'lease') keys.first[slot] = sign * (hold?.expiresAt ?? NEVER);
    else keys.first[slot] = sign * (hold?.grantedAt ?? NEVER);
  }
}

function compareKeys(keys: Float64Array, a: number, b: number): number {
  const [one, other] = [keys[a] as number, keys[b] as number];
  return one < other ? -1 : one > other ? 1 : 0;
}
