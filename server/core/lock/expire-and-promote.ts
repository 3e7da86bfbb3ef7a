import type { Draft } from '../decision';
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
  rememberDeparted,
  removeWaiters,
  restartDetached,
  waitedMs,
} from './queue';

/** Applies what is due: expired leases end, absent waiters leave, a free lock is handed on. */
export function expireAndPromote(draft: Draft): void {
  endWhatIsOver(draft);
  handOff(draft);
}

/** The same without the hand-off: call `handOff` afterwards. */
export function endWhatIsOver(draft: Draft): void {
  endExpiredHolds(draft);
  if (!isOpen(draft)) revokeOffers(draft);
  dropVoidOffers(draft);
  restartDetached(draft);
  dropAbsentWaiters(draft);
}

/**
 * Ends the expired leases, and the holds that were released and had to be kept no longer, in the
 * order of their ends, so that the last is remembered. A grant that no caller received is not lost
 * by anyone: it is undone.
 *
 * @param reverted the hold whose end is recorded as `late` instead of `expired`
 */
export function endExpiredHolds(draft: Draft, reverted: Hold | null = null): void {
  const { holds } = draft.record;
  const byEnd = holds.length < 2 ? holds : [...holds].sort((a, b) => a.expiresAt - b.expiresAt);
  for (const hold of byEnd) {
    const isUndone = hold === reverted || isAbandoned(hold);
    const cause = isUndone ? 'late' : isReleased(hold) ? 'released' : 'expired';
    if (draft.isPast(hold.expiresAt)) endHold(draft, hold, cause, hold.expiresAt);
  }
}

/**
 * Hands the lock to the next waiters: the first in the queue and, if it is shared or wants permits,
 * those of the same mode right behind it that fit as well. A waiter whose caller is connected here
 * is granted at once. A waiter of another process gets an offer, which its own process claims; so
 * does a multi-lock, which has to check its other locks. First in, first out; a waiter that is
 * absent when its turn comes loses its place. Only an operator's reassignment goes out of turn.
 * While the lock is frozen or delayed, or its backend closed, there are no grants: offers are
 * revoked, and their waiters keep their places.
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
 * The queue in service order, behind those that have an offer: a reassignment may have made it to
 * one that is not next in line.
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
 * @param why who decided that, and for what reason
 */
export function serveOutOfTurn(draft: Draft, waiter: Waiter, why: OperatorAct): void {
  const ask = localCaller(draft, waiter);
  if (ask) grantToWaiter(draft, waiter, ask, why);
  else if (!hasOffer(draft.record, waiter.ticket)) {
    offer(draft, waiter, why);
  }
}

/** Whether grants are possible: the backend is open, no freeze, no lock-delay. */
export function isOpen(draft: Draft): boolean {
  if (draft.context.policy.closedBecause) return false;
  const { frozen, delayedUntil } = draft.record;
  return frozen === null && (delayedUntil === 0 || draft.isPast(delayedUntil));
}

/**
 * Whether one more of this mode, with as many permits, fits beside the current holds and offers.
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

/** Takes back offers, all unless some are named; their waiters keep their places. */
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
 * Drops offers that name no waiter, as a damaged record may have: no one could claim them, so they
 * would keep the lock from all others for ever.
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

/** The token and the lease begin now; the store's compare checks that the wait is not over. */
function grantToWaiter(
  draft: Draft,
  waiter: Waiter,
  ask: AcquireCommand,
  why: OperatorAct | null = null,
): void {
  draft.isPast(waiter.enqueuedAt + waiter.patienceMs);
  const unclaimed = ask.request.remembered ? { isUnclaimed: true } : {};
  const how = { ...unclaimed, ...waitedForTrace(draft, ask.service, waiter) };
  const hold = grant(draft, ask, waitedMs(draft, waiter), how, why);
  // Only then, since it may be the last one to which a changed capacity applies.
  removeWaiters(draft, [waiter]);
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
    draft.addEvent(kind, waiter, { waitedMs: waitedMs(draft, waiter) });
  }
  removeWaiters(draft, absent);
  rememberDeparted(
    draft,
    absent.filter((waiter) => mayAskAgain(draft, waiter)),
  );
  for (const waiter of absent) {
    const ask = timedOutCaller(draft, waiter);
    if (ask) timedOut(draft, ask.request, ask.service);
  }
}

/**
 * Whether a waiter left without a stored answer, so that its caller may ask again. This includes
 * one that timed out at another process: that process has its request, and has not answered it yet.
 * The wait of a single acquire between two requests is stored already: see `decideDetach`.
 */
function mayAskAgain(draft: Draft, waiter: Waiter): boolean {
  const isRemembered = waiter.detachedUntil !== null && waiter.setSize === undefined;
  return !isRemembered && !timedOutCaller(draft, waiter);
}

/** The caller, connected here, of a waiter that timed out. */
function timedOutCaller(draft: Draft, waiter: Waiter): AcquireCommand | null {
  return isOutOfPatience(waiter, draft.now) ? localCaller(draft, waiter) : null;
}

/** A timed-out multi-lock whose caller is connected: its own command names the locks in its way. */
function leavesByItself(draft: Draft, waiter: Waiter): boolean {
  return waiter.setSize !== undefined && localCaller(draft, waiter) !== null;
}

/**
 * A waiter whose offer expired loses its place, unless its caller is connected here and can still
 * claim it. A waiter between two requests keeps its place and offer until `detachedUntil`.
 */
function missedOffer(draft: Draft, waiter: Waiter): boolean {
  const missed = draft.record.offers.find(({ ticket }) => ticket === waiter.ticket);
  if (!missed || waiter.detachedUntil !== null) return false;
  return missed.until <= draft.now && !localCaller(draft, waiter);
}
