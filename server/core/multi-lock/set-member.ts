import type { BlockedBy } from '../../contract/multi-lock/set-answers';
import type { Draft } from '../decision';
import { holderViews, lockState } from '../lock/inspect-record';
import { type Age, isOlder, removeWaiters, waiterOf } from '../lock/line-up';
import type { LockRecord, Mode, Offer, Waiter } from '../lock/lock-record';
import { hasRoom, isOpen } from '../lock/settle';
import type { RequestIdentity } from '../request-tag';

/** One lock of a set while that is being decided. */
export interface Member {
  name: string;
  mode: Mode;
  /** As it was read. */
  before: LockRecord | null;
  draft: Draft;
}

/** A set's place in the queue of one of its locks. */
export interface Place {
  member: Member;
  waiter: Waiter;
}

/** Where a request waits. One place, or more for a moment where two calls of it lined up at the same time. */
export function placesOf(members: Member[], request: RequestIdentity): Place[] {
  return members.flatMap((member) => {
    const waiter = waiterOf(member.draft.record, request.key);
    return waiter ? [{ member, waiter }] : [];
  });
}

/**
 * Whether a set may have this lock now: it was offered to the set, or it is open with room, and nobody has a better right
 * to it. Those who do are the single acquires before it in the queue, and the sets that have waited longer. An offer to a
 * younger set is no obstacle, so that of all sets that find their locks free the oldest is always granted: sets that
 * stand in each other's way cannot go round in circles.
 *
 * @param age of the set; null for one that does not wait yet: it is the last of all
 */
export function isAvailable(
  { draft, mode }: Member,
  mine: Waiter | undefined,
  age: Age | null,
): boolean {
  if (!isOpen(draft)) return false;
  const { record } = draft;
  if (record.offers.some(({ ticket }) => ticket === mine?.ticket)) return true;
  const before = record.queue.filter(({ ticket }) => !mine || ticket < mine.ticket);
  if (!before.every((waiter) => isYoungerSet(waiter, age))) return false;
  const offers = record.offers.filter((offer) => !isOfYoungerSet(record, offer, age));
  return hasRoom({ ...record, offers }, mode);
}

/** Whether only those who hold it, or nobody's being allowed it, keep a lock from a set: there it pays to wait. */
export function isTaken({ draft, mode }: Member): boolean {
  return !isOpen(draft) || !hasRoom({ ...draft.record, offers: [] }, mode);
}

/** Takes back offers to younger sets that cannot live beside a hold of this mode. They keep their places. */
export function makeRoom({ draft, mode }: Member, age: Age | null): void {
  const { record } = draft;
  const offers = record.offers.filter(
    (offer) =>
      !isOfYoungerSet(record, offer, age) || (mode === 'shared' && isShared(record, offer)),
  );
  if (offers.length < record.offers.length) draft.change({ offers });
}

/** Ends a wait at this lock without a word of history. */
export function leave({ member, waiter }: Place): void {
  removeWaiters(member.draft, [waiter]);
}

/** What keeps a set from this lock, as it was read. */
export function blockOf({ name, before, draft }: Member, request: RequestIdentity): BlockedBy {
  const mine = before && waiterOf(before, request.key) ? 1 : 0;
  return {
    name,
    state: lockState(before, draft.now),
    holders: holderViews(before, draft.now),
    queueLength: (before?.queue.length ?? 0) - mine,
  };
}

function isYoungerSet(waiter: Waiter, age: Age | null): boolean {
  return waiter.setSize !== undefined && age !== null && isOlder(age, waiter);
}

function isOfYoungerSet({ queue }: LockRecord, { ticket }: Offer, age: Age | null): boolean {
  const waiter = queue.find((other) => other.ticket === ticket);
  return waiter !== undefined && isYoungerSet(waiter, age);
}

function isShared({ queue }: LockRecord, { ticket }: Offer): boolean {
  return queue.some((waiter) => waiter.ticket === ticket && waiter.mode === 'shared');
}
