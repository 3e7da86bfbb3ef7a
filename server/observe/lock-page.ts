import type { LockListInput } from '../domain/console-inputs';
import type { BackendHealth, LockPage, LockRow } from '../domain/lock-row';
import { LOCK_STATUSES, type LockStatus } from '../domain/lock-status';

const RANK = Object.fromEntries(LOCK_STATUSES.map((status, i) => [status, i])) as Record<
  LockStatus,
  number
>;

type Order = (a: LockRow, b: LockRow) => number;

const byName: Order = (a, b) => compare(a.name, b.name) || compare(a.namespace, b.namespace);

/** Longest first. A lock that nobody holds comes last. */
const byHeld: Order = (a, b) => compare(since(a), since(b));

const ORDERS: Record<LockListInput['sort'], Order> = {
  worst: (a, b) =>
    RANK[a.status] - RANK[b.status] ||
    b.waiters - a.waiters ||
    (a.oldestWaitAt ?? 0) - (b.oldestWaitAt ?? 0),
  name: byName,
  held: byHeld,
  lease: (a, b) => compare(leaseEnd(a), leaseEnd(b)),
  waiters: (a, b) => b.waiters - a.waiters,
};

/** Everything about the installation that a page carries besides its rows. */
export interface PageFrame {
  backends: BackendHealth[];
  namespaces: string[];
  ranking: string;
  slowed: boolean;
  asOf: number;
}

/**
 * Filters and sorts the lock list. Locks of one rank keep a fixed order (longest held, then name), so that a page that
 * is made again has its rows where they were.
 */
export function makeLockPage(
  rows: LockRow[],
  isFound: (row: LockRow) => boolean,
  input: LockListInput,
  frame: PageFrame,
): LockPage {
  const counts = Object.fromEntries(LOCK_STATUSES.map((status) => [status, 0])) as Record<
    LockStatus,
    number
  >;
  let waiting = 0;
  for (const row of rows) {
    counts[row.status] += 1;
    waiting += row.waiters;
  }
  const matching = rows.filter(
    (row) =>
      (input.status === undefined || row.status === input.status) &&
      (input.namespace === undefined || row.namespace === input.namespace) &&
      isFound(row),
  );
  const order = ORDERS[input.sort];
  const sign = input.descending ? -1 : 1;
  matching.sort((a, b) => sign * order(a, b) || byHeld(a, b) || byName(a, b));
  return {
    rows: matching.slice(input.offset, input.offset + input.limit),
    offset: input.offset,
    matching: matching.length,
    counts,
    total: rows.length,
    waiting,
    ...frame,
  };
}

function leaseEnd(row: LockRow): number {
  return row.hold?.expiresAt ?? Number.POSITIVE_INFINITY;
}

function since(row: LockRow): number {
  return row.hold?.grantedAt ?? Number.POSITIVE_INFINITY;
}

function compare<T extends string | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
