import type { FreezeAnswer, NoticeAnswer } from '../../contract/lock/answers';
import type { Draft } from '../decision';
import { changed } from './decide-hold';
import { settle } from './expire-and-promote';
import { adjust } from './hold-lifecycle';
import type { FreezeCommand, NoticeCommand } from './lock-command';

/**
 * Leaves a message for the hold that the operator saw; the holder gets it with its next renewal.
 * Nothing else changes.
 */
export function decideNotice(draft: Draft, command: NoticeCommand): NoticeAnswer {
  const replay = draft.recall<NoticeAnswer>(command.request);
  if (replay) return replay;
  settle(draft);
  const { verb, token, by, reason, request } = command;
  const hold = draft.record.holds.find((other) => other.token === token);
  if (!hold) return changed(draft, token);
  const remark = { by, reason, at: draft.now };
  const isAsked = verb === 'askRelease';
  adjust(draft, hold, isAsked ? { askedToRelease: remark } : { renewalsStopped: remark });
  draft.note(isAsked ? 'asked' : 'stopped', hold, { token, by, reason });
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
  const replay = draft.recall<FreezeAnswer>(command.request);
  if (replay) return replay;
  const { verb, by, reason, request } = command;
  const isFreeze = verb === 'freeze';
  if ((draft.record.frozen !== null) === isFreeze) {
    return { outcome: 'unchanged', rev: draft.standingRev };
  }
  draft.refuseNewWhileFull();
  const outcome = isFreeze ? 'frozen' : 'unfrozen';
  draft.change({ frozen: isFreeze ? { by, reason, at: draft.now } : null });
  draft.note(outcome, { service: '', owner: '' }, { by, reason });
  settle(draft);
  const answer = { outcome, rev: draft.rev } as const;
  draft.remember(request, answer, draft.now);
  return answer;
}
