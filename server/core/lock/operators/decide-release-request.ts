import type { ReleaseRequestAnswer } from '../../../contract/console/operator-answers';
import type { Draft } from '../../draft';
import { expireAndPromote } from '../expire-and-promote';
import { updateHold } from '../hold-lifecycle';
import type { ReleaseRequestCommand } from '../lock-command';
import { holdOf, isReleased } from '../lock-record';
import { changedAnswer } from './changed-answer';

/** Leaves a message for the hold that the operator saw; its next renewal delivers it. */
export function decideReleaseRequest(
  draft: Draft,
  command: ReleaseRequestCommand,
): ReleaseRequestAnswer {
  const replay = draft.replay<ReleaseRequestAnswer>(command.request);
  if (replay) return replay;
  expireAndPromote(draft);
  const { verb, token, by, reason, request } = command;
  const hold = holdOf(draft.record, token);
  if (!hold || isReleased(hold)) return changedAnswer(draft, token);
  const remark = { by, reason, at: draft.now };
  const isAsked = verb === 'askRelease';
  updateHold(draft, hold, isAsked ? { askedToRelease: remark } : { renewalsStopped: remark });
  draft.addEvent(isAsked ? 'asked' : 'stopped', hold, { token, by, reason });
  const answer = { outcome: 'told', rev: draft.rev } as const;
  draft.remember(request, answer, draft.now);
  return answer;
}
