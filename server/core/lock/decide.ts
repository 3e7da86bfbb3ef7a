import type { Decision, DecisionContext } from '../decision';
import { Draft } from '../draft';
import { decideAcquire, decideCancel, decideDetach, decideGiveUp } from './decide-acquire';
import { decideRelease, decideRenew, decideRevertGrant } from './decide-hold';
import { expireAndPromote } from './expire-and-promote';
import { inspectRecord, isValidToken } from './lock-answers';
import type { AnswerOf, LockAnswers, LockCommand } from './lock-command';
import type { LockRecord } from './lock-record';
import { decideExtend } from './operators/decide-extend';
import { decideForceRelease } from './operators/decide-force-release';
import { decideFreeze } from './operators/decide-freeze';
import { decideReassign } from './operators/decide-reassign';
import { decideReleaseRequest } from './operators/decide-release-request';
import { decideSetCapacity } from './operators/decide-set-capacity';

/**
 * Decides one command on one lock. Only this and `decideMultiLock` grant, renew and end holds.
 *
 * Pure: the same record, command and context give the same decision; no record is mutated.
 *
 * Guarantees, once a store has swapped `next` in for exactly this record while `expect` held on its
 * clock:
 * - at any instant of the backend's clock an exclusive hold is the only live one; shared holds and
 * permit holds can be many, and permits never exceed the capacity, unless an operator has lowered
 * it since;
 * - tokens always rise; rev rises by one;
 * - only (service, owner, token) of the current hold renews, re-enters or releases; an expired
 * lease is never revived;
 * - the queue is served first in, first out, among the waiters that are still present, except for a
 * waiter to which an operator reassigns the lock;
 * - a lock acquired with `holdAtLeastMs` stays taken for that long, even if it is released sooner,
 * unless an operator force-releases or reassigns it, or the grant is undone;
 * - a force-release, a reassignment or an extension applies to the hold whose token it names, or
 * changes nothing.
 *
 * Not guaranteed: that a holder stops when its lease ends. A paused holder can still write; only
 * the guarded resource can refuse it, by its token.
 *
 * @param record the lock as last read, or null if it was never written
 * @throws LockyardError `FORBIDDEN` for another service's hold; `INVALID` for a request id used
 * with another input, or for a capacity other than the present one; `CONFLICT` for too many entries
 * of one hold, for a re-entry with another number of permits, for more permits than an operator
 * allows, and for an extension beyond the longest lease; `CONTENDED` when the record and the stored
 * answer were read at different instants and contradict each other; `BACKEND_DOWN` for a new
 * acquire while the backend is closed; `NAMESPACE_FULL` for an acquire or a freeze of a name
 * without a record while there is no room for it; `UNSUPPORTED` when the lock's tokens or tickets
 * are used up. Then nothing changes.
 */
export function decide<C extends LockCommand>(
  record: LockRecord | null,
  command: C,
  context: DecisionContext,
): Decision<AnswerOf<C>> {
  const draft = new Draft(record, command, context);
  const answer = answerTo(draft, record, command);
  return draft.finish(answer as AnswerOf<C>);
}

function answerTo(
  draft: Draft,
  record: LockRecord | null,
  command: LockCommand,
): LockAnswers[keyof LockAnswers] {
  const { now, context } = draft;
  switch (command.verb) {
    case 'acquire':
      return decideAcquire(draft, command);
    case 'giveUp':
      return decideGiveUp(draft, command);
    case 'detach':
      return decideDetach(draft, command);
    case 'cancel':
      return decideCancel(draft, command);
    case 'renew':
      return decideRenew(draft, command);
    case 'release':
      return decideRelease(draft, command);
    case 'revertGrant':
      return decideRevertGrant(draft, command);
    case 'forceRelease':
      return decideForceRelease(draft, command);
    case 'reassign':
      return decideReassign(draft, command);
    case 'extend':
      return decideExtend(draft, command);
    case 'askRelease':
    case 'stopRenewals':
      return decideReleaseRequest(draft, command);
    case 'freeze':
    case 'unfreeze':
      return decideFreeze(draft, command);
    case 'setCapacity':
      return decideSetCapacity(draft, command);
    case 'expireAndPromote':
      expireAndPromote(draft);
      return { outcome: 'done' };
    case 'inspect':
      return inspectRecord(record, now, context.epoch, {
        grantsFrom: context.policy.grantsFrom,
        viewer: command.service,
      });
    case 'check':
      return { valid: isValidToken(record, command.token, now) };
  }
}
