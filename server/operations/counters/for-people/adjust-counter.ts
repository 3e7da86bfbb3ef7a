import type { AdjustCounterInput } from '../../../contract/console/counter-inputs';
import type { AdjustAnswer } from '../../../core/counter/counter-command';
import { runRecordAct } from '../../audit/run-record-act';
import type { OperationContext } from '../../operation-context';

/**
 * Sets a counter that still has the value that the operator saw, or does nothing: `changed` tells
 * what it has now.
 */
export function adjustCounter(
  ctx: OperationContext,
  { rev, seenValue, value, ...on }: AdjustCounterInput,
): Promise<AdjustAnswer> {
  const seen = { rev, value: seenValue, newValue: value };
  return runRecordAct(ctx, { act: 'counter.adjust', ...on, seen }, ({ engine, key, by, once }) => {
    const party = { by, reason: on.reason };
    return engine.count(key, { verb: 'adjust', seenValue, value, party, ...once });
  });
}
