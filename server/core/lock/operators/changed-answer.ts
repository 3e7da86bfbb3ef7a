import type { Changed } from '../../../contract/console/operator-answers';
import type { Draft } from '../../draft';
import { holderViews, lockState, lostAnswer } from '../lock-answers';
import { type Hold, holdOf } from '../lock-record';

/**
 * The answer when the hold that the operator saw has ended or was released: the current holders,
 * and how that hold ended.
 */
export function changedAnswer(draft: Draft, seenToken: number): Changed {
  const { record, now } = draft;
  const seenOwner = record.ended?.token === seenToken ? record.ended.owner : '';
  const kept = holdOf(record, seenToken);
  const { outcome: _, ...lost } = lostAnswer(record, seenToken, seenOwner, now);
  const ended = { ...lost, ...(kept && releasedThen(kept)) };
  return {
    outcome: 'changed',
    rev: draft.currentRev,
    state: lockState(record, now),
    holders: holderViews(record, now, undefined),
    queueLength: record.queue.length,
    ended,
  };
}

function releasedThen({ releasedAt }: Hold): Partial<Changed['ended']> {
  return releasedAt === undefined ? {} : { cause: 'released', at: releasedAt };
}
