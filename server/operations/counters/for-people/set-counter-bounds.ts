import type { SetCounterBoundsInput } from '../../../contract/console/counter-inputs';
import type { SetBoundsAnswer } from '../../../core/counter/counter-command';
import { runAuditedRecordAct } from '../../audit/run-audited-record-act';
import type { OperationContext } from '../../operation-context';

/**
 * Gives a counter other bounds, if it still has those that the operator saw and its value is within
 * the new ones; otherwise it does nothing and returns the present ones.
 */
export function setCounterBounds(
  ctx: OperationContext,
  { rev, seenBounds, bounds, ...on }: SetCounterBoundsInput,
): Promise<SetBoundsAnswer> {
  const next = { newFloor: bounds.floor, newCeiling: bounds.ceiling };
  const act = { act: 'counter.setBounds', ...on, seen: { rev, ...seenBounds, ...next } } as const;
  return runAuditedRecordAct(ctx, act, ({ engine, key, by, once }) => {
    const party = { by, reason: on.reason };
    return engine.count(key, { verb: 'setBounds', ...bounds, seenBounds, party, ...once });
  });
}
