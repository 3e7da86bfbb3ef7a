import type { EndCause } from '../../contract/primitives';
import { RETENTION_AHEAD_MS } from '../decision';
import type { Draft } from '../draft';
import { nextToken } from '../fencing-token';
import type { RequestIdentity } from '../request-fingerprint';
import { ANSWER_RETENTION_MS } from '../timing';
import type { AcquireCommand } from './lock-command';
import type { LockEvent, OperatorAct } from './lock-event';
import { type EndedHold, type Hold, isReleased } from './lock-record';
import { capacityFact, nameCapacity } from './permits';
import { forgetDeparted, type WaitSpan } from './queue';

/**
 * Adds a hold with a new token and a lease that begins now. The caller has checked that the lock is
 * open and has room, so any lock-delay has ended. For a multi-lock, the code that grants all of its
 * locks stores the answer for replays.
 *
 * @param why the operator who granted it out of turn, and the reason; null: granted in turn
 */
export function grant(
  draft: Draft,
  ask: AcquireCommand,
  waitedMs: number,
  how: Pick<Hold, 'isUnclaimed' | 'waitedForTraceparent'> = {},
  why: OperatorAct | null = null,
): Hold {
  const { record, context, now } = draft;
  const token = nextToken(record.lastToken, context.epoch, now);
  const expiresAt = now + ask.leaseMs;
  const hold: Hold = {
    token,
    mode: ask.mode,
    service: ask.service,
    owner: ask.owner,
    count: 1,
    leaseMs: ask.leaseMs,
    grantedAt: now,
    renewedAt: now,
    renewals: 0,
    expiresAt,
    waitedMs,
    rev: draft.rev,
    meta: ask.meta,
    requests: ask.request.remembered ? [ask.request.key] : [],
    requestsKeptUntil: expiresAt + RETENTION_AHEAD_MS,
    askedToRelease: null,
    renewalsStopped: null,
    ...how,
  };
  if (ask.set) hold.set = ask.set;
  if (ask.holdAtLeastMs) hold.keptUntil = now + ask.holdAtLeastMs;
  if (ask.permits !== undefined) hold.permits = ask.permits;
  if (ask.traceparent !== undefined) hold.traceparent = ask.traceparent;
  nameCapacity(draft, ask);
  draft.change({ holds: [...record.holds, hold], lastToken: token, delayedUntil: 0 });
  forgetDeparted(draft, ask.request);
  const { mode, meta, traceparent } = ask;
  const facts: Partial<LockEvent> = { token, mode, waitedMs, expiresAt, meta };
  if (traceparent !== undefined) facts.traceparent = traceparent;
  Object.assign(facts, capacityFact(draft, ask));
  draft.addEvent('granted', hold, why ? { ...facts, ...why } : facts);
  if (!ask.set) rememberGrant(draft, ask, hold);
  return hold;
}

/** The `traceparent` of an acquire or a hold as a field to spread; no field if it has none. */
export function traceOf({ traceparent }: { traceparent?: string | undefined }): {
  traceparent?: string;
} {
  return traceparent === undefined ? {} : { traceparent };
}

/**
 * The trace of the hold that a granted waiter waited for: the one that ended last, if it ended
 * during the wait. Only the service of that hold may see it.
 *
 * @param wait null: it did not wait
 */
export function waitedForTrace(
  { record: { ended } }: Draft,
  service: string,
  wait: WaitSpan | null,
): Pick<Hold, 'waitedForTraceparent'> {
  if (ended?.traceparent === undefined || ended.service !== service) return {};
  if (wait === null || ended.at < wait.enqueuedAt) return {};
  return { waitedForTraceparent: ended.traceparent };
}

/** Stores the answer for replays of this acquire, for as long as the hold may live. */
export function rememberGrant(draft: Draft, ask: AcquireCommand, hold: Hold): void {
  const { token, count, waitedMs } = hold;
  const stored: StoredGrant = { token, rev: draft.rev, holdCount: count, waitedMs };
  draft.remember(ask.request, stored, hold.requestsKeptUntil);
}

/** The part of a grant that is stored: not its deadline, since renewals move it. */
export interface StoredGrant {
  token: number;
  rev: number;
  holdCount: number;
  waitedMs: number;
}

/**
 * What changes in a hold when its holder renews it, re-enters it or repeats its request: it is
 * claimed, and its lease starts again. If an operator has stopped its renewals, a claim only
 * restores the lease that was granted, which `shortenLease` may have shortened.
 */
export function freshLease(draft: Draft, hold: Hold, leaseMs: number): Partial<Hold> {
  const { isUnclaimed, grantedAt } = hold;
  const claimed = isUnclaimed ? { isUnclaimed: false, expiresAt: grantedAt + hold.leaseMs } : {};
  return hold.renewalsStopped ? claimed : { ...claimed, leaseMs, expiresAt: draft.now + leaseMs };
}

/** Changes a live hold. Never shortens its lease; keeps its stored answers at least as long. */
export function updateHold(draft: Draft, hold: Hold, part: Partial<Hold>): Hold {
  const expiresAt = Math.max(hold.expiresAt, part.expiresAt ?? 0);
  const next = { ...hold, ...part, expiresAt };
  if (next.isUnclaimed === false) delete next.isUnclaimed;
  if (expiresAt > next.requestsKeptUntil) {
    next.requestsKeptUntil = expiresAt + RETENTION_AHEAD_MS;
    const keptUntil = next.requestsKeptUntil + ANSWER_RETENTION_MS;
    const keys = next.requests;
    if (keys.length > 0) {
      draft.extensions.push({ keys, expiresAt: keptUntil });
      draft.keepForAnswers(keptUntil);
    }
  }
  replaceHold(draft, next);
  return next;
}

/** Replaces the hold with the same token. */
function replaceHold(draft: Draft, next: Hold): void {
  const { holds } = draft.record;
  draft.change({ holds: holds.map((hold) => (hold.token === next.token ? next : hold)) });
}

/** Shortens the lease of a grant that no caller can have received. */
export function shortenLease(draft: Draft, hold: Hold, expiresAt: number): void {
  const next = { ...hold, expiresAt: Math.min(hold.expiresAt, expiresAt) };
  replaceHold(draft, next);
  draft.addEvent('detached', hold, { token: hold.token, expiresAt: next.expiresAt });
}

/** Whether the caller hung up before it could receive the grant, and has not asked again since. */
export function isAbandoned({ isUnclaimed, expiresAt, grantedAt, leaseMs }: Hold): boolean {
  return isUnclaimed === true && expiresAt < grantedAt + leaseMs;
}

/**
 * How a re-entry changes the least time for which the lock stays taken: it is never shortened. A
 * hold whose renewals were stopped ends with its lease in any case.
 */
export function extendedKeep(draft: Draft, hold: Hold, ask: AcquireCommand): Partial<Hold> {
  if (!ask.holdAtLeastMs || hold.renewalsStopped) return {};
  return { keptUntil: Math.max(hold.keptUntil ?? 0, draft.now + ask.holdAtLeastMs) };
}

/**
 * Turns a hold that was released before its least time into one without an owner, which only keeps
 * the lock taken and ends as released at `keptUntil`.
 */
export function keepReleased(draft: Draft, hold: Hold, keptUntil: number): Hold {
  const { isUnclaimed: _, ...rest } = hold;
  const next = { ...rest, expiresAt: keptUntil, releasedAt: draft.now };
  replaceHold(draft, next);
  draft.addEvent('kept', hold, { token: hold.token, expiresAt: keptUntil });
  return next;
}

/**
 * Removes one entry from a hold that was entered more than once, and returns how many are left.
 * Only an undo names the request whose entry it removes; otherwise the oldest one is removed, since
 * the caller of the newest may not have its answer yet.
 */
export function removeEntry(
  draft: Draft,
  hold: Hold,
  undone: RequestIdentity | null = null,
): number {
  const count = hold.count - 1;
  const requests = hold.requests.filter((key) => key !== undone?.key).slice(-count);
  updateHold(draft, hold, { count, requests });
  draft.addEvent('decremented', hold, { token: hold.token, holdCount: count });
  return count;
}

/**
 * Ends a hold and records how in `ended`. The lock is not handed off yet. If the namespace has a
 * lock-delay, it starts when a hold expires or is forced before its holder has released it.
 *
 * @param details `at`: the instant at which the hold ended, if not now. `why`: the operator who
 *   ended it, and the reason, if one did
 */
export function endHold(
  draft: Draft,
  hold: Hold,
  cause: Ending,
  { at = draft.now, why }: { at?: number; why?: OperatorAct } = {},
): void {
  const { token, service, owner, grantedAt } = hold;
  const { lockDelayMs } = draft.context.policy;
  const isLost = (cause === 'expired' || cause === 'forced') && !isReleased(hold);
  if (isLost && lockDelayMs > 0) {
    draft.change({ delayedUntil: Math.max(draft.record.delayedUntil, at + lockDelayMs) });
  }
  const recordedCause = cause === 'late' ? 'released' : cause;
  const ended: EndedHold = { token, service, owner, cause: recordedCause, grantedAt, at };
  if (why) Object.assign(ended, why);
  if (hold.traceparent !== undefined) ended.traceparent = hold.traceparent;
  draft.change({ holds: draft.record.holds.filter((other) => other.token !== token), ended });
  const facts = { at, token, heldMs: Math.max(0, at - grantedAt) };
  draft.addEvent(cause, hold, why ? { ...facts, ...why } : facts);
}

/** How a hold ends. `late`: a grant that came too late to be of use, and that Lockyard reverted. */
type Ending = Exclude<EndCause, 'superseded'> | 'late';

/** A grant with less time left is useless: the larger of 10 % of the lease and 50 ms. */
export function leaseFloorMs(leaseMs: number): number {
  return Math.max(leaseMs / 10, 50);
}

/** Whether a grant came too late. `leftMs`: what is left of its lease, as of before the read. */
export function isLate(leaseMs: number, leftMs: number): boolean {
  return leftMs < leaseFloorMs(leaseMs);
}
