import type { AdjustCounterInput } from '../../../contract/console/counter-inputs';
import type { AdjustAnswer } from '../../../core/counter/counter-command';
import { runAuditedRecordAct } from '../../audit/run-audited-record-act';
import type { OperationContext } from '../../operation-context';

/**
 * Sets a counter if it still has the value that the operator saw; otherwise `changed`. If the
 * operator names no value that was seen, it is set whatever its value; the answer has that value.
 */
export function adjustCounter(
  ctx: OperationContext,
  { rev, seenValue, value, ...on }: AdjustCounterInput,
): Promise<AdjustAnswer> {
  const was = seenValue === null ? {} : { value: seenValue };
  const seen = { rev, ...was, newValue: value };
  return runAuditedRecordAct(
    ctx,
    { act: 'counter.adjust', ...on, seen },
    ({ engine, key, by, once }) => {
      const party = { by, reason: on.reason };
      return engine.count(key, { verb: 'adjust', seenValue, value, party, ...once });
    },
  );
}
