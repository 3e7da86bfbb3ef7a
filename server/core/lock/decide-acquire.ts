import type { AcquireAnswer, CancelAnswer, Held } from '../../contract/lock/answers';
import { requestIdReused } from '../decision';
import type { Draft } from '../draft';
import { isSameParty } from '../party';
import { isFingerprintOf, type RequestIdentity, requestFingerprint } from '../request-fingerprint';
import { DETACHED_MS } from '../timing';
import { outsidePolicy } from './check-policy';
import { expireAndPromote, handOff, hasRoom, isOpen } from './expire-and-promote';
import {
  endHold,
  freshLease,
  grant,
  removeEntry,
  type StoredGrant,
  shortenLease,
  updateHold,
  waitedForTrace,
} from './hold-lifecycle';
import { grantedAnswer, heldAnswer, retryAfterMs, staleRead, timedOut } from './lock-answers';
import type { AcquireCommand, CancelCommand, DetachCommand, GiveUpCommand } from './lock-command';
import { type Hold, holdOf, isOwnOf, isReleased, type Waiter } from './lock-record';
import { requireCapacity } from './permits';
import {
  cancelDeparted,
  departedOf,
  enqueue,
  hasQueueRoom,
  patienceEndsAt,
  placeOf,
  rememberedWait,
  removeWaiters,
  resumeHere,
  timeoutFacts,
  updateWaiter,
  type WaitSpan,
  waitedMs,
  waiterOf,
} from './queue';
import { enterFromQueue, holdToEnter, reenter } from './re-entry';

/**
 * Grants a lock that has room, re-enters it for its owner in the same mode on request, also if the
 * owner was granted it by another call while this one waited, queues a caller that is willing to
 * wait, and refuses all others. No caller overtakes the queue: a waiting writer blocks the readers
 * behind it, and a waiter that wants many permits blocks those that want few. A repeated request
 * gets the same outcome, or its old place in the queue.
 */
export function decideAcquire(draft: Draft, ask: AcquireCommand): AcquireAnswer {
  const replay = replayAcquire(draft, ask.request, ask.leaseMs);
  if (replay && replay.outcome !== 'timeout') return replay;
  const isWaiting = !replay && resume(draft, ask);
  expireAndPromote(draft);
  // The stored answer names the holder at the end of the wait; this one names the present holder.
  if (replay) return heldAnswer(draft, 'timeout', ask.service);
  if (!isWaiting) return acquireWithoutPlace(draft, ask);
  return enterFromQueue(draft, ask) ?? answerQueued(draft, ask);
}

/** Decides a request that is new, or that has lost its place in the queue without an answer. */
function acquireWithoutPlace(draft: Draft, ask: AcquireCommand): AcquireAnswer {
  const before = waitedBefore(draft, ask.request);
  if (!before && ask.outsidePolicy) throw outsidePolicy(ask.outsidePolicy);
  if (before && draft.isPast(patienceEndsAt(before))) {
    return heldAnswer(draft, 'timeout', ask.service);
  }
  const { record } = draft;
  const mine = ask.reentrant ? holdToEnter(record, ask) : null;
  // A re-entry takes no additional permits.
  requireCapacity(record, mine ? { ...ask, permits: 0 } : ask);
  if (mine) return reenter(draft, mine, ask);
  draft.refuseWhileClosed();
  draft.refuseNewWhileFull();
  if (isOpen(draft) && record.queue.length === 0 && hasRoom(record, ask)) {
    const how = waitedForTrace(draft, ask.service, before);
    return grantedAnswer(draft, grant(draft, ask, before ? waitedMs(draft, before) : 0, how));
  }
  if (ask.waitMs === 0) return refused(draft, ask);
  if (!hasQueueRoom(draft, before)) {
    const queueLength = record.queue.length;
    return { outcome: 'queueFull', queueLength, retryAfterMs: retryAfterMs(draft) };
  }
  enqueue(draft, ask, before);
  handOff(draft);
  return answerQueued(draft, ask);
}

/** Ends a wait that timed out, unless it was granted first or continues at another process. */
export function decideGiveUp(draft: Draft, { request }: GiveUpCommand): AcquireAnswer {
  const waiter = waiterOf(draft.record, request.key);
  if (!waiter) return replayAcquire(draft, request) ?? heldAnswer(draft, 'timeout', undefined);
  if (waiter.process !== draft.context.process) return queued(draft, waiter);
  draft.addEvent('timeout', waiter, timeoutFacts(draft, waiter));
  removeWaiters(draft, [waiter]);
  expireAndPromote(draft);
  return timedOut(draft, request, waiter.service);
}

/**
 * Lets a request end while its waiter keeps its place for `DETACHED_MS`, unless it now waits at
 * another process. If the caller hung up, an unclaimed grant is kept no longer than that. If the
 * caller was refused, only the age of the wait is kept, in case it retries with another API key.
 *
 * The answer `timeout` can also mean that the place is gone although the wait has not timed out: an
 * acquire with the same request then gets another place.
 */
export function decideDetach(draft: Draft, command: DetachCommand): AcquireAnswer {
  const { request, hungUp, isRefused } = command;
  const keptUntil = draft.now + (isRefused ? 0 : DETACHED_MS);
  const waiter = waiterOf(draft.record, request.key);
  if (!waiter && hungUp) shortenUnclaimedGrant(draft, request, keptUntil);
  if (!waiter) return replayAcquire(draft, request) ?? heldAnswer(draft, 'timeout', undefined);
  if (waiter.process !== draft.context.process) return queued(draft, waiter);
  updateWaiter(draft, waiter, { detachedUntil: keptUntil });
  draft.addEvent('detached', waiter);
  // Stored under the waiter's input; under another, the waiter's own caller would be refused.
  if (waiter.tag === requestFingerprint(request)) {
    draft.remember(request, rememberedWait(waiter), patienceEndsAt(waiter));
  }
  const answer = queued(draft, waiter);
  if (isRefused) expireAndPromote(draft);
  return answer;
}

/**
 * The wait of this request up to now, if it lost its place, for example because its server died or
 * took long to restart: the request keeps its age and its timeout.
 */
function waitedBefore(draft: Draft, request: RequestIdentity): WaitSpan | null {
  const stored = draft.replay<StoredGrant | Held | WaitSpan>(request);
  return stored && 'enqueuedAt' in stored ? stored : (departedOf(draft, request) ?? null);
}

function shortenUnclaimedGrant(draft: Draft, { key }: RequestIdentity, until: number): void {
  const hold = draft.record.holds.find(({ requests }) => requests.includes(key));
  if (!hold?.isUnclaimed || hold.expiresAt <= until || draft.isPast(hold.expiresAt)) return;
  shortenLease(draft, hold, until);
}

/** Undoes an acquire, whether it is still queued, has lost its place, or is already granted. */
export function decideCancel(draft: Draft, command: CancelCommand): CancelAnswer {
  const { request } = command;
  const waiter = waiterOf(draft.record, request.key);
  if (waiter && isSameParty(waiter, command)) {
    draft.addEvent('cancelled', waiter, { waitedMs: waitedMs(draft, waiter) });
    removeWaiters(draft, [waiter]);
    expireAndPromote(draft);
    timedOut(draft, { ...request, inputHash: '' }, command.service);
    return { outcome: 'cancelled' };
  }
  expireAndPromote(draft);
  const hold = draft.record.holds.find(
    (h) => isOwnOf(h, command) && h.requests.includes(request.key),
  );
  if (!hold && !waiter && cancelDeparted(draft, command)) {
    timedOut(draft, { ...request, inputHash: '' }, command.service);
    return { outcome: 'cancelled' };
  }
  if (!hold) return { outcome: 'none' };
  undoEntry(draft, hold, request);
  return { outcome: 'released' };
}

/** The answer to an acquire that does not wait and cannot be granted. */
function refused(draft: Draft, { service }: AcquireCommand): AcquireAnswer {
  const { frozen } = draft.record;
  return frozen ? { outcome: 'frozen', reason: frozen.reason } : heldAnswer(draft, 'held', service);
}

/** Undoes exactly the entry that this request made. */
function undoEntry(draft: Draft, hold: Hold, request: RequestIdentity): void {
  const { token } = hold;
  if (hold.count > 1) {
    removeEntry(draft, hold, request);
    const answer = { outcome: 'ended', token, cause: 'released' };
    draft.remember({ ...request, inputHash: '' }, answer, hold.requestsKeptUntil);
  } else {
    endHold(draft, hold, 'released');
    handOff(draft);
  }
}

/** Resumes a queued request's place at this process, wherever it waited. False: it has none. */
function resume(draft: Draft, { request }: AcquireCommand): boolean {
  const waiter = waiterOf(draft.record, request.key);
  if (!waiter) return false;
  if (waiter.tag !== requestFingerprint(request)) throw requestIdReused();
  const isHere = waiter.process === draft.context.process && waiter.detachedUntil === null;
  if (!isHere) resumeHere(draft, waiter);
  return true;
}

/**
 * The answer to a request that was queued. If it lost its place, it timed out: its caller is
 * connected, so nothing else could have removed it.
 */
function answerQueued(draft: Draft, { request, service }: AcquireCommand): AcquireAnswer {
  const handed = draft.handOffs.find(({ tag }) => isFingerprintOf(tag, request.key));
  if (handed) return grantedAnswer(draft, handed.hold);
  const waiter = waiterOf(draft.record, request.key);
  return waiter ? queued(draft, waiter) : timedOut(draft, request, service);
}

/**
 * The earlier answer to this acquire: its grant while the hold lives, `ended`, or its timeout.
 *
 * @param leaseMs the lease that a repeated request asks for; null for a request that leaves its
 *   queue: it claims a hold by asking again
 */
function replayAcquire(
  draft: Draft,
  request: RequestIdentity,
  leaseMs: number | null = null,
): AcquireAnswer | null {
  const stored = draft.replay<StoredGrant | Held | WaitSpan>(request);
  if (!stored || 'enqueuedAt' in stored) return null;
  if ('outcome' in stored) return stored;
  if (draft.isFromBefore(stored.rev)) throw staleRead();
  const hold = holdOf(draft.record, stored.token);
  if (hold && isReleased(hold)) return { outcome: 'ended', token: stored.token, cause: 'released' };
  if (hold && !draft.isPast(hold.expiresAt)) {
    const claimed = hold.isUnclaimed && leaseMs !== null ? claim(draft, hold, leaseMs) : hold;
    return { ...grantedAnswer(draft, claimed), ...stored };
  }
  // A hold that a replay reports as ended must stay ended even if the clock steps back, so the end
  // is written before the answer is sent.
  if (hold) expireAndPromote(draft);
  const { ended } = draft.record;
  const cause = ended?.token === stored.token ? ended.cause : 'superseded';
  return { outcome: 'ended', token: stored.token, cause };
}

/** Claims the hold for a caller that repeated its request, and so relies on the hold from now. */
function claim(draft: Draft, hold: Hold, leaseMs: number): Hold {
  expireAndPromote(draft);
  const next = updateHold(draft, hold, freshLease(draft, hold, leaseMs));
  draft.addEvent('renewed', next, { token: next.token, expiresAt: next.expiresAt });
  return next;
}

function queued(draft: Draft, waiter: Waiter): AcquireAnswer {
  const { ticket } = waiter;
  const patienceLeftMs = Math.max(0, patienceEndsAt(waiter) - draft.now);
  return { outcome: 'queued', ticket, place: placeOf(draft.record, waiter), patienceLeftMs };
}
