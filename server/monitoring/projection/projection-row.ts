import type { LockStatus } from '../../contract/console/console-terms';
import type { HoldRow, LockRow, WaiterRow } from '../../contract/console/lock-row';
import { traceOf } from '../../core/lock/hold-lifecycle';
import { permitsView, waitedFor } from '../../core/lock/lock-answers';
import {
  type EndedHold,
  type Hold,
  holdOf,
  type LockRecord,
  liveHolds,
  unwrittenRecord,
} from '../../core/lock/lock-record';
import { inServiceOrder, oldestWaitAt, patienceEndsAt } from '../../core/lock/queue';
import {
  expiringAfter,
  type LockTier,
  leadingHold,
  lockStatus,
  lockTier,
  type StatusFacts,
  statusFacts,
} from '../../core/status/lock-status';
import { type LockBaselines, longestHold } from '../../core/status/stuck-reason';
import { decodeRecord } from '../../storage/codec/record-codec';
import { describeUnreadable } from '../../storage/codec/unreadable-record';
import { recordId } from '../../storage/record-id';
import type { ReadRecord, RecordKey } from '../../storage/record-store';
import { RecordCompactor } from '../lock-list/table/record-compactor';
import {
  factsAt,
  NO_REASON,
  type StatusReason,
  statusReason,
} from '../lock-list/table/status-reason';
import { type LockPressure, lockPressure } from './lock-pressure';

/** A lock in the projection. The row for people is built on request: most are never viewed. */
export class ProjectionRow {
  private cachedSearchText: string | null = null;

  /**
   * @param id the id of the lock's row
   * @param backend the id under which its record is stored
   * @param publicBackend the backend's public id, where `backend` is one of its shards
   * @param readAt the backend's clock at the time of the read
   * @param record the record as read; an unwritten one if it cannot be decoded
   * @param isReadable false: a record exists but cannot be decoded
   * @param unreadableBecause why it cannot be decoded, as a sentence
   */
  private constructor(
    readonly id: string,
    readonly key: RecordKey,
    readonly backend: string,
    readonly publicBackend: string,
    readonly readAt: number,
    readonly record: LockRecord,
    readonly isReadable = true,
    readonly unreadableBecause: string | null = null,
  ) {}

  static of(backend: RowSource, key: RecordKey, readAt: number, record: LockRecord): ProjectionRow {
    const { id, publicId } = backend;
    return new ProjectionRow(rowId(publicId, recordId(key)), key, id, publicId, readAt, record);
  }

  /** The row for a record just read, even if it cannot be decoded. */
  static read(backend: RowSource, read: ReadRecord, shared = new RecordCompactor()): ProjectionRow {
    const { key, now } = read;
    let problem: string | null = null;
    try {
      const record = decodeRead(read);
      if (record) return ProjectionRow.of(backend, key, now, shared.compact(record));
    } catch (cause) {
      problem = describeUnreadable(cause);
    }
    const { id, publicId } = backend;
    const record = { ...unwrittenRecord(now), rev: read.record?.rev || 0 };
    const row = rowId(publicId, recordId(key));
    return new ProjectionRow(row, key, id, publicId, now, record, false, problem);
  }

  get rev(): number {
    return this.record.rev;
  }

  get waiters(): number {
    return this.record.queue.length;
  }

  /** When the first lease that has not been ended expires; `Infinity` if there is none. */
  get firstExpiryAt(): number {
    let first = Number.POSITIVE_INFINITY;
    for (const { expiresAt } of this.record.holds) if (expiresAt < first) first = expiresAt;
    return first;
  }

  /** When the longest waiter arrived; null without waiters. */
  get oldestWaitAt(): number | null {
    return oldestWaitAt(this.record.queue);
  }

  /** The hold of the lock; of several that share it, see `leadingHold`. */
  get hold(): Hold | null {
    return leadingHold(this.record, this.readAt);
  }

  get facts(): StatusFacts {
    return statusFacts(this.record);
  }

  /** Lower-case text that a search looks in. */
  get searchText(): string {
    this.cachedSearchText ??= this.buildSearchText();
    return this.cachedSearchText;
  }

  /** Builds the search text now. False: it exists already. */
  prepareSearchText(): boolean {
    if (this.cachedSearchText !== null) return false;
    this.cachedSearchText = this.buildSearchText();
    return true;
  }

  private buildSearchText(): string {
    const { key, record } = this;
    const parties = record.holds.length > 0 ? record.holds : record.ended ? [record.ended] : [];
    const words = parties.flatMap(({ owner, service, token }) => [owner, service, token]);
    return [key.namespace, key.name, ...words].join('\n').toLowerCase();
  }
}

/** The backend or shard that a row is read from. */
export interface RowSource {
  id: string;
  publicId: string;
}

/** What pages show of a lock besides its record and its status. */
export interface ShownFacts extends Pick<LockRow, 'ownHold'> {
  reason: NonNullable<StatusReason>;
  pressure: LockPressure;
}

/**
 * The lock as pages show it. Optional fields are set one by one: spread into the others, they would
 * make a list of a thousand locks cost several times as much.
 */
export function toLockRow(
  row: ProjectionRow,
  { status, tier }: { status: LockStatus; tier: LockTier },
  { reason, ownHold, pressure }: ShownFacts,
): LockRow {
  const { id, backend, publicBackend, key, readAt, record, unreadableBecause } = row;
  const { stuck, orphaned } = reason;
  const { blocked, refused, queueTrend } = pressure;
  const hold = holdInTheWay(row, status, reason);
  // The status is newer than the reading: a lock that is expired or free has no holder by now.
  const isHeldByNone = status === 'expired' || status === 'free';
  const heldAt = isHeldByNone ? Number.POSITIVE_INFINITY : readAt;
  const shown: LockRow = {
    id,
    namespace: key.namespace,
    name: key.name,
    backend: publicBackend,
    rev: record.rev,
    hold: hold && holdRow(hold),
    holders: liveHolds(record, heldAt).length,
    frozen: record.frozen,
    delayedUntil: record.delayedUntil,
    ended: endedRow(record.ended, hold !== null),
    waiters: row.waiters,
    oldestWaitAt: row.oldestWaitAt,
    readAt,
    status,
    stuck,
    ownHold,
  };
  if (backend !== publicBackend) shown.shard = backend;
  const { permits } = permitsView(record, heldAt);
  if (permits) shown.permits = permits;
  if (unreadableBecause !== null) shown.unreadable = unreadableBecause;
  if (tier !== 'normal') shown.tier = tier;
  if (orphaned) shown.orphaned = orphaned;
  if (blocked) shown.blocked = blocked;
  if (refused) shown.refused = refused;
  if (queueTrend !== undefined) shown.queueTrend = queueTrend;
  return shown;
}

/**
 * The hold that a lock is shown with: of several, the one because of which it is stuck or expiring,
 * or whose process is dead.
 */
export function holdInTheWay(
  { record, readAt, hold }: ProjectionRow,
  status: LockStatus,
  reason: StatusReason,
): Hold | null {
  const { holds } = record;
  if (holds.length <= 1) return hold;
  const { stuck, orphaned } = reason ?? NO_REASON;
  if (orphaned) return holdOf(record, orphaned.token) ?? hold;
  if (status === 'expiring') {
    const [first = hold, ...others] = liveHolds(record, readAt);
    const isSooner = (one: Hold, than: Hold | null) =>
      than === null || expiringAfter(one) < expiringAfter(than);
    return others.reduce((soonest, one) => (isSooner(one, soonest) ? one : soonest), first);
  }
  const isOfHold = stuck !== null && stuck.kind !== 'longWait';
  return (isOfHold ? longestHold(holds, readAt) : null) ?? hold;
}

/** The record that was read, or null. Throws for a text that no version of Lockyard wrote. */
function decodeRead({ record }: ReadRecord): LockRecord | null {
  return record && decodeRecord(record).record;
}

/** The row as it is at `now`, the backend's clock. */
export function toLockRowAt(
  row: ProjectionRow,
  baselines: LockBaselines,
  now: number,
  reachable: boolean,
) {
  const facts = factsAt(row, baselines, now);
  const status = lockStatus(facts, baselines, now, reachable && row.isReadable);
  const reason = statusReason(status, facts, baselines, now) ?? NO_REASON;
  const pressure = status === 'unknown' ? {} : lockPressure(facts, baselines, now);
  const tier = lockTier(status, facts, baselines, now);
  return toLockRow(row, { status, tier }, { reason, ownHold: baselines.ownHold, pressure });
}

/**
 * The id of a lock in the projection. Joined rather than concatenated with `+`: V8 keeps such a sum
 * as a tree of its parts, which the garbage collector would visit for every lock.
 *
 * @param id of its record
 */
export const rowId = (backend: string, id: string) => [backend, id].join('/');

/** The waiters whose time is not up, in the order in which they are served. */
export function waiterRows(record: LockRecord | null, now: number): WaiterRow[] {
  return inServiceOrder(record?.queue ?? [])
    .map((waiter): WaiterRow => {
      const { ticket, mode, owner, service, process, enqueuedAt } = waiter;
      const { permits, setSize } = waiter;
      const patienceUntil = patienceEndsAt(waiter);
      const detached = waiter.detachedUntil !== null;
      const who = { ticket, mode, owner, service, process };
      return {
        ...who,
        ...(permits === undefined ? {} : { permits }),
        enqueuedAt,
        patienceUntil,
        detached,
        ...(setSize === undefined ? {} : { setSize }),
      };
    })
    .filter(({ patienceUntil }) => patienceUntil > now);
}

function holdRow(hold: Hold): HoldRow {
  const { permits, areRenewalsPartial, keptUntil, releasedAt, set } = hold;
  const row: HoldRow = {
    token: hold.token,
    mode: hold.mode,
    service: hold.service,
    owner: hold.owner,
    holdCount: hold.count,
    leaseMs: hold.leaseMs,
    grantedAt: hold.grantedAt,
    renewedAt: hold.renewedAt,
    renewals: hold.renewals,
    expiresAt: hold.expiresAt,
    waitedMs: hold.waitedMs,
    meta: hold.meta,
    askedToRelease: hold.askedToRelease,
    renewalsStopped: hold.renewalsStopped,
  };
  if (permits !== undefined) row.permits = permits;
  if (areRenewalsPartial) row.areRenewalsPartial = true;
  if (keptUntil !== undefined) row.keptUntil = keptUntil;
  if (releasedAt !== undefined) row.releasedAt = releasedAt;
  if (set) row.set = set;
  return row;
}

/** The row of a hold, with what only the page of the lock shows. */
export const tracedHoldRow = (hold: Hold): HoldRow => ({
  ...holdRow(hold),
  ...traceOf(hold),
  ...waitedFor(hold),
});

/** The last hold that ended. While the lock is held, only an operator's act is of interest. */
function endedRow(ended: EndedHold | null, isHeld: boolean): LockRow['ended'] {
  if (!ended || (isHeld && ended.cause !== 'forced')) return null;
  const { owner, service, token, cause, grantedAt, at } = ended;
  return { owner, service, token, cause, grantedAt, at };
}
