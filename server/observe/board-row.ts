import { decodeRecord } from '../backends/record-codec';
import { recordId } from '../backends/record-id';
import type { ReadRecord } from '../backends/record-store';
import {
  type EndedHold,
  type Hold,
  type LockRecord,
  liveHolds,
  unwrittenRecord,
} from '../domain/lock-record';
import type { HoldRow, LockRow, WaiterRow } from '../domain/lock-row';
import { leadingHold, lockStatus, type StatusFacts, statusFacts } from '../domain/lock-status';
import { type LockNorms, stuckReason } from '../domain/stuck-reason';

/** A lock as the board keeps it: everything of a row but what changes though the record does not. */
export interface BoardRow {
  row: Omit<LockRow, 'status' | 'stuck' | 'ownHold'>;
  facts: StatusFacts;
  /** As it was read; one that nobody has written where it cannot be read. */
  record: LockRecord;
  /** Lower-case text that a search looks in. */
  haystack: string;
  /** False: there is a record, and nobody knows what it says. */
  isReadable: boolean;
}

export function boardRow(
  backend: string,
  { key, now }: Pick<ReadRecord, 'key' | 'now'>,
  record: LockRecord,
): BoardRow {
  const { namespace, name } = key;
  const hold = leadingHold(record, now);
  const row = {
    id: rowId(backend, recordId(key)),
    namespace,
    name,
    backend,
    rev: record.rev,
    hold: hold && holdRow(hold),
    holders: liveHolds(record, now).length,
    frozen: record.frozen,
    delayedUntil: record.delayedUntil,
    ended: hold || !record.ended ? null : endedRow(record.ended),
    waiters: record.queue.length,
    oldestWaitAt: record.queue[0]?.enqueuedAt ?? null,
    readAt: now,
  };
  const parties = hold ? record.holds : row.ended ? [row.ended] : [];
  const words = parties.flatMap(({ owner, service, token }) => [owner, service, token]);
  const haystack = [namespace, name, ...words].join('\n').toLowerCase();
  return { row, facts: statusFacts(record), record, haystack, isReadable: true };
}

/** The row of a record whose text no version of ours wrote. */
export function unreadableRow(backend: string, read: ReadRecord): BoardRow {
  const rev = read.record?.rev ?? 0;
  return { ...boardRow(backend, read, { ...unwrittenRecord(read.now), rev }), isReadable: false };
}

/** The record that was read; null if there is none. Throws for a text that no version of ours wrote. */
export function recordRead({ record }: ReadRecord): LockRecord | null {
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
    .map(({ ticket, mode, owner, service, process, enqueuedAt, patienceMs, detachedUntil }) => {
      const patienceUntil = enqueuedAt + patienceMs;
      const detached = detachedUntil !== null;
      return { ticket, mode, owner, service, process, enqueuedAt, patienceUntil, detached };
    })
    .filter(({ patienceUntil }) => patienceUntil > now);
}

export function holdRow(hold: Hold): HoldRow {
  const { token, mode, service, owner, count, leaseMs, grantedAt, renewedAt, renewals } = hold;
  const { expiresAt, waitedMs, meta, askedToRelease, renewalsStopped } = hold;
  const who = { token, mode, service, owner, holdCount: count };
  const times = { leaseMs, grantedAt, renewedAt, renewals, expiresAt, waitedMs };
  return { ...who, ...times, meta, askedToRelease, renewalsStopped };
}

function endedRow({ owner, service, token, cause, grantedAt, at }: EndedHold) {
  return { owner, service, token, cause, grantedAt, at };
}
