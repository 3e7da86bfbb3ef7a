import { LOCK_STATUSES, type LockStatus } from '../../../contract/console/console-terms';
import type { BlockedCallers } from '../../../core/status/blocking-time';
import type { ProjectionRow } from '../../projection/projection-row';
import type { HoldFigures } from './current-status';
import type { LockColumns } from './lock-columns';

/** How many locks there are, by state. */
export interface LockCounts {
  locks: number;
  /** Held locks, whatever their status; not counting those whose backend does not respond. */
  held: number;
  waiting: number;
  counts: Record<LockStatus, number>;
  /** The callers that they keep from work, as in `LockColumns`. */
  blocked: BlockedCallers;
}

/** The locks of one namespace on one backend, or on one shard of it. */
export interface LockGroup extends LockCounts, HoldFigures {
  namespace: string;
  /** The backend's name for people. */
  backend: string;
}

/** Counts of all locks, updated with each change. */
export class LockGroups {
  private readonly groups: LockGroup[] = [];
  private readonly indexes = new Map<string, number>();
  private names: string[] | null = null;

  /** Every namespace that has locks, sorted; the same array until they change. */
  get namespaces(): string[] {
    this.names ??= [...new Set(this.list().map(({ namespace }) => namespace))].sort();
    return this.names;
  }

  /** The groups that have locks. */
  list(): LockGroup[] {
    return this.groups.filter(({ locks }) => locks > 0);
  }

  /** The sum over all locks. */
  sum(): LockCounts {
    const sum = noLocks();
    for (const { locks, held, waiting, counts, blocked } of this.groups) {
      sum.locks += locks;
      sum.held += held;
      sum.waiting += waiting;
      sum.blocked.callers += blocked.callers;
      sum.blocked.sinceSum += blocked.sinceSum;
      for (const status of LOCK_STATUSES) sum.counts[status] += counts[status];
    }
    return sum;
  }

  /** The group of a lock. */
  of(slot: number, columns: LockColumns): LockGroup | undefined {
    return this.groups[(columns.groups[slot] as number) - 1];
  }

  /** Adds a lock to the counts, by its columns. */
  add(slot: number, columns: LockColumns, row: ProjectionRow): void {
    const place = this.indexOf(row);
    columns.groups[slot] = place + 1;
    this.count(slot, columns, 1);
  }

  /** Removes a lock from the counts. */
  remove(slot: number, columns: LockColumns): void {
    if (columns.groups[slot] === 0) return;
    this.count(slot, columns, -1);
    columns.groups[slot] = 0;
  }

  private count(slot: number, columns: LockColumns, by: 1 | -1): void {
    const group = this.groups[(columns.groups[slot] as number) - 1];
    if (!group) return;
    if (group.locks === 0 || group.locks + by === 0) this.names = null;
    group.locks += by;
    group.held += by * (columns.isHeld[slot] as number);
    group.permitsHeld += by * (columns.permitsHeld[slot] as number);
    group.permitCapacity += by * (columns.permitCapacity[slot] as number);
    group.keptHolds += by * (columns.keptHolds[slot] as number);
    group.waiting += by * (columns.waiting[slot] as number);
    group.blocked.callers += by * (columns.blockedCallers[slot] as number);
    group.blocked.sinceSum += by * (columns.blockedSince[slot] as number);
    group.counts[LOCK_STATUSES[columns.statuses[slot] as number] as LockStatus] += by;
  }

  private indexOf({ key: { namespace }, backend, publicBackend }: ProjectionRow): number {
    const id = `${backend}/${namespace}`;
    const known = this.indexes.get(id);
    if (known !== undefined) return known;
    const group = { namespace, backend: publicBackend };
    const figures = { permitsHeld: 0, permitCapacity: 0, keptHolds: 0 };
    const place = this.groups.push({ ...group, ...figures, ...noLocks() }) - 1;
    this.indexes.set(id, place);
    return place;
  }
}

function noLocks(): LockCounts {
  const zeros = LOCK_STATUSES.map((status) => [status, 0]);
  const blocked = { callers: 0, sinceSum: 0 };
  return { locks: 0, held: 0, waiting: 0, counts: Object.fromEntries(zeros), blocked };
}
