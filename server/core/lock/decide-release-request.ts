import type { FreezeAnswer, ReleaseRequestAnswer } from '../../contract/console/operator-answers';
import type { Draft } from '../decision';
import { changedAnswer } from './decide-hold';
import { expireAndPromote } from './expire-and-promote';
import { updateHold } from './hold-lifecycle';
import type { FreezeCommand, ReleaseRequestCommand } from './lock-command';

/**
 * Leaves a message for the hold that the operator saw; the holder gets it with its next renewal.
 * Nothing else changes.
 */
export function decideReleaseRequest(
  draft: Draft,
  command: ReleaseRequestCommand,
): ReleaseRequestAnswer {
  const replay = draft.replay<ReleaseRequestAnswer>(command.request);
  if (replay) return replay;
  expireAndPromote(draft);
  const { verb, token, by, reason, request } = command;
  const hold = draft.record.holds.find((other) => other.token === token);
  if (!hold) return changedAnswer(draft, token);
  const remark = { by, reason, at: draft.now };
  const isAsked = verb === 'askRelease';
  updateHold(draft, hold, isAsked ? { askedToRelease: remark } : { renewalsStopped: remark });
  draft.addEvent(isAsked ? 'asked' : 'stopped', hold, { token, by, reason });
  const answer = { outcome: 'told', rev: draft.rev } as const;
  draft.remember(request, answer, draft.now);
  return answer;
}

/**
 * Stops new grants, or allows them again and hands the lock to the next waiters. Holders and
 * waiters keep what they have. A name without a record can be frozen before its first use, if there
 * is room for it.
 */
export function decideFreeze(draft: Draft, command: FreezeCommand): FreezeAnswer {
  const replay = draft.replay<FreezeAnswer>(command.request);
  if (replay) return replay;
  const { verb, by, reason, request } = command;
  const isFreeze = verb === 'freeze';
  if ((draft.record.frozen !== null) === isFreeze) {
    return { outcome: 'unchanged', rev: draft.currentRev };
  }
  draft.refuseNewWhileFull();
  const outcome = isFreeze ? 'frozen' : 'unfrozen';
  draft.change({ frozen: isFreeze ? { by, reason, at: draft.now } : null });
  draft.addEvent(outcome, { service: '', owner: '' }, { by, reason });
  expireAndPromote(draft);
  const answer = { outcome, rev: draft.rev } as const;
  draft.remember(request, answer, draft.now);
  return answer;
}
