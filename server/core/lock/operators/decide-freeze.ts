import type { FreezeAnswer } from '../../../contract/console/operator-answers';
import type { Draft } from '../../draft';
import { expireAndPromote } from '../expire-and-promote';
import type { FreezeCommand } from '../lock-command';

/**
 * Stops new grants, or allows them again and hands the lock to the next waiters, unless the freeze
 * to lift is not the one that the operator saw. Holders keep their holds, and waiters their places.
 * A name without a record can be frozen before its first use, if there is room for it.
 */
export function decideFreeze(draft: Draft, command: FreezeCommand): FreezeAnswer {
  const replay = draft.replay<FreezeAnswer>(command.request);
  if (replay) return replay;
  const { verb, seenAt, by, reason, request } = command;
  const { frozen } = draft.record;
  const isFreeze = verb === 'freeze';
  if ((frozen !== null) === isFreeze) return { outcome: 'unchanged', rev: draft.currentRev };
  if (frozen && seenAt !== undefined && frozen.at !== seenAt) {
    return { outcome: 'otherFreeze', rev: draft.currentRev, frozen };
  }
  draft.refuseNewWhileFull();
  const outcome = isFreeze ? 'frozen' : 'unfrozen';
  const heldMs = Math.max(0, draft.now - (frozen?.at ?? draft.now));
  draft.change({ frozen: isFreeze ? { by, reason, at: draft.now } : null });
  const facts = isFreeze ? { by, reason } : { by, reason, heldMs };
  draft.addEvent(outcome, { service: '', owner: '' }, facts);
  expireAndPromote(draft);
  const answer = { outcome, rev: draft.rev } as const;
  draft.remember(request, answer, draft.now);
  return answer;
}
