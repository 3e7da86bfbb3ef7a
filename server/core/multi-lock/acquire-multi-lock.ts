import type {
  AcquireManyAnswer,
  MultiLockGranted,
  MultiLockHeld,
  MultiLockQueued,
} from '../../contract/multi-lock';
import { requestIdReused } from '../decision';
import { outsidePolicy } from '../lock/check-policy';
import { expireAndPromote, handOff } from '../lock/expire-and-promote';
import { grant, waitedForTrace } from '../lock/hold-lifecycle';
import { retryAfterMs } from '../lock/lock-answers';
import { type LockRecord, waiterAt } from '../lock/lock-record';
import {
  departedOf,
  enqueue,
  hasQueueRoom,
  isOutOfPatience,
  patienceEndsAt,
  placeOf,
  rememberDeparted,
  resumeHere,
  timeoutFacts,
  type WaitSpan,
  waitedMs,
} from '../lock/queue';
import { type RequestIdentity, requestFingerprint } from '../request-fingerprint';
import {
  type AcquireMultiLockCommand,
  type GiveUpMultiLockCommand,
  memberCommand,
} from './multi-lock-command';
import { grantOf, rememberMultiLock } from './multi-lock-idempotency';
import {
  blockOf,
  isAvailable,
  isTaken,
  leave,
  type MultiLockAsker,
  type MultiLockMember,
  type Place,
  placesOf,
  refuseNewBeyondRoom,
  revokeYoungerOffers,
} from './multi-lock-member';

/** Grants all locks or none. If none, it queues for a lock that blocks it, or refuses. */
export function acquireMultiLock(
  members: MultiLockMember[],
  ask: AcquireMultiLockCommand,
  process: string,
): AcquireManyAnswer {
  const place = resumePlace(placesOf(members, ask.request), ask.request, process);
  const now = members[0]?.draft.now ?? 0;
  if (place && isOutOfPatience(place.waiter, now)) return timeOut(members, ask, place);
  const since = place?.waiter ?? waitedBefore(members, ask.request);
  if (since && isOutOfPatience(since, now)) return timedOutBefore(members, ask);
  if (!place) refuseWithoutPlace(members, ask, since);
  expireAndPromoteAll(members);
  const blocked = blockedOf(members, place);
  if (blocked.length === 0) return grantAll(members, ask, { place, since });
  if (place && blocked.includes(place.member)) return queued(place, blocked, ask);
  if (ask.waitMs === 0) return refused(blocked, ask);
  const target = nextQueue(blocked, since);
  if (place) passTurn(place, target ? 'moved' : 'dropped');
  return target ? queueAt(target, { ask, since, blocked }) : queueFull(blocked);
}

/** Refuses a request without a place. Policy and room are only checked for a new request. */
function refuseWithoutPlace(
  members: MultiLockMember[],
  ask: AcquireMultiLockCommand,
  since: WaitSpan | null,
): void {
  if (!since && ask.outsidePolicy) throw outsidePolicy(ask.outsidePolicy);
  members[0]?.draft.refuseWhileClosed();
  if (!since) refuseNewBeyondRoom(members);
}

/**
 * Runs `expireAndPromote` on all locks. The ends of leases are written whatever the outcome of the
 * command: its answer may report them, and they must stay ended even if the clock steps back.
 */
export function expireAndPromoteAll(members: MultiLockMember[]): void {
  for (const member of members) {
    const { draft, before } = member;
    expireAndPromote(draft);
    if (before?.holds.some(({ expiresAt }) => expiresAt <= draft.now)) member.isChanged = true;
  }
}

/** A lock that blocks a multi-lock and has room in its queue, preferably a taken one; or null. */
function nextQueue(blocked: MultiLockMember[], since: WaitSpan | null): MultiLockMember | null {
  const withRoom = blocked.filter(({ draft }) => hasQueueRoom(draft, since));
  return withRoom.find(isTaken) ?? withRoom[0] ?? null;
}

/** The wait of this request up to now, if it lost its place in one of the queues. */
function waitedBefore(members: MultiLockMember[], request: RequestIdentity): WaitSpan | null {
  const places = members.flatMap(({ draft }) => departedOf(draft, request) ?? []);
  return places[0] ?? null;
}

/** Ends a wait that timed out, unless its caller now waits at another process. */
export function giveUpMultiLock(
  members: MultiLockMember[],
  ask: GiveUpMultiLockCommand,
  process: string,
): AcquireManyAnswer {
  const [place] = placesOf(members, ask.request);
  if (place) {
    const isElsewhere = place.waiter.process !== process;
    const answer = () => queued(place, blockedOf(members, place), ask);
    return isElsewhere ? answer() : timeOut(members, ask, place);
  }
  return timedOutBefore(members, ask);
}

/** The answer to a wait that had timed out before: it names what blocks the request now. */
export function timedOutBefore(members: MultiLockMember[], ask: MultiLockAsker): MultiLockHeld {
  expireAndPromoteAll(members);
  return held(blockedOf(members, null), ask, 'timeout');
}

/**
 * Resumes a request's place at this process, wherever it waited. If two calls of it queued at the
 * same time it has two places; the first by lock name is kept.
 */
function resumePlace(places: Place[], request: RequestIdentity, process: string): Place | null {
  const [place, ...others] = places;
  if (!place) return null;
  if (place.waiter.tag !== requestFingerprint(request)) throw requestIdReused();
  for (const other of others) {
    const { draft } = other.member;
    draft.addEvent('cancelled', other.waiter, { waitedMs: waitedMs(draft, other.waiter) });
    leave(other);
    expireAndPromote(other.member.draft);
    other.member.isChanged = true;
  }
  const { member, waiter } = place;
  if (waiter.process === process && waiter.detachedUntil === null) return place;
  resumeHere(member.draft, waiter);
  member.isChanged = true;
  return { member, waiter: waiterIn(member, waiter.ticket) };
}

function waiterIn({ draft }: MultiLockMember, ticket: number) {
  const waiter = waiterAt(draft.record, ticket);
  if (!waiter) throw new Error('A multi-lock lost its place during its own decision.');
  return waiter;
}

function blockedOf(members: MultiLockMember[], place: Place | null): MultiLockMember[] {
  const age = place?.waiter ?? null;
  return members.filter((member) => {
    const mine = member === place?.member ? place.waiter : undefined;
    return !isAvailable(member, mine, age);
  });
}

/** Tokens and leases begin now; the store's compare checks that the wait has not timed out. */
function grantAll(
  members: MultiLockMember[],
  ask: AcquireMultiLockCommand,
  { place, since }: Pick<Waiting, 'since'> & { place: Place | null },
): MultiLockGranted {
  const [first] = members;
  const waited = since && first ? waitedMs(first.draft, since) : 0;
  if (since) first?.draft.relyOn(patienceEndsAt(since));
  if (place) leave(place);
  let keptUntil = 0;
  const grants = members.map((member) => {
    const { name, mode, draft } = member;
    revokeYoungerOffers(member, place?.waiter ?? null);
    const how = waitedForTrace(draft, ask.service, since);
    const hold = grant(draft, memberCommand(ask, mode), waited, how);
    keptUntil = Math.max(keptUntil, hold.requestsKeptUntil);
    member.isChanged = true;
    return grantOf(name, hold, draft.rev, draft.now);
  });
  rememberMultiLock(members, ask.request, grants, keptUntil);
  return { outcome: 'granted', grants };
}

/**
 * Hands the lock to the next waiter, since the multi-lock cannot use its turn.
 *
 * @param why `moved`: it now waits for another lock; `dropped`: no queue has room for it
 */
function passTurn(place: Place, why: 'moved' | 'dropped'): void {
  const { member, waiter } = place;
  member.draft.addEvent(why, waiter, { waitedMs: waitedMs(member.draft, waiter) });
  leave(place);
  // If it is requested again it keeps its age and its timeout.
  if (why === 'dropped') rememberDeparted(member.draft, [waiter]);
  handOff(member.draft);
  member.isChanged = true;
}

interface Waiting {
  ask: AcquireMultiLockCommand;
  /** The wait of the request up to now; null: it did not wait. */
  since: WaitSpan | null;
  blocked: MultiLockMember[];
}

/** Queues a multi-lock. One that moves to another queue keeps its age and its timeout. */
function queueAt(target: MultiLockMember, { ask, since, blocked }: Waiting): AcquireManyAnswer {
  const { draft } = target;
  const waiter = enqueue(draft, memberCommand(ask, target.mode), since);
  handOff(draft);
  target.isChanged = true;
  return queued({ member: target, waiter }, blocked, ask);
}

function queueFull(blocked: MultiLockMember[]): AcquireManyAnswer {
  const { name, draft } = blocked.find(isTaken) ?? (blocked[0] as MultiLockMember);
  const queueLength = draft.record.queue.length;
  return { outcome: 'queueFull', name, queueLength, retryAfterMs: retryAfterMs(draft) };
}

function timeOut(
  members: MultiLockMember[],
  ask: AcquireMultiLockCommand | GiveUpMultiLockCommand,
  place: Place,
): MultiLockHeld {
  const { member, waiter } = place;
  const { draft } = member;
  draft.addEvent('timeout', waiter, timeoutFacts(draft, waiter));
  leave(place);
  expireAndPromoteAll(members);
  member.isChanged = true;
  const blocked = blockedOf(members, null);
  const blockers = blocked.length > 0 ? blocked : [member];
  const answer = held(blockers, ask, 'timeout');
  draft.remember(ask.request, answer, draft.now);
  return answer;
}

/** The answer to a multi-lock that does not wait and cannot be granted. */
function refused(blocked: MultiLockMember[], asker: MultiLockAsker): AcquireManyAnswer {
  for (const { name, draft } of blocked) {
    const { frozen } = draft.record;
    if (frozen) return { outcome: 'frozen', name, reason: frozen.reason };
  }
  return held(blocked, asker, 'held');
}

function held(
  blocked: MultiLockMember[],
  asker: MultiLockAsker,
  outcome: MultiLockHeld['outcome'],
): MultiLockHeld {
  return {
    outcome,
    blockedBy: blocked.map((member) => blockOf(member, asker)),
    retryAfterMs: Math.max(0, ...blocked.map(({ draft }) => retryAfterMs(draft))),
  };
}

function queued(
  { member, waiter }: Place,
  blocked: MultiLockMember[],
  asker: MultiLockAsker,
): MultiLockQueued {
  const { name, draft } = member;
  const record: LockRecord = draft.record;
  return {
    outcome: 'queued',
    name,
    ticket: waiter.ticket,
    place: Math.max(1, placeOf(record, waiter)),
    patienceLeftMs: Math.max(0, patienceEndsAt(waiter) - draft.now),
    blockedBy: blocked.map((other) => blockOf(other, asker)),
  };
}
