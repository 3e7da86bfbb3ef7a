import type { BlockedBy } from '../../contract/multi-lock';
import { namespaceFull } from '../decision';
import type { Draft } from '../draft';
import { hasRoom, isOpen, revokeOffers } from '../lock/expire-and-promote';
import { holderViews, lockState } from '../lock/lock-answers';
import {
  hasOffer,
  type LockRecord,
  type Offer,
  SHARED_MAX,
  type Waiter,
  waiterAt,
} from '../lock/lock-record';
import { type Age, isOlder, removeWaiters, waiterOf } from '../lock/queue';
import type { RequestIdentity } from '../request-fingerprint';
import type { MultiLockMode } from './multi-lock-command';

/** One lock of a multi-lock during the decision. */
export interface MultiLockMember {
  name: string;
  mode: MultiLockMode;
  /** The record as it was read. */
  before: LockRecord | null;
  draft: Draft;
  /** Whether the draft is to be written; otherwise it is discarded. */
  isChanged: boolean;
}

/** The place of a multi-lock in the queue of one of its locks. */
export interface Place {
  member: MultiLockMember;
  waiter: Waiter;
}

/** The caller that an answer is for. */
export interface MultiLockAsker {
  service: string;
  request: RequestIdentity;
}

/** The places of a request: at most one, or briefly more if two calls queued at the same time. */
export function placesOf(members: MultiLockMember[], request: RequestIdentity): Place[] {
  return members.flatMap((member) => {
    const waiter = waiterOf(member.draft.record, request.key);
    return waiter ? [{ member, waiter }] : [];
  });
}

/**
 * Whether a multi-lock can be granted this lock now: it was offered to it, or it is open, has room,
 * and no other waiter takes precedence: a single acquire before it in the queue, or a multi-lock
 * that has waited longer. An offer to a younger one does not block it, so of all multi-locks whose
 * locks are free the oldest is always granted, and they cannot block each other in a cycle.
 *
 * @param mine the multi-lock's waiter in the queue of this lock; undefined: it waits elsewhere
 * @param age of the multi-lock; null for one that is not queued yet: it is the youngest
 */
export function isAvailable(
  { draft, mode }: MultiLockMember,
  mine: Waiter | undefined,
  age: Age | null,
): boolean {
  if (!isOpen(draft)) return false;
  const { record } = draft;
  if (mine && hasOffer(record, mine.ticket)) return true;
  const before = record.queue.filter(({ ticket }) => !mine || ticket < mine.ticket);
  if (!before.every((waiter) => isYoungerMultiLock(waiter, age))) return false;
  const offers = record.offers.filter((offer) => !isOfYoungerMultiLock(record, offer, age));
  return hasRoom({ ...record, offers }, { mode });
}

/** Whether the lock is held or not open, rather than only reserved by offers. */
export function isTaken({ draft, mode }: MultiLockMember): boolean {
  return !isOpen(draft) || !hasRoom({ ...draft.record, offers: [] }, { mode });
}

/**
 * Revokes the offers to younger multi-locks that exclude a hold of this mode, and then as many
 * others, youngest first, as it takes to make room. Those multi-locks keep their places.
 */
export function revokeYoungerOffers({ draft, mode }: MultiLockMember, age: Age | null): void {
  const { record } = draft;
  const younger = record.offers.filter((offer) => isOfYoungerMultiLock(record, offer, age));
  const shared = mode === 'shared' ? younger.filter((offer) => isShared(record, offer)) : [];
  const kept = record.offers.length - younger.length + shared.length;
  const excess = Math.max(0, record.holds.length + 1 + kept - SHARED_MAX);
  const spared = new Set(excess > 0 ? oldestFirst(record, shared).slice(0, -excess) : shared);
  revokeOffers(
    draft,
    younger.filter((offer) => !spared.has(offer)),
  );
}

/** Removes the waiter from this lock's queue without an event. */
export function leave({ member, waiter }: Place): void {
  removeWaiters(member.draft, [waiter]);
}

/** What blocks a multi-lock at this lock, by the record as read. */
export function blockOf(
  { name, before, draft }: MultiLockMember,
  { request, service }: MultiLockAsker,
): BlockedBy {
  const mine = before && waiterOf(before, request.key) ? 1 : 0;
  return {
    name,
    state: lockState(before, draft.now),
    holders: holderViews(before, draft.now, service),
    queueLength: (before?.queue.length ?? 0) - mine,
  };
}

function isYoungerMultiLock(waiter: Waiter, age: Age | null): boolean {
  return waiter.setSize !== undefined && age !== null && isOlder(age, waiter);
}

function isOfYoungerMultiLock(record: LockRecord, { ticket }: Offer, age: Age | null): boolean {
  const waiter = waiterAt(record, ticket);
  return waiter !== undefined && isYoungerMultiLock(waiter, age);
}

function isShared(record: LockRecord, { ticket }: Offer): boolean {
  return waiterAt(record, ticket)?.mode === 'shared';
}

function oldestFirst({ queue }: LockRecord, offers: readonly Offer[]): Offer[] {
  const tickets = new Map(offers.map((offer) => [offer.ticket, offer]));
  return queue
    .filter(({ ticket }) => tickets.has(ticket))
    .sort((a, b) => (isOlder(a, b) ? -1 : 1))
    .flatMap(({ ticket }) => tickets.get(ticket) ?? []);
}

/** Throws `NAMESPACE_FULL` if more of the locks have no record than the namespace has room for. */
export function refuseNewBeyondRoom(members: readonly MultiLockMember[]): void {
  for (const { draft } of members) draft.refuseNewWhileFull();
  const room = members[0]?.draft.context.policy.roomForNames ?? members.length;
  const missing = members.filter(({ draft }) => draft.currentRev === 0).length;
  if (missing <= room) return;
  const text = `The namespace has room for ${room} more, and ${missing} of these locks are new.`;
  throw namespaceFull(text);
}
