import type { Database } from '@/db/database';
import type { Remark } from '../../contract/primitives';
import type { LockEvent } from '../../core/lock/lock-event';
import type { LockRecord } from '../../core/lock/lock-record';
import { isSameParty, partyKey } from '../../core/party';
import { type PastHold, type PastWait, withoutMoved } from '../../core/past/event-span';
import { openSince, recordAt } from '../../core/past/record-at';
import { unendedSpans } from '../../core/past/unended-spans';
import { recordKey } from '../../storage/record-id';
import type { TimeSlice } from '../lock-list/order/time-slice';
import { ProjectionRow, rowId } from '../projection/projection-row';
import type { OpenLocks } from './open-locks';
import { readLockEvents } from './read-lock-events';
import { type RecordedSpan, readSpans } from './read-spans';

/** The most holds and waits that one reading of the past searches for. */
const SPANS_MAX = 20_000;

/** For at most this many locks events are read; others are shown by their spans alone. */
const LOOKED_INTO_MAX = 1_000;

/** A lock of the past, while its state is being gathered. */
interface PastLock {
  id: string;
  lockId: string;
  store: string;
  at: number;
  holds: PastHold[];
  waits: PastWait[];
  /** Waits that may have been in the queue of another lock of the same set. */
  unsure: Set<PastWait>;
  frozen: Remark | null;
  frozenSince: number | null;
  now: LockRecord | null;
}

interface PastSources {
  database: Database;
  open: OpenLocks;
  /** By the id under which history is recorded: the backend's id as users know it. */
  publicIds: ReadonlyMap<string, string>;
  /** An instant of the past on the clock of a store. */
  atOf: (store: string) => number;
  /** Until when the open locks of a store are known to be right, on its clock. */
  knownUntilOf: (store: string) => number;
  lockDelayMsOf: (namespace: string) => number;
  /** Locks to include, if events can be read of them, even if they were not in use. */
  others: readonly { store: string; lockId: string }[];
  slice: TimeSlice;
}

/**
 * Every lock that was held, waited for or frozen at an instant, as it was then.
 *
 * @param lookedIntoMax for at most this many locks events are read
 */
export async function readPastLocks(
  from: PastSources,
  lookedIntoMax = LOOKED_INTO_MAX,
): Promise<{ rows: ProjectionRow[]; isCut: boolean }> {
  const { database, open, atOf, publicIds, slice } = from;
  const stores = [...publicIds.keys()];
  const { spans, isCut } = await readSpans(database, atOf, stores, SPANS_MAX, slice);
  const locks = new Map<string, PastLock>();
  const lockOf = (store: string, lockId: string) => {
    const id = rowId(publicIds.get(store) ?? store, lockId);
    const lock = locks.get(id) ?? newLock(id, lockId, store, atOf(store));
    locks.set(id, lock);
    return lock;
  };
  await slice.forEach(spans, (span) => addSpan(lockOf(span.store, span.lockId), span));
  markSets(spans, lockOf);
  await slice.forEach(open.rows, (row) => addOpen(row, lockOf, from));
  for (const { store, lockId } of from.others) lockOf(store, lockId);
  dropMovedWaits([...locks.values()]);
  const rows: ProjectionRow[] = [];
  const isShown = (lock: PastLock, i: number) => i < lookedIntoMax || !isUnused(lock);
  const shown = byWeight([...locks.values()]).filter(isShown);
  for (const [i, lock] of shown.entries()) {
    rows.push(await rowAt(lock, from, i < lookedIntoMax));
    if (slice.isOver) await slice.pause();
  }
  return { rows, isCut: isCut || shown.length < locks.size };
}

/** One lock as it was, if `readPastLocks` has not found it: it was not in use. */
export function readPastLock(
  from: Pick<PastSources, 'database' | 'publicIds' | 'atOf' | 'lockDelayMsOf'>,
  store: string,
  lockId: string,
): Promise<ProjectionRow> {
  const id = rowId(from.publicIds.get(store) ?? store, lockId);
  return rowAt(newLock(id, lockId, store, from.atOf(store)), from, true);
}

/**
 * One lock of a store that is no longer configured. If its events leave a hold or a freeze open
 * whose end is not recorded, it is shown as of the latest of them, and is known only at that
 * instant.
 *
 * @param found what `readPastLocks` has found of it: only what has a recorded end
 */
export async function readFormerLock(
  from: Parameters<typeof readPastLock>[0],
  store: string,
  lockId: string,
  found: ProjectionRow | null,
): Promise<{ row: ProjectionRow; isKnown: boolean }> {
  const lock = newLock(rowId(store, lockId), lockId, store, from.atOf(store));
  const events = await readLockEvents(from.database, lockId, lock.at, []);
  const open = unendedSpans(events);
  const { holds, waits, frozen } = openSince(found?.record ?? null, lock.at);
  const tokens = new Set(holds.map(({ token }) => token));
  const endless = open.holds.filter(({ token }) => !tokens.has(token));
  if (endless.length === 0 && (frozen || !open.frozen)) {
    return { row: found ?? (await rowAt(lock, from, true)), isKnown: true };
  }
  const at = Math.max(...events.map((event) => event.at));
  const shown = { ...lock, at, holds: [...holds, ...endless], waits, frozen: open.frozen };
  return { row: await rowAt(shown, from, true), isKnown: at === lock.at };
}

function newLock(id: string, lockId: string, store: string, at: number): PastLock {
  const empty = { holds: [], waits: [], unsure: new Set<PastWait>() };
  return { id, lockId, store, at, ...empty, frozen: null, frozenSince: null, now: null };
}

function addSpan(lock: PastLock, { of, from, to, event }: RecordedSpan): void {
  const { service, owner, token, permits, mode, kind } = event;
  const permitPart = permits === undefined ? {} : { permits };
  if (of === 'freeze') lock.frozenSince = from;
  else if (of === 'wait') {
    const how = mode === undefined ? {} : { mode };
    lock.waits.push({ from, to, service, owner, ...how, ...permitPart, end: kind });
  } else if (token !== undefined && !lock.holds.some((hold) => hold.token === token)) {
    lock.holds.push({ from, to, service, owner, token, ...permitPart });
  }
}

/**
 * Marks waits of multi-locks: all locks of a set are granted together, but the set waited in the
 * queue of only one of them.
 */
function markSets(
  spans: readonly RecordedSpan[],
  lockOf: (store: string, lockId: string) => PastLock,
): void {
  const grants = new Map<string, RecordedSpan[]>();
  for (const span of spans) {
    if (span.of !== 'wait' || span.event.kind !== 'granted') continue;
    const key = `${span.store}\n${span.historyId}\n${partyKey(span.event)}\n${span.from}`;
    grants.set(key, [...(grants.get(key) ?? []), span]);
  }
  for (const set of grants.values()) {
    if (set.length === 1) continue;
    for (const { store, lockId, from, event } of set) {
      const lock = lockOf(store, lockId);
      const isSame = (wait: PastWait) => wait.from === from && wait.owner === event.owner;
      for (const wait of lock.waits) if (isSame(wait)) lock.unsure.add(wait);
    }
  }
}

function addOpen(
  row: ProjectionRow,
  lockOf: (store: string, lockId: string) => PastLock,
  { atOf, knownUntilOf }: PastSources,
): void {
  const at = atOf(row.backend);
  const { holds, waits, frozen } = openSince(row.record, at, knownUntilOf(row.backend));
  if (holds.length + waits.length === 0 && !frozen) return;
  const lock = lockOf(row.backend, row.id.slice(row.publicBackend.length + 1));
  lock.now = row.record;
  lock.frozen = frozen;
  // A hold or wait that has ended since this reading is in the list already, with its end.
  const tokens = new Set(lock.holds.map(({ token }) => token));
  lock.holds.push(...holds.filter(({ token }) => !tokens.has(token)));
  const isKnown = (wait: PastWait) =>
    lock.waits.some((other) => other.from === wait.from && isSameParty(other, wait));
  const open = waits.filter((wait) => !isKnown(wait));
  lock.waits.push(...open);
}

function dropMovedWaits(locks: readonly PastLock[]): void {
  const all = locks.flatMap((lock) => lock.waits.map((wait) => ({ lock: lock.id, wait })));
  const kept = new Set(withoutMoved(all).map(({ wait }) => wait));
  for (const lock of locks) lock.waits = lock.waits.filter((wait) => kept.has(wait));
}

/**
 * Locks with waiters come first: they show the most. Then those without holds, of which only their
 * events say what had happened, such as that the last lease had expired.
 */
function byWeight(locks: PastLock[]): PastLock[] {
  const holdsOf = ({ holds }: PastLock) => holds.length || Number.MAX_SAFE_INTEGER;
  return locks.sort((a, b) => b.waits.length - a.waits.length || holdsOf(b) - holdsOf(a));
}

/** Whether all that is known of a lock is in its events. */
const isUnused = ({ waits, holds, frozen, frozenSince }: PastLock) =>
  waits.length + holds.length === 0 && frozen === null && frozenSince === null;

async function rowAt(
  lock: PastLock,
  from: Pick<PastSources, 'database' | 'publicIds' | 'lockDelayMsOf'>,
  isLookedInto: boolean,
): Promise<ProjectionRow> {
  const { lockId, store, at, now, frozenSince } = lock;
  const beginnings = lock.holds.map((hold) => hold.from);
  if (frozenSince !== null) beginnings.push(frozenSince);
  const events = isLookedInto ? await readLockEvents(from.database, lockId, at, beginnings) : [];
  const key = recordKey(lockId);
  const record = recordAt({
    at,
    holds: lock.holds,
    waits: lock.waits.filter((wait) => !lock.unsure.has(wait) || hasQueued(wait, events)),
    frozen: lock.frozen ?? freezeAt(frozenSince, events),
    events,
    now,
    lockDelayMs: from.lockDelayMsOf(key.namespace),
  });
  const publicId = from.publicIds.get(store) ?? store;
  return ProjectionRow.of({ id: store, publicId }, key, at, record);
}

/** Whether a wait was in this queue, and has not left it for that of another lock. */
function hasQueued(wait: PastWait, events: readonly LockEvent[]): boolean {
  const last = events.findLast(
    (event) => QUEUE_KINDS.has(event.kind) && isSameParty(event, wait) && event.at >= wait.from,
  );
  return last !== undefined && last.kind !== 'moved';
}

const QUEUE_KINDS = new Set<string>(['queued', 'resumed', 'moved']);

function freezeAt(since: number | null, events: readonly LockEvent[]): Remark | null {
  if (since === null) return null;
  const begun = events.findLast(({ kind, at }) => kind === 'frozen' && at <= since);
  return { by: begun?.by ?? '', reason: begun?.reason ?? '', at: since };
}
