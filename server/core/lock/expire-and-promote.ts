import type { Draft } from '../draft';
import { OFFER_MS } from '../timing';
import { endHold, grant, isAbandoned, waitedForTrace } from './hold-lifecycle';
import { timedOut } from './lock-answers';
import type { AcquireCommand } from './lock-command';
import type { OperatorAct } from './lock-event';
import {
  type Hold,
  hasOffer,
  isReleased,
  type LockRecord,
  type Offer,
  SHARED_MAX,
  type Waiter,
  waiterAt,
} from './lock-record';
import { type Demand, havePermits } from './permits';
import {
  inServiceOrder,
  isOutOfPatience,
  isPresent,
  localCaller,
  patienceEndsAt,
  rememberDeparted,
  removeWaiters,
  restartDetached,
  resumeHere,
  timeoutFacts,
  waitedMs,
} from './queue';

/** Ends expired leases, removes absent waiters, and hands a free lock to the next waiters. */
export function expireAndPromote(draft: Draft): void {
  applyExpiries(draft);
  handOff(draft);
}

/** `expireAndPromote` without the hand-off: call `handOff` afterwards. */
export function applyExpiries(draft: Draft): void {
  endExpiredHolds(draft);
  if (!isOpen(draft)) revokeOffers(draft);
  dropVoidOffers(draft);
  restartDetached(draft);
  dropAbsentWaiters(draft);
}

/**
 * Ends the holds whose lease or least time has expired, in the order of their ends, so that the
 * last to end is remembered. A grant that no caller received is not a lost hold: it is undone.
 *
 * @param reverted the hold whose end is recorded as `late` instead of `expired`
 */
export function endExpiredHolds(draft: Draft, reverted: Hold | null = null): void {
  const { holds } = draft.record;
  const byEnd = holds.length < 2 ? holds : [...holds].sort((a, b) => a.expiresAt - b.expiresAt);
  for (const hold of byEnd) {
    const isUndone = hold === reverted || isAbandoned(hold);
    const cause = isUndone ? 'late' : isReleased(hold) ? 'released' : 'expired';
    if (draft.isPast(hold.expiresAt)) endHold(draft, hold, cause, { at: hold.expiresAt });
  }
}

/**
 * Hands the lock to the next waiters: the first in the queue and, if it is shared or wants permits,
 * those of the same mode directly behind it that also fit. A waiter whose caller is connected here
 * is granted the lock immediately. A waiter of another process gets an offer, which its own process
 * claims; so does a multi-lock, which has to check its other locks. First in, first out; a waiter
 * that is absent when its turn comes loses its place. Only an operator's reassignment changes the
 * order. While the lock is frozen or delayed, or its backend closed, there are no grants: offers
 * are revoked, and their waiters keep their places.
 */
export function handOff(draft: Draft): void {
  if (!isOpen(draft)) {
    revokeOffers(draft);
    return;
  }
  for (const waiter of offeredFirst(draft.record)) {
    const isOffered = hasOffer(draft.record, waiter.ticket);
    if (!isOffered && !hasRoom(draft.record, waiter)) return;
    if (!isPresent(draft, waiter)) continue;
    const ask = localCaller(draft, waiter);
    if (ask && waiter.setSize === undefined) grantToWaiter(draft, waiter, ask);
    else if (!isOffered) offer(draft, waiter);
    if (waiter.mode === 'exclusive') return;
  }
}

/**
 * The waiters with an offer, which a reassignment may have made out of turn, then the others in
 * service order.
 */
function offeredFirst({ queue, offers }: LockRecord): readonly Waiter[] {
  const order = inServiceOrder(queue);
  if (offers.length === 0) return order;
  const tickets = new Set(offers.map(({ ticket }) => ticket));
  const isOffered = ({ ticket }: Waiter) => tickets.has(ticket);
  if (order.slice(0, offers.length).every(isOffered)) return order;
  return [...order.filter(isOffered), ...order.filter((waiter) => !isOffered(waiter))];
}

/**
 * Grants the lock to a waiter wherever it is in the queue, or offers it the lock if its caller is
 * at another process. The caller has checked that there is room. The others keep their places.
 *
 * @param why the operator who decided that, and the reason
 */
export function serveOutOfTurn(draft: Draft, waiter: Waiter, why: OperatorAct): void {
  const ask = localCaller(draft, waiter);
  if (ask) grantToWaiter(draft, waiter, ask, why);
  else if (!hasOffer(draft.record, waiter.ticket)) {
    offer(draft, waiter, why);
  }
}

/** Whether grants are possible: the backend is open, and there is no freeze and no lock-delay. */
export function isOpen(draft: Draft): boolean {
  if (draft.context.policy.closedBecause) return false;
  const { frozen, delayedUntil } = draft.record;
  return frozen === null && (delayedUntil === 0 || draft.isPast(delayedUntil));
}

/**
 * Whether a hold of this mode, with this many permits, fits beside the current holds and offers.
 */
export function hasRoom(record: LockRecord, wanted: Demand): boolean {
  const { holds, offers } = record;
  const { mode } = wanted;
  if (mode === 'exclusive') return holds.length === 0 && offers.length === 0;
  if (holds.length + offers.length >= SHARED_MAX) return false;
  if (!holds.every((hold) => hold.mode === mode)) return false;
  for (const { ticket } of offers) {
    const waiter = waiterAt(record, ticket);
    if (waiter && waiter.mode !== mode) return false;
  }
  return mode === 'shared' || havePermits(record, wanted);
}

/** Revokes these offers, by default all; their waiters keep their places. */
export function revokeOffers(draft: Draft, revoked: readonly Offer[] = draft.record.offers): void {
  if (revoked.length === 0) return;
  const { offers } = draft.record;
  draft.change({ offers: offers.filter((offer) => !revoked.includes(offer)) });
  for (const { ticket } of revoked) {
    const waiter = waiterAt(draft.record, ticket);
    if (waiter) draft.addEvent('withdrawn', waiter, { waitedMs: waitedMs(draft, waiter) });
  }
}

/**
 * Drops offers that name no waiter, as a damaged record can have: no waiter could claim them, so
 * they would block the lock for ever.
 */
function dropVoidOffers(draft: Draft): void {
  const { offers } = draft.record;
  if (offers.length === 0) return;
  const gone = offers.filter(({ ticket }) => !waiterAt(draft.record, ticket));
  if (gone.length === 0) return;
  draft.change({ offers: offers.filter((offer) => !gone.includes(offer)) });
  for (const _ of gone) draft.addEvent('withdrawn', { service: '', owner: '' });
}

function offer(draft: Draft, waiter: Waiter, why: OperatorAct | null = null): void {
  const { offers } = draft.record;
  draft.change({ offers: [...offers, { ticket: waiter.ticket, until: draft.now + OFFER_MS }] });
  draft.addEvent('offered', waiter, { waitedMs: waitedMs(draft, waiter), ...why });
}

/** The token and the lease begin now; the store's compare checks that the wait has not expired. */
function grantToWaiter(
  draft: Draft,
  waiter: Waiter,
  ask: AcquireCommand,
  why: OperatorAct | null = null,
): void {
  draft.relyOn(patienceEndsAt(waiter));
  const unclaimed = ask.request.remembered ? { isUnclaimed: true } : {};
  const how = { ...unclaimed, ...waitedForTrace(draft, ask.service, waiter) };
  const hold = grant(draft, ask, waitedMs(draft, waiter), how, why);
  // Removed after the grant: without holds and waiters, the record would lose a changed capacity.
  removeWaiters(draft, [waiter]);
  draft.handOffs.push({ tag: waiter.tag, hold });
}

function dropAbsentWaiters(draft: Draft): void {
  const { queue } = draft.record;
  const unserved = queue.filter(
    (waiter) =>
      (!isPresent(draft, waiter) && !endsOwnWait(draft, waiter)) || missedOffer(draft, waiter),
  );
  const absent = unserved.filter((waiter) => !takeBack(draft, waiter));
  if (absent.length === 0) return;
  for (const waiter of absent) {
    if (isOutOfPatience(waiter, draft.now)) {
      draft.addEvent('timeout', waiter, timeoutFacts(draft, waiter));
    } else draft.addEvent('dropped', waiter, { waitedMs: waitedMs(draft, waiter) });
  }
  removeWaiters(draft, absent);
  rememberDeparted(
    draft,
    absent.filter((waiter) => isUnanswered(draft, waiter)),
  );
  for (const waiter of absent) {
    const ask = timedOutCaller(draft, waiter);
    if (!ask) continue;
    timedOut(draft, ask.request, ask.service);
    draft.timeouts.push(waiter.tag);
  }
}

/**
 * Keeps the place of a waiter that is absent at another process, which had taken it over from an
 * earlier call that is still open here. False: none is.
 */
function takeBack(draft: Draft, waiter: Waiter): boolean {
  if (waiter.process === draft.context.process || isOutOfPatience(waiter, draft.now)) return false;
  if (draft.callerOf(waiter) === null) return false;
  resumeHere(draft, waiter);
  return true;
}

/**
 * Whether an absent waiter has no stored answer, so that its caller may ask again. This includes
 * one that timed out at another process, which has the request and has not answered it yet. The
 * wait of a single acquire between two requests is stored already: see `decideDetach`.
 */
function isUnanswered(draft: Draft, waiter: Waiter): boolean {
  const isRemembered = waiter.detachedUntil !== null && waiter.setSize === undefined;
  return !isRemembered && !timedOutCaller(draft, waiter);
}

/** The acquire of a waiter that timed out, if its caller is connected here. */
function timedOutCaller(draft: Draft, waiter: Waiter): AcquireCommand | null {
  return isOutOfPatience(waiter, draft.now) ? localCaller(draft, waiter) : null;
}

/** Whether a multi-lock's own command ends its wait: that command names the locks in its way. */
function endsOwnWait(draft: Draft, waiter: Waiter): boolean {
  return waiter.setSize !== undefined && localCaller(draft, waiter) !== null;
}

/**
 * Whether a waiter's offer expired, and its caller is not connected here, where it could still
 * claim it. A waiter between two requests keeps its place and offer until `detachedUntil`.
 */
function missedOffer(draft: Draft, waiter: Waiter): boolean {
  const { record, context, now } = draft;
  const missed = record.offers.find(({ ticket }) => ticket === waiter.ticket);
  if (!missed || waiter.detachedUntil !== null) return false;
  // It did not have the time by which the clock was set forward.
  const until = Math.max(missed.until, (context.setForwardAt ?? 0) + OFFER_MS);
  return until <= now && !localCaller(draft, waiter);
}
