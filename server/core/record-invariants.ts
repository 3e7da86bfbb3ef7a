import { isWithin } from '../contract/counter-bounds';
import { LockyardError } from '../contract/errors';
import type { CounterRecord } from './counter/counter-record';
import {
  DEPARTED_MAX,
  HOLD_COUNT_MAX,
  type Hold,
  type LockRecord,
  SHARED_MAX,
  type Waiter,
} from './lock/lock-record';

/**
 * A decision would have left a record that breaks an invariant. That is a fault of Lockyard itself,
 * so the decision is refused, and the record stays as it is.
 */
export class BrokenInvariant extends LockyardError {
  /** @param invariant a sentence about the record */
  constructor(readonly invariant: string) {
    super('INTERNAL', `This was refused, since it would break an invariant: ${invariant}.`);
  }
}

type Bounded = Pick<LockRecord, 'rev' | 'lastToken' | 'lastTicket' | 'holds' | 'offers' | 'queue'>;

const UNWRITTEN: Bounded = {
  rev: 0,
  lastToken: 0,
  lastTicket: 0,
  holds: [],
  offers: [],
  queue: [],
};

/**
 * Checks the invariants of `LockRecord` for one that is about to be written; only its parts that
 * changed, so that it costs next to nothing.
 *
 * @param before the record that it replaces; null for the first one
 * @throws BrokenInvariant naming the first one that does not hold
 */
export function checkLockRecord(
  before: LockRecord | null,
  next: LockRecord,
  queueLimit: number,
): void {
  const was = before ?? UNWRITTEN;
  const { holds, offers, queue, lastToken, lastTicket } = next;
  const isNextRev = before === null ? next.rev > 0 : next.rev === was.rev + 1;
  if (!isNextRev || !Number.isSafeInteger(next.rev)) refuse('a rev rises by one');
  if (!(lastToken >= was.lastToken && Number.isSafeInteger(lastToken))) refuse('tokens rise');
  if (!(lastTicket >= was.lastTicket)) refuse('tickets rise');
  if (holds !== was.holds) checkHolds(was, holds, lastToken);
  if (queue !== was.queue) {
    checkTickets(queue, lastTicket);
    const most = Math.max(queueLimit, was.queue.length);
    if (queue.length > most) refuse('a queue does not grow beyond its limit');
  }
  if (offers.length > 0) checkOffers(next);
  if (next.departed.length > DEPARTED_MAX) refuse('departed waiters are bounded');
  if (next.ended && next.ended.token > lastToken) refuse('only a granted hold ends');
}

function checkHolds(was: Bounded, holds: readonly Hold[], lastToken: number): void {
  if (holds.length > SHARED_MAX) refuse('shared holds are bounded');
  let known = 0;
  let last = 0;
  for (const { token, mode, count } of holds) {
    if (mode === 'exclusive' && holds.length > 1) refuse('an exclusive hold is alone');
    if (!(count >= 1 && count <= HOLD_COUNT_MAX)) refuse('a hold was entered once or more');
    if (!(token > last && token <= lastToken)) refuse('tokens rise along the holds');
    last = token;
    if (token > was.lastToken) continue;
    while ((was.holds[known]?.token ?? token) < token) known += 1;
    if (was.holds[known]?.token !== token) refuse('a new hold has a new token');
  }
}

function checkTickets(queue: readonly Waiter[], lastTicket: number): void {
  let last = 0;
  for (const { ticket } of queue) {
    if (!(ticket > last)) refuse('tickets rise along the queue');
    last = ticket;
  }
  if (last > lastTicket) refuse('a ticket is at most the last one');
}

function checkOffers({ offers, holds, queue }: LockRecord): void {
  if (offers.length + holds.length > SHARED_MAX) refuse('shared holds are bounded');
  for (const offer of offers) {
    const waiter = queue.find(({ ticket }) => ticket === offer.ticket);
    const isAlone = offers.length === 1 && holds.length === 0;
    if (!waiter) refuse('an offer names a waiter');
    if (waiter?.mode === 'exclusive' && !isAlone) refuse('an exclusive offer is alone');
  }
}

/** The same for a counter. */
export function checkCounterRecord(before: CounterRecord | null, next: CounterRecord): void {
  const isNextRev = before === null ? next.rev > 0 : next.rev === before.rev + 1;
  if (!isNextRev || !Number.isSafeInteger(next.rev)) refuse('a rev rises by one');
  if (!isWithin(next.value, next)) refuse('the value of a counter is within its bounds');
}

function refuse(invariant: string): never {
  throw new BrokenInvariant(invariant);
}
