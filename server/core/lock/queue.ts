import { LockyardError } from '../../contract/errors';
import { storedFor } from '../decision';
import type { Draft } from '../draft';
import {
  isFingerprintOf,
  markOf,
  type RequestIdentity,
  requestFingerprint,
} from '../request-fingerprint';
import { ANSWER_RETENTION_MS, CLOCK_ERROR_MS, DETACHED_MS } from '../timing';
import type { AcquireCommand } from './lock-command';
import type { LockEvent } from './lock-event';
import { DEPARTED_MAX, type DepartedWaiter, type LockRecord, type Waiter } from './lock-record';
import { capacityFact, nameCapacity } from './permits';

/** When a wait began, and how long it may last. */
export type WaitSpan = Pick<Waiter, 'enqueuedAt' | 'patienceMs'>;

/** What is remembered of a wait that lost its place: its span and a mark of its owner. */
type RememberedWait = WaitSpan & Pick<DepartedWaiter, 'ownerMark'>;

/** The part of a wait to remember when it loses its place. */
export function rememberedWait({ enqueuedAt, patienceMs, owner }: Waiter): RememberedWait {
  return { enqueuedAt, patienceMs, ownerMark: markOf(owner) };
}

/** Appends an acquire to the queue. `since`: its wait up to now, in an earlier place. */
export function enqueue(draft: Draft, ask: AcquireCommand, since: WaitSpan | null = null): Waiter {
  const { record, now, context } = draft;
  const waiter: Waiter = {
    ticket: nextTicket(record),
    mode: ask.mode,
    ...(ask.permits === undefined ? {} : { permits: ask.permits }),
    service: ask.service,
    owner: ask.owner,
    tag: requestFingerprint(ask.request),
    process: context.process,
    enqueuedAt: since?.enqueuedAt ?? now,
    patienceMs: since?.patienceMs ?? ask.waitMs,
    detachedUntil: null,
    ...(ask.set ? { setSize: ask.set.size } : {}),
  };
  nameCapacity(draft, ask);
  draft.change({ queue: [...record.queue, waiter], lastTicket: waiter.ticket });
  forgetDeparted(draft, ask.request);
  const mode = waiter.mode === 'exclusive' ? {} : { mode: waiter.mode };
  const facts = { patienceMs: waiter.patienceMs, ...mode, ...capacityFact(draft, ask) };
  draft.addEvent('queued', waiter, facts);
  return waiter;
}

/** A ticket above every existing one, even if the record was damaged. */
function nextTicket({ lastTicket, queue }: LockRecord): number {
  let highest = Math.max(lastTicket, 0);
  for (const { ticket } of queue) if (ticket > highest) highest = ticket;
  if (Number.isSafeInteger(highest + 1)) return highest + 1;
  throw new LockyardError('UNSUPPORTED', TICKETS_USED_UP);
}

const TICKETS_USED_UP =
  'The tickets of this lock are used up, so it accepts no more waiters. Nothing was changed. ' +
  'Acquires that do not wait still work; delete the lock once it is free.';

/**
 * Whether one more waiter may join the queue. The limit of the namespace applies to newcomers. A
 * request that had a place before can join up to `DEPARTED_MAX` waiters beyond the limit, so that
 * newcomers cannot take its room.
 *
 * @param since its wait up to now, in an earlier place; null: a newcomer
 */
export function hasQueueRoom({ record, context }: Draft, since: WaitSpan | null): boolean {
  const { queueLimit } = context.policy;
  return record.queue.length < (since ? queueLimit + DEPARTED_MAX : queueLimit);
}

/**
 * Remembers waiters that left the queue without an answer, for `ANSWER_RETENTION_MS` beyond their
 * wait: so a `timeout` that is answered from this is as final as a stored one. If there are more
 * than `DEPARTED_MAX`, those that have timed out are forgotten first, then those that left first;
 * of those that left together, the last in the queue.
 */
export function rememberDeparted(draft: Draft, gone: Waiter[]): void {
  if (gone.length === 0) return;
  const { record, now } = draft;
  const added = gone.map((waiter) => {
    const until = Math.max(now, patienceEndsAt(waiter)) + ANSWER_RETENTION_MS;
    return { tag: waiter.tag, ...rememberedWait(waiter), until };
  });
  const tags = new Set(added.map(({ tag }) => tag));
  const earlier = record.departed.filter((one) => one.until > now && !tags.has(one.tag));
  const all = [...added, ...earlier];
  const hasTimedOut = (one: DepartedWaiter) => isOutOfPatience(one, now);
  const kept =
    all.length > DEPARTED_MAX
      ? [...all.filter((one) => !hasTimedOut(one)), ...all.filter(hasTimedOut)]
      : all;
  draft.change({ departed: kept.slice(0, DEPARTED_MAX) });
}

/** The departed waiter of this request with the same input, if it is still remembered. */
export function departedOf(
  { record, now }: Draft,
  request: RequestIdentity,
): DepartedWaiter | undefined {
  if (record.departed.length === 0) return undefined;
  const tag = requestFingerprint(request);
  return record.departed.find((one) => one.tag === tag && one.until > now);
}

/** Forgets the departed waiter of a request that was granted or waits again, and expired ones. */
export function forgetDeparted(draft: Draft, request: RequestIdentity): void {
  const { departed } = draft.record;
  if (departed.length === 0) return;
  const tag = requestFingerprint(request);
  const left = departed.filter((one) => one.tag !== tag && one.until > draft.now);
  if (left.length < departed.length) draft.change({ departed: left });
}

/**
 * Ends the wait of a request that its owner cancels after it lost its place, whatever its input.
 * False: no wait of this owner's is remembered, or it has timed out.
 */
export function cancelDeparted(
  draft: Draft,
  { service, owner, request }: Pick<AcquireCommand, 'service' | 'owner' | 'request'>,
): boolean {
  const { record, now } = draft;
  const isMatch = (one: DepartedWaiter) => isFingerprintOf(one.tag, request.key) && one.until > now;
  const gone = record.departed.find(isMatch);
  const wait = gone ?? waitBetweenCalls(draft, request);
  if (!wait || isOutOfPatience(wait, now)) return false;
  if (wait.ownerMark !== undefined && wait.ownerMark !== markOf(owner)) return false;
  draft.change({ departed: record.departed.filter((one) => one !== gone) });
  draft.addEvent('cancelled', { service, owner }, { waitedMs: waitedMs(draft, wait) });
  return true;
}

/** The wait that is stored between two calls of a request: see `decideDetach`. */
function waitBetweenCalls(
  { context, now }: Draft,
  request: RequestIdentity,
): RememberedWait | null {
  const answer = storedFor(context.storedAnswer, request, now)?.answer as object | undefined;
  return answer && isWait(answer) ? answer : null;
}

const isWait = (answer: object): answer is RememberedWait => 'enqueuedAt' in answer;

/** The waiter that a request put into the queue, if it is still there. */
export function waiterOf(record: LockRecord, requestKey: string): Waiter | undefined {
  return record.queue.find((waiter) => isFingerprintOf(waiter.tag, requestKey));
}

/** A waiter's place in service order, found without sorting the queue: 1 is next. */
export function placeOf({ queue }: LockRecord, { ticket }: Waiter): number {
  const index = queue.findIndex((other) => other.ticket === ticket);
  const heads = queue.slice(0, multiLocksAtHead(queue));
  const waiter = heads[index];
  if (!waiter) return index + 1;
  return heads.reduce((place, other) => (isOlder(other, waiter) ? place + 1 : place), 1);
}

/** Replaces one waiter by a changed copy in the same place. */
export function updateWaiter(draft: Draft, waiter: Waiter, part: Partial<Waiter>): void {
  draft.change({
    queue: draft.record.queue.map((other) => (other === waiter ? { ...other, ...part } : other)),
  });
}

/** Moves a waiter's place to this process, where a call of its request is open. */
export function resumeHere(draft: Draft, waiter: Waiter): void {
  updateWaiter(draft, waiter, { process: draft.context.process, detachedUntil: null });
  draft.addEvent('resumed', waiter);
}

/**
 * Restarts the time between two requests that a waiter is given if the clock was set back
 * meanwhile: else a waiter whose caller is gone would block the lock until the clock catches up.
 */
export function restartDetached(draft: Draft): void {
  const latest = draft.now + DETACHED_MS + CLOCK_ERROR_MS;
  for (const waiter of draft.record.queue) {
    if (waiter.detachedUntil === null || waiter.detachedUntil <= latest) continue;
    updateWaiter(draft, waiter, { detachedUntil: draft.now + DETACHED_MS });
    draft.addEvent('detached', waiter);
  }
}

/** Removes waiters from the queue, and their offers with them. */
export function removeWaiters(draft: Draft, gone: Waiter[]): void {
  const { queue, offers } = draft.record;
  const tickets = new Set(gone.map((waiter) => waiter.ticket));
  const isFirst = gone.length === 1 && queue[0] === gone[0];
  draft.change({
    queue: isFirst ? queue.slice(1) : queue.filter((waiter) => !tickets.has(waiter.ticket)),
    offers: offers.some(({ ticket }) => tickets.has(ticket))
      ? offers.filter(({ ticket }) => !tickets.has(ticket))
      : offers,
  });
}

/**
 * The start of the longest wait; null without waiters. Not always that of the first in the queue: a
 * multi-lock that moves to another queue keeps its age, and so does a waiter that queues again.
 */
export function oldestWaitAt(queue: readonly Waiter[]): number | null {
  let oldest: number | null = null;
  for (const { enqueuedAt } of queue) {
    if (oldest === null || enqueuedAt < oldest) oldest = enqueuedAt;
  }
  return oldest;
}

/** Whether `one` has waited longer, over all queues that it was in. No two ages are equal. */
export function isOlder(one: Age, other: Age): boolean {
  if (one.enqueuedAt !== other.enqueuedAt) return one.enqueuedAt < other.enqueuedAt;
  return one.tag < other.tag;
}

export type Age = Pick<Waiter, 'enqueuedAt' | 'tag'>;

/** The queue in service order: the multi-locks at its head are sorted by age, oldest first. */
export function inServiceOrder(queue: readonly Waiter[]): readonly Waiter[] {
  const heads = multiLocksAtHead(queue);
  if (heads < 2) return queue;
  const byAge = queue.slice(0, heads).sort((a, b) => (isOlder(a, b) ? -1 : 1));
  return [...byAge, ...queue.slice(heads)];
}

/** How many multi-locks precede the first single acquire. */
function multiLocksAtHead(queue: readonly Waiter[]): number {
  const firstSingle = queue.findIndex(({ setSize }) => setSize === undefined);
  return firstSingle < 0 ? queue.length : firstSingle;
}

/** How long a waiter has waited; 0 if the clock was set back to before its arrival. */
export function waitedMs(draft: Draft, { enqueuedAt }: WaitSpan): number {
  return Math.max(0, draft.now - enqueuedAt);
}

/** The facts of a timeout's event: it is dated to the timeout, however late that is noticed. */
export function timeoutFacts({ now }: Draft, wait: WaitSpan): Pick<LockEvent, 'at' | 'waitedMs'> {
  const at = Math.min(now, patienceEndsAt(wait));
  return { at, waitedMs: Math.max(0, at - wait.enqueuedAt) };
}

/** The instant from which a waiter has timed out. */
export function patienceEndsAt({ enqueuedAt, patienceMs }: WaitSpan): number {
  return enqueuedAt + patienceMs;
}

/** Whether a waiter has timed out. */
export function isOutOfPatience(wait: WaitSpan, now: number): boolean {
  return patienceEndsAt(wait) <= now;
}

/**
 * Whether a waiter can still be served. A waiter of this process is present while its caller is
 * connected; one of another process while that process is alive; one between two requests until
 * `detachedUntil`.
 *
 * None of this is in the store's compare: keeping or dropping a waiter grants nothing.
 */
export function isPresent(draft: Draft, waiter: Waiter): boolean {
  const { context, now } = draft;
  if (isOutOfPatience(waiter, now)) return false;
  if (waiter.detachedUntil !== null) return waiter.detachedUntil > now;
  if (waiter.process === context.process) return draft.callerOf(waiter) !== null;
  return context.isAlive(waiter.process);
}

/** The request of a waiter whose caller is connected to this process. */
export function localCaller(draft: Draft, waiter: Waiter): AcquireCommand | null {
  if (waiter.process !== draft.context.process || waiter.detachedUntil !== null) return null;
  return draft.callerOf(waiter);
}
