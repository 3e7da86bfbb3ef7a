import type {
  AcquireSetAnswer,
  SetGranted,
  SetHeld,
  SetQueued,
} from '../../contract/multi-lock/answers';
import { requestIdReused } from '../decision';
import { outsidePolicy } from '../lock/check-policy';
import { handOff, settle } from '../lock/expire-and-promote';
import { retryAfterMs } from '../lock/held-answer';
import { grant } from '../lock/hold-lifecycle';
import type { LockRecord } from '../lock/lock-record';
import { enqueue, isOutOfPatience, placeOf, updateWaiter, waitedMs } from '../lock/queue';
import { type RequestIdentity, requestTag } from '../request-fingerprint';
import { type AcquireSetCommand, type GiveUpSetCommand, memberAsk } from './multi-lock-command';
import { grantOf, rememberSet } from './multi-lock-idempotency';
import {
  blockOf,
  isAvailable,
  isTaken,
  leave,
  type Member,
  makeRoom,
  type Place,
  placesOf,
} from './multi-lock-member';

/** Members whose drafts are to be written; the other drafts are discarded. */
export type Touched = Set<Member>;

/**
 * Grants all locks or none. If none, the multi-lock keeps or takes a place in the queue of a lock
 * that blocks it, or is refused.
 */
export function acquireSet(
  members: Member[],
  ask: AcquireSetCommand,
  process: string,
  touched: Touched,
): AcquireSetAnswer {
  const place = takeUp(placesOf(members, ask.request), ask.request, process, touched);
  if (place && isOutOfPatience(place.waiter, place.member.draft.now)) {
    return timeOut(members, ask, place, touched);
  }
  if (!place && ask.outsidePolicy) throw outsidePolicy(ask.outsidePolicy);
  if (!place) {
    members[0]?.draft.refuseWhileClosed();
    for (const { draft } of members) draft.refuseNewWhileFull();
  }
  for (const { draft } of members) settle(draft);
  const blocked = blockedOf(members, place);
  if (blocked.length === 0) return grantAll(members, ask, place, touched);
  if (place && blocked.includes(place.member)) return queued(place, blocked, ask.request);
  if (ask.waitMs === 0) return refused(blocked, ask.request);
  const target = blocked.find(isTaken) ?? (blocked[0] as Member);
  if (place) moveOn(place, touched);
  return lineUp(target, { ask, place, blocked, touched });
}

/** Ends a wait that timed out, unless its caller now waits at another process. */
export function giveUpSet(
  members: Member[],
  ask: GiveUpSetCommand,
  process: string,
  touched: Touched,
): AcquireSetAnswer {
  const [place] = placesOf(members, ask.request);
  if (place) {
    const isElsewhere = place.waiter.process !== process;
    const answer = () => queued(place, blockedOf(members, place), ask.request);
    return isElsewhere ? answer() : timeOut(members, ask, place, touched);
  }
  for (const { draft } of members) settle(draft);
  return held(blockedOf(members, null), ask.request, 'timeout');
}

/**
 * Resumes the place that a request already has, from whichever process. If two calls of it queued
 * at the same time it has two; the first in order is kept.
 */
function takeUp(
  places: Place[],
  request: RequestIdentity,
  process: string,
  touched: Touched,
): Place | null {
  const [place, ...others] = places;
  if (!place) return null;
  if (place.waiter.tag !== requestTag(request)) throw requestIdReused();
  for (const other of others) {
    other.member.draft.note('cancelled', other.waiter);
    leave(other);
    settle(other.member.draft);
    touched.add(other.member);
  }
  const { member, waiter } = place;
  if (waiter.process === process && waiter.detachedUntil === null) return place;
  const here = { ...waiter, process, detachedUntil: null };
  updateWaiter(member.draft, waiter, here);
  member.draft.note('resumed', waiter);
  touched.add(member);
  return { member, waiter: waiterIn(member, waiter.ticket) };
}

function waiterIn({ draft }: Member, ticket: number) {
  const waiter = draft.record.queue.find((other) => other.ticket === ticket);
  if (!waiter) throw new Error('A set lost its place while that was being decided.');
  return waiter;
}

function blockedOf(members: Member[], place: Place | null): Member[] {
  const age = place?.waiter ?? null;
  return members.filter((member) => {
    const mine = member === place?.member ? place.waiter : undefined;
    return !isAvailable(member, mine, age);
  });
}

/** Tokens and leases begin now; the store's compare checks that the wait has not timed out. */
function grantAll(
  members: Member[],
  ask: AcquireSetCommand,
  place: Place | null,
  touched: Touched,
): SetGranted {
  const waited = place ? waitedMs(place.member.draft, place.waiter) : 0;
  if (place) {
    place.member.draft.isPast(place.waiter.enqueuedAt + place.waiter.patienceMs);
    leave(place);
  }
  let keptUntil = 0;
  const grants = members.map((member) => {
    const { name, mode, draft } = member;
    makeRoom(member, place?.waiter ?? null);
    const hold = grant(draft, memberAsk(ask, mode), waited);
    keptUntil = Math.max(keptUntil, hold.requestsKeptUntil);
    touched.add(member);
    return grantOf(name, hold, draft.rev, draft.now);
  });
  rememberSet(members, ask.request, grants, keptUntil);
  return { outcome: 'granted', grants };
}

/** Hands the lock to the next waiter, since the multi-lock does not take its turn. */
function moveOn(place: Place, touched: Touched): void {
  const { member, waiter } = place;
  member.draft.note('moved', waiter, { waitedMs: waitedMs(member.draft, waiter) });
  leave(place);
  handOff(member.draft);
  touched.add(member);
}

interface LiningUp {
  ask: AcquireSetCommand;
  /** The place that it has left. */
  place: Place | null;
  blocked: Member[];
  touched: Touched;
}

/** A multi-lock that moves to another queue keeps its age and the rest of its wait. */
function lineUp(target: Member, { ask, place, blocked, touched }: LiningUp): AcquireSetAnswer {
  const { name, draft } = target;
  const queueLength = draft.record.queue.length;
  if (queueLength >= draft.context.policy.queueLimit) {
    return { outcome: 'queueFull', name, queueLength, retryAfterMs: retryAfterMs(draft) };
  }
  const since = place && {
    enqueuedAt: place.waiter.enqueuedAt,
    patienceMs: place.waiter.patienceMs,
  };
  const waiter = enqueue(draft, memberAsk(ask, target.mode), since);
  handOff(draft);
  touched.add(target);
  return queued({ member: target, waiter }, blocked, ask.request);
}

function timeOut(
  members: Member[],
  { request }: AcquireSetCommand | GiveUpSetCommand,
  place: Place,
  touched: Touched,
): SetHeld {
  const { member, waiter } = place;
  const { draft } = member;
  draft.note('timeout', waiter, { waitedMs: waitedMs(draft, waiter) });
  leave(place);
  for (const other of members) settle(other.draft);
  touched.add(member);
  const blocked = blockedOf(members, null);
  const told = blocked.length > 0 ? blocked : [member];
  const answer = held(told, request, 'timeout');
  draft.remember(request, answer, draft.now);
  return answer;
}

/** The answer to a multi-lock that does not wait and cannot be granted. */
function refused(blocked: Member[], request: RequestIdentity): AcquireSetAnswer {
  for (const { name, draft } of blocked) {
    const { frozen } = draft.record;
    if (frozen) return { outcome: 'frozen', name, reason: frozen.reason };
  }
  return held(blocked, request, 'held');
}

function held(blocked: Member[], request: RequestIdentity, outcome: SetHeld['outcome']): SetHeld {
  return {
    outcome,
    blockedBy: blocked.map((member) => blockOf(member, request)),
    retryAfterMs: Math.max(0, ...blocked.map(({ draft }) => retryAfterMs(draft))),
  };
}

function queued({ member, waiter }: Place, blocked: Member[], request: RequestIdentity): SetQueued {
  const { name, draft } = member;
  const { ticket, enqueuedAt, patienceMs } = waiter;
  const record: LockRecord = draft.record;
  return {
    outcome: 'queued',
    name,
    ticket,
    place: Math.max(1, placeOf(record, waiter)),
    patienceLeftMs: Math.max(0, enqueuedAt + patienceMs - draft.now),
    blockedBy: blocked.map((other) => blockOf(other, request)),
  };
}
