import { isWithin } from '../contract/counter-bounds';
import { LockyardError } from '../contract/errors';
import type { CounterRecord } from './counter/counter-record';
import {
  DEPARTED_MAX,
  HOLD_COUNT_MAX,
  type Hold,
  hasOffer,
  holdOf,
  type LockRecord,
  SHARED_MAX,
  unwrittenRecord,
  type Waiter,
  waiterAt,
} from './lock/lock-record';
import { capacityOf, permitsTaken } from './lock/permits';

/**
 * The error when a decision would leave a record that breaks an invariant. That is a fault of
 * Lockyard itself, so the decision is refused, and the record stays as it is.
 */
export class BrokenInvariant extends LockyardError {
  /** @param invariant a sentence about the record */
  constructor(readonly invariant: string) {
    super('INTERNAL', `This was refused, since it would break an invariant: ${invariant}.`);
  }
}

const UNWRITTEN = unwrittenRecord(0);

/**
 * Checks the invariants of a `LockRecord` that is about to be written; only its parts that changed,
 * so that the check costs next to nothing. What was broken before may stay broken, but must not
 * become worse, so that a damaged record can still be renewed, released and repaired.
 *
 * @param before the record that `next` replaces; null for the first one
 * @throws BrokenInvariant naming the first invariant that this change breaks
 */
export function checkLockRecord(
  before: LockRecord | null,
  next: LockRecord,
  queueLimit: number,
): void {
  const was = before ?? UNWRITTEN;
  const { holds, queue, departed, ended, lastToken, lastTicket } = next;
  const isNextRev = before === null ? next.rev > 0 : next.rev === was.rev + 1;
  if (!isNextRev || !Number.isSafeInteger(next.rev)) refuse('a rev rises by one');
  if (!(lastToken >= was.lastToken && Number.isSafeInteger(lastToken))) refuse('tokens rise');
  const isTicketKept = lastTicket === was.lastTicket;
  if (!isTicketKept && !(lastTicket > was.lastTicket && Number.isSafeInteger(lastTicket))) {
    refuse('tickets rise');
  }
  if (holds !== was.holds) checkHolds(was, next);
  if (queue !== was.queue) {
    checkTickets(was, next);
    const limit = Math.max(queueLimit + DEPARTED_MAX, was.queue.length);
    if (queue.length > limit) refuse('a queue does not grow beyond its limit');
  }
  if (next.offers.length > 0) checkOffers(was, next);
  const departedLimit = Math.max(DEPARTED_MAX, was.departed.length);
  if (departed.length > departedLimit) refuse('departed waiters are bounded');
  if (ended && ended.token > lastToken && ended.token > highestToken(was)) {
    refuse('only a granted hold ends');
  }
}

function checkHolds(was: LockRecord, next: LockRecord): void {
  const { holds, lastToken } = next;
  if (holds.length > Math.max(SHARED_MAX, was.holds.length)) refuse('shared holds are bounded');
  if (holds.length > 0 && hasNewHold(was, next)) checkModes(next);
  const highest = highestToken(was);
  let known = 0;
  for (const hold of holds) {
    const { token } = hold;
    if (!hasValidCount(hold, was)) refuse('a hold was entered once or more');
    if (!hasValidEnd(hold, was)) refuse('a released hold ends when it is kept no longer');
    if (token > highest) {
      if (token > lastToken) refuse('tokens rise along the holds');
      continue;
    }
    while ((was.holds[known]?.token ?? token) < token) known += 1;
    if (was.holds[known]?.token !== token && !holdOf(was, token)) {
      refuse('a new hold has a new token');
    }
  }
  const misplaced = misplacedIn(holds, tokenOf, lastToken);
  if (misplaced > 0 && misplaced > misplacedIn(was.holds, tokenOf, was.lastToken)) {
    refuse('tokens rise along the holds');
  }
}

/** Checks that the holds of a lock, one of which is new, can be held together. */
function checkModes(next: LockRecord): void {
  const { holds } = next;
  const [first] = holds;
  if (holds.length > 1 && holds.some(({ mode }) => mode === 'exclusive')) {
    refuse('an exclusive hold is alone');
  }
  if (holds.some(({ mode }) => mode !== first?.mode)) refuse('holds of a lock have one mode');
  if (first?.mode === 'permit' && permitsTaken(next) > (capacityOf(next)?.inForce ?? 0)) {
    refuse('permits are within the capacity');
  }
}

function checkTickets(was: LockRecord, next: LockRecord): void {
  if (hasRisingTickets(next)) return;
  const { queue, lastTicket } = next;
  const unordered = misplacedIn(queue, ticketOf);
  if (unordered > 0 && unordered > misplacedIn(was.queue, ticketOf)) {
    refuse('tickets rise along the queue');
  }
  const misplaced = misplacedIn(queue, ticketOf, lastTicket);
  if (misplaced > 0 && misplaced > misplacedIn(was.queue, ticketOf, was.lastTicket)) {
    refuse('a ticket is at most the last one');
  }
}

/** True unless the record is damaged. One loop, since a queue can be long. */
function hasRisingTickets({ queue, lastTicket }: LockRecord): boolean {
  let last = 0;
  for (let i = 0; i < queue.length; i += 1) {
    const ticket = (queue[i] as Waiter).ticket;
    if (!(ticket > last)) return false;
    last = ticket;
  }
  return queue.length === 0 || last <= lastTicket;
}

function checkOffers(was: LockRecord, next: LockRecord): void {
  const { offers, holds } = next;
  const limit = Math.max(SHARED_MAX, was.offers.length + was.holds.length);
  if (offers.length + holds.length > limit) refuse('shared holds are bounded');
  const isAlone = offers.length === 1 && holds.length === 0;
  for (const { ticket } of offers) {
    const waiter = waiterAt(next, ticket);
    if (!waiter && (!hasOffer(was, ticket) || waiterAt(was, ticket))) {
      refuse('an offer names a waiter');
    }
    if (waiter?.mode !== 'exclusive' || isAlone) continue;
    if (hasNewOffer(was, next)) refuse('an exclusive offer is alone');
  }
  if (capacityOf(next) && hasNewOffer(was, next)) checkOfferedPermits(next);
}

/** Checks that offered permits are within the capacity, and beside permit holds and offers only. */
function checkOfferedPermits(next: LockRecord): void {
  const { offers, holds } = next;
  const modes = new Set(holds.map(({ mode }) => mode));
  for (const { ticket } of offers) {
    const waiter = waiterAt(next, ticket);
    if (waiter) modes.add(waiter.mode);
  }
  if (!modes.has('permit')) return;
  if (modes.size > 1) refuse('permits are offered beside permits alone');
  const capacity = capacityOf(next)?.inForce ?? 0;
  if (permitsTaken(next) > capacity) refuse('permits are within the capacity');
}

/** Whether the count of a hold is valid, or no worse than it was. */
function hasValidCount({ token, count }: Hold, was: LockRecord): boolean {
  if (count >= 1 && count <= HOLD_COUNT_MAX) return true;
  const before = holdOf(was, token)?.count;
  if (before === undefined) return false;
  const isNoWorse = count >= Math.min(1, before) && count <= Math.max(HOLD_COUNT_MAX, before);
  return isNoWorse || Object.is(count, before);
}

/** Whether a hold that was released ends at its `keptUntil`, or was already wrong before. */
function hasValidEnd(hold: Hold, was: LockRecord): boolean {
  const { token, releasedAt, keptUntil, expiresAt } = hold;
  if (releasedAt === undefined || expiresAt === keptUntil) return true;
  const before = holdOf(was, token);
  return before?.releasedAt === releasedAt && before.expiresAt === expiresAt;
}

/**
 * How many of these numbers are not above the one before, or exceed `limit`. It never grows when
 * one of them is removed.
 */
function misplacedIn<T>(
  list: readonly T[],
  numberOf: (one: T) => number,
  limit = Number.POSITIVE_INFINITY,
): number {
  let misplaced = 0;
  let last = 0;
  for (const one of list) {
    const number = numberOf(one);
    if (!(number > last && number <= limit)) misplaced += 1;
    last = number;
  }
  return misplaced;
}

const tokenOf = ({ token }: Hold) => token;
const ticketOf = ({ ticket }: Waiter) => ticket;

/** The highest token that the record contains: its last one, unless it was damaged. */
function highestToken({ lastToken, holds, ended }: LockRecord): number {
  let highest = Math.max(lastToken, ended?.token ?? 0);
  for (const { token } of holds) if (token > highest) highest = token;
  return highest;
}

/** Whether there is a new offer or a new hold. */
function hasNewOffer(was: LockRecord, next: LockRecord): boolean {
  return next.offers.some((offer) => !hasOffer(was, offer.ticket)) || hasNewHold(was, next);
}

function hasNewHold(was: LockRecord, { holds }: LockRecord): boolean {
  return holds.some(({ token, mode, permits }) => {
    const known = holdOf(was, token);
    return known?.mode !== mode || known.permits !== permits;
  });
}

/** Checks the invariants of a counter's record that is about to be written: see above. */
export function checkCounterRecord(before: CounterRecord | null, next: CounterRecord): void {
  const isNextRev = before === null ? next.rev > 0 : next.rev === before.rev + 1;
  if (!isNextRev || !Number.isSafeInteger(next.rev)) refuse('a rev rises by one');
  if (!isWithin(next.value, next)) refuse('the value of a counter is within its bounds');
}

function refuse(invariant: string): never {
  throw new BrokenInvariant(invariant);
}
