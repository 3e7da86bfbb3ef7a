import { decodeRecord } from '../backends/record-codec';
import { recordId } from '../backends/record-id';
import type { ReadRecord, RecordKey } from '../backends/record-store';
import { whatIsUnreadable } from '../backends/unreadable-record';
import {
  type EndedHold,
  type Hold,
  type LockRecord,
  liveHolds,
  unwrittenRecord,
  type Waiter,
} from '../domain/lock-record';
import type { HoldRow, LockRow, WaiterRow } from '../domain/lock-row';
import { leadingHold, lockStatus, type StatusFacts, statusFacts } from '../domain/lock-status';
import { type LockNorms, stuckReason } from '../domain/stuck-reason';

/** What a page shows of a lock: everything but what changes though the record does not. */
type ShownRow = Omit<LockRow, 'status' | 'stuck' | 'ownHold'>;

/** A lock as the board keeps it. What people see of it is made when they look: most changes nobody looks at. */
export class BoardRow {
  /** By what the lock goes on the board. */
  readonly id: string;
  private shown: ShownRow | null = null;
  private text: string | null = null;

  /**
   * @param readAt the backend's clock when it was read
   * @param record as it was read; one that nobody has written where it cannot be read
   * @param isReadable false: there is a record, and nobody knows what it says
   * @param shownAs the backend as people know it, where `backend` is a shard of it
   * @param complaint why nobody knows what it says, as a sentence
   */
  constructor(
    readonly backend: string,
    readonly key: RecordKey,
    private readonly readAt: number,
    readonly record: LockRecord,
    readonly isReadable = true,
    readonly shownAs = backend,
    private readonly complaint: string | null = null,
  ) {
    this.id = rowId(shownAs, recordId(key));
  }

  get row(): ShownRow {
    this.shown ??= this.show();
    return this.shown;
  }

  get facts(): StatusFacts {
    return statusFacts(this.record);
  }

  /** Lower-case text that a search looks in. */
  get haystack(): string {
    this.text ??= this.searched();
    return this.text;
  }

  private searched(): string {
    const { namespace, name, hold, ended } = this.row;
    const parties = hold ? this.record.holds : ended ? [ended] : [];
    const words = parties.flatMap(({ owner, service, token }) => [owner, service, token]);
    return [namespace, name, ...words].join('\n').toLowerCase();
  }

  private show(): ShownRow {
    const { id, shownAs, key, readAt, record } = this;
    const hold = leadingHold(record, readAt);
    return {
      id,
      namespace: key.namespace,
      name: key.name,
      backend: shownAs,
      rev: record.rev,
      hold: hold && holdRow(hold),
      holders: liveHolds(record, readAt).length,
      frozen: record.frozen,
      delayedUntil: record.delayedUntil,
      ended: hold || !record.ended ? null : endedRow(record.ended),
      waiters: record.queue.length,
      oldestWaitAt: oldestWaitAt(record.queue),
      readAt,
      ...(this.complaint === null ? {} : { unreadable: this.complaint }),
    };
  }
}

/** The row of a record whose text no version of ours wrote. */
export function unreadableRow(
  backend: string,
  { key, now, record }: ReadRecord,
  shownAs = backend,
  cause: unknown = null,
): BoardRow {
  const rev = record?.rev || 0;
  const blank = { ...unwrittenRecord(now), rev };
  return new BoardRow(backend, key, now, blank, false, shownAs, whatIsUnreadable(cause));
}

/** The row of what was read, also where nobody knows what it says. */
export function rowRead(backend: string, read: ReadRecord, shownAs: string): BoardRow {
  try {
    const record = recordRead(read);
    if (record) return new BoardRow(backend, read.key, read.now, record, true, shownAs);
    return unreadableRow(backend, read, shownAs);
  } catch (cause) {
    return unreadableRow(backend, read, shownAs, cause);
  }
}

/** The record that was read; null if there is none. Throws for a text that no version of ours wrote. */
function recordRead({ record }: ReadRecord): LockRecord | null {
  return record && decodeRecord(record).record;
}

/** The row as it is at `now`, the backend's clock. */
export function withStatus(
  { row, facts, isReadable }: BoardRow,
  norms: LockNorms,
  now: number,
  reachable: boolean,
): LockRow {
  const status = lockStatus(facts, norms, now, reachable && isReadable);
  const stuck = status === 'stuck' ? stuckReason(facts, norms, now) : null;
  return { ...row, ownHold: norms.ownHold, status, stuck };
}

/** By what a lock goes on the board. @param id of its record */
export const rowId = (backend: string, id: string) => `${backend}/${id}`;

export function waiterRows(record: LockRecord | null, now: number): WaiterRow[] {
  return (record?.queue ?? [])
    .map((waiter): WaiterRow => {
      const { ticket, mode, owner, service, process, enqueuedAt, patienceMs } = waiter;
      const patienceUntil = enqueuedAt + patienceMs;
      const detached = waiter.detachedUntil !== null;
      const who = { ticket, mode, owner, service, process };
      const row = { ...who, enqueuedAt, patienceUntil, detached };
      return waiter.setSize === undefined ? row : { ...row, setSize: waiter.setSize };
    })
    .filter(({ patienceUntil }) => patienceUntil > now);
}

export function holdRow(hold: Hold): HoldRow {
  const { token, mode, service, owner, count, leaseMs, grantedAt, renewedAt, renewals } = hold;
  const { expiresAt, waitedMs, meta, askedToRelease, renewalsStopped, set } = hold;
  const who = { token, mode, service, owner, holdCount: count };
  const times = { leaseMs, grantedAt, renewedAt, renewals, expiresAt, waitedMs };
  const row = { ...who, ...times, meta, askedToRelease, renewalsStopped };
  return set ? { ...row, set } : row;
}

function endedRow({ owner, service, token, cause, grantedAt, at }: EndedHold) {
  return { owner, service, token, cause, grantedAt, at };
}

/** Not always the first one's: a set brings its age along from queue to queue. */
function oldestWaitAt(queue: readonly Waiter[]): number | null {
  const oldest = queue.reduce((at, waiter) => Math.min(at, waiter.enqueuedAt), Number.MAX_VALUE);
  return queue.length > 0 ? oldest : null;
}
