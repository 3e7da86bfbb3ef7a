import type { Draft } from '../decision';
import { timedOut } from './held-answer';
import { callerHere, inTurn, isOutOfPatience, isPresent, removeWaiters, waitedMs } from './line-up';
import type { AcquireCommand } from './lock-command';
import type { Hold, LockRecord, Mode, Offer, Waiter } from './lock-record';
import { endHold, grant } from './tenure';

/** How long a free lock is held back for a waiter of another process. */
const OFFER_MS = 1_000;

/** How many may share one lock, so that its record stays small; more wait. */
export const SHARED_MAX = 200;

/** Does what time has made due: lapsed leases end, waiters that gave up or died leave, a free lock is handed on. */
export function settle(draft: Draft): void {
  endLapsed(draft);
  if (!isOpen(draft)) withdrawOffers(draft);
  dropAbsentWaiters(draft);
  handOff(draft);
}

/**
 * Ends the leases that have lapsed, in the order of their ends: the last of them is the one that is remembered.
 *
 * @param givenBack whose end is called `late` and not `expired`
 */
export function endLapsed(draft: Draft, givenBack: Hold | null = null): void {
  const { holds } = draft.record;
  const byEnd = holds.length < 2 ? holds : [...holds].sort((a, b) => a.expiresAt - b.expiresAt);
  for (const hold of byEnd) {
    const cause = hold === givenBack ? 'late' : 'expired';
    if (draft.isPast(hold.expiresAt)) endHold(draft, hold, cause, hold.expiresAt);
  }
}

/**
 * Hands the lock on to whoever's turn it is: the first waiter, and after a shared one the shared ones right behind it.
 * A waiter whose caller is here is granted at once, another gets an offer that its own process claims, and so does a set,
 * which has to see to its other locks. First in, first out; whoever is absent when its turn comes has lost its place. While the lock is frozen or delayed, or its backend closed, nobody is granted:
 * offers fall, and those who had one keep their places.
 */
export function handOff(draft: Draft): void {
  if (!isOpen(draft)) {
    withdrawOffers(draft);
    return;
  }
  for (const waiter of inTurn(draft.record.queue)) {
    const isOffered = draft.record.offers.some(({ ticket }) => ticket === waiter.ticket);
    if (!isOffered && !hasRoom(draft.record, waiter.mode)) return;
    if (!isPresent(draft, waiter)) continue;
    const ask = callerHere(draft, waiter);
    if (ask && waiter.setSize === undefined) grantToWaiter(draft, waiter, ask);
    else if (!isOffered) offer(draft, waiter);
    if (waiter.mode === 'exclusive') return;
  }
}

/** Whether the lock may be granted to anybody at all: its backend grants, it is not frozen, nor in the pause after a lost hold. */
export function isOpen(draft: Draft): boolean {
  if (draft.context.policy.closedBecause) return false;
  const { frozen, delayedUntil } = draft.record;
  return frozen === null && (delayedUntil === 0 || draft.isPast(delayedUntil));
}

/** Whether one more of this mode fits beside those who hold the lock or have been offered it. */
export function hasRoom({ holds, offers, queue }: LockRecord, mode: Mode): boolean {
  if (mode === 'exclusive') return holds.length === 0 && offers.length === 0;
  if (holds.length + offers.length >= SHARED_MAX) return false;
  const isExclusive = (offer: Offer) =>
    queue.some(({ ticket, mode: other }) => ticket === offer.ticket && other === 'exclusive');
  return holds.every((hold) => hold.mode === 'shared') && !offers.some(isExclusive);
}

function withdrawOffers(draft: Draft): void {
  const { offers, queue } = draft.record;
  if (offers.length === 0) return;
  draft.change({ offers: [] });
  for (const { ticket } of offers) {
    const waiter = queue.find((other) => other.ticket === ticket);
    if (waiter) draft.note('withdrawn', waiter, { waitedMs: waitedMs(draft, waiter) });
  }
}

function offer(draft: Draft, waiter: Waiter): void {
  const { offers } = draft.record;
  draft.change({ offers: [...offers, { ticket: waiter.ticket, until: draft.now + OFFER_MS }] });
  draft.note('offered', waiter, { waitedMs: waitedMs(draft, waiter) });
}

/** The token and the lease begin now; that the waiter's patience has not ended becomes part of the store's compare. */
function grantToWaiter(draft: Draft, waiter: Waiter, ask: AcquireCommand): void {
  draft.isPast(waiter.enqueuedAt + waiter.patienceMs);
  removeWaiters(draft, [waiter]);
  const how = ask.request.remembered ? { isUnclaimed: true } : {};
  const hold = grant(draft, ask, waitedMs(draft, waiter), how);
  draft.handOffs.push({ tag: waiter.tag, hold });
}

function dropAbsentWaiters(draft: Draft): void {
  const { queue } = draft.record;
  const absent = queue.filter(
    (waiter) =>
      (!isPresent(draft, waiter) && !leavesByItself(draft, waiter)) || missedOffer(draft, waiter),
  );
  if (absent.length === 0) return;
  for (const waiter of absent) {
    const kind = isOutOfPatience(waiter, draft.now) ? 'timeout' : 'dropped';
    draft.note(kind, waiter, { waitedMs: waitedMs(draft, waiter) });
  }
  removeWaiters(draft, absent);
  for (const waiter of absent) {
    const ask = isOutOfPatience(waiter, draft.now) ? callerHere(draft, waiter) : null;
    if (ask) timedOut(draft, ask.request);
  }
}

/** A set whose patience is over and whose caller is here: only that can say which of its locks were in the way. */
function leavesByItself(draft: Draft, waiter: Waiter): boolean {
  return waiter.setSize !== undefined && callerHere(draft, waiter) !== null;
}

/**
 * An offer that lapsed costs its waiter the place, unless its caller is here and can still claim it. One between two
 * requests keeps place and offer for as long as it may be away.
 */
function missedOffer(draft: Draft, waiter: Waiter): boolean {
  const missed = draft.record.offers.find(({ ticket }) => ticket === waiter.ticket);
  if (!missed || waiter.detachedUntil !== null) return false;
  return missed.until <= draft.now && !callerHere(draft, waiter);
}
