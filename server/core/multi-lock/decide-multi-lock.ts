import type { Decision, DecisionContext } from '../decision';
import { Draft } from '../draft';
import { decideRevertGrant } from '../lock/decide-hold';
import { expireAndPromote, handOff } from '../lock/expire-and-promote';
import { endHold, removeEntry } from '../lock/hold-lifecycle';
import type { AcquireCommand } from '../lock/lock-command';
import { type Hold, isReleased, type LockRecord, type Waiter } from '../lock/lock-record';
import { cancelDeparted, waitedMs } from '../lock/queue';
import { isSameParty } from '../party';
import type { RequestIdentity } from '../request-fingerprint';
import {
  acquireMultiLock,
  expireAndPromoteAll,
  giveUpMultiLock,
  timedOutBefore,
} from './acquire-multi-lock';
import {
  type CancelMultiLockCommand,
  type MultiLockAnswer,
  type MultiLockCommand,
  memberCommand,
  namesOf,
  type RevertMultiLockCommand,
} from './multi-lock-command';
import { rememberUndone, replayMultiLock } from './multi-lock-idempotency';
import { leave, type MultiLockMember, placesOf } from './multi-lock-member';

/** The context of a multi-lock's decision; `storedAnswer` is the answer stored for its request. */
export type MultiLockContext = Omit<DecisionContext, 'callerOf'> & {
  callerOf: (name: string, waiter: Waiter) => AcquireCommand | null;
};

/** What a command does to a multi-lock's locks. It takes effect when one step swaps them all. */
export interface MultiLockDecision {
  /** The locks that change, by name. */
  changes: { name: string; decision: Decision<null> & { next: LockRecord } }[];
  answer: MultiLockAnswer;
}

/**
 * Decides one command on all locks of a multi-lock (in verbs and stored fields: `set`). Pure, as
 * `decide` is.
 *
 * Guarantees, once a store has swapped in all changes by one step or none:
 * - a multi-lock is granted whole or not at all, and each of its holds is an ordinary one;
 * - while it waits it holds nothing: it is in the queue of one lock that blocks it. If another lock
 *   blocks it when its turn comes there, it moves to the queue of that lock, and the first lock
 *   goes to its next waiter. No multi-lock holds one lock while it waits for another, so
 *   multi-locks cannot deadlock;
 * - it never overtakes a waiting single acquire, nor a multi-lock that came to the same queue
 *   earlier;
 * - its timeout and its age span all moves.
 *
 * Not guaranteed: that multi-locks are granted in the order in which they came. Requests for fewer
 * locks may overtake one, and if its locks are never free at the same time it times out. A hold of
 * its own owner blocks it like any other: a multi-lock never re-enters.
 *
 * @param records the locks as last read, by name; null for a lock that was never written
 * @throws LockyardError as `decide`
 */
export function decideMultiLock(
  records: ReadonlyMap<string, LockRecord | null>,
  command: MultiLockCommand,
  context: MultiLockContext,
): MultiLockDecision {
  const members = namesOf(command).map((name) => memberOf(name, records, command, context));
  const answer = answerTo(members, command, context);
  const changes = members.flatMap((member) => {
    if (!member.isChanged) return [];
    const { next, ...rest } = member.draft.finish(null);
    return next ? [{ name: member.name, decision: { next, ...rest } }] : [];
  });
  return { changes, answer };
}

const EXPIRE_AND_PROMOTE = { verb: 'expireAndPromote' } as const;

function memberOf(
  name: string,
  records: ReadonlyMap<string, LockRecord | null>,
  command: MultiLockCommand,
  context: MultiLockContext,
): MultiLockMember {
  const before = records.get(name) ?? null;
  const locks = 'locks' in command ? command.locks : [];
  const mode = locks.find((lock) => lock.name === name)?.mode ?? 'exclusive';
  const single = command.verb === 'acquireSet' ? memberCommand(command, mode) : EXPIRE_AND_PROMOTE;
  const callerOf = (waiter: Waiter) => context.callerOf(name, waiter);
  const draft = new Draft(before, single, { ...context, callerOf });
  return { name, mode, before, draft, isChanged: false };
}

function answerTo(
  members: MultiLockMember[],
  command: MultiLockCommand,
  context: MultiLockContext,
): MultiLockAnswer {
  if (command.verb === 'cancelSet') return cancelMultiLock(members, command);
  if (command.verb === 'revertSet') return revertMultiLock(members, command);
  const replay = replayMultiLock(members, command.request, context);
  if (replay?.outcome === 'timeout') return timedOutBefore(members, command);
  if (replay) return replay;
  return command.verb === 'acquireSet'
    ? acquireMultiLock(members, command, context.process)
    : giveUpMultiLock(members, command, context.process);
}

/**
 * Undoes an acquire of a multi-lock: leaves the queue, ends a wait that lost its place, or releases
 * the holds that it still has. A hold that was re-entered since continues for those entries; then a
 * stored answer shows that the multi-lock itself was undone.
 */
function cancelMultiLock(
  members: MultiLockMember[],
  command: CancelMultiLockCommand,
): MultiLockAnswer {
  const { request } = command;
  const isMine = (party: Hold | Waiter) => isSameParty(party, command);
  const places = placesOf(members, request).filter(({ waiter }) => isMine(waiter));
  for (const place of places) {
    const { draft } = place.member;
    draft.addEvent('cancelled', place.waiter, { waitedMs: waitedMs(draft, place.waiter) });
    leave(place);
    expireAndPromote(draft);
    rememberCancelled(draft, request);
    place.member.isChanged = true;
  }
  if (places.length > 0) return { outcome: 'cancelled' };
  const undone: { member: MultiLockMember; hold: Hold }[] = [];
  expireAndPromoteAll(members);
  for (const member of members) {
    const { draft } = member;
    const hold = draft.record.holds.find((h) => isMine(h) && h.requests.includes(request.key));
    if (!hold || isReleased(hold)) continue;
    if (hold.count > 1) removeEntry(draft, hold, request);
    else endHold(draft, hold, 'released');
    handOff(draft);
    member.isChanged = true;
    undone.push({ member, hold });
  }
  rememberUndone(undone, request);
  if (undone.length > 0) return { outcome: 'released' };
  const departed = members.filter(({ draft }) => cancelDeparted(draft, command));
  for (const member of departed) {
    rememberCancelled(member.draft, request);
    member.isChanged = true;
  }
  return { outcome: departed.length > 0 ? 'cancelled' : 'none' };
}

/** Stores `timeout` as the answer to the request from now on. */
function rememberCancelled(draft: Draft, request: RequestIdentity): void {
  const timeout = { outcome: 'timeout', blockedBy: [], retryAfterMs: 0 };
  draft.remember({ ...request, inputHash: '' }, timeout, draft.now);
}

/** Reverts all holds of a late grant, unless a repeat of its request can still receive them. */
function revertMultiLock(
  members: MultiLockMember[],
  command: RevertMultiLockCommand,
): MultiLockAnswer {
  for (const member of members) {
    const held = command.holds.find(({ name }) => name === member.name);
    if (!held) continue;
    const revert = { verb: 'revertGrant', token: held.token, request: command.request } as const;
    const { outcome } = decideRevertGrant(member.draft, revert);
    if (outcome === 'reverted') member.isChanged = true;
  }
  return { outcome: members.some(({ isChanged }) => isChanged) ? 'reverted' : 'gone' };
}
