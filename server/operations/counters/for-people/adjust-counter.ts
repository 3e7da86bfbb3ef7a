import type { AdjustCounterInput } from '../../../contract/console/counter-inputs';
import type { AdjustAnswer } from '../../../core/counter/counter-command';
import { runAuditedRecordAct } from '../../audit/run-audited-record-act';
import type { OperationContext } from '../../operation-context';

/** Sets a counter that still has the value that the operator saw; else `changed`. */
export function adjustCounter(
  ctx: OperationContext,
  { rev, seenValue, value, ...on }: AdjustCounterInput,
): Promise<AdjustAnswer> {
  const seen = { rev, value: seenValue, newValue: value };
  return runAuditedRecordAct(
    ctx,
    { act: 'counter.adjust', ...on, seen },
    ({ engine, key, by, once }) => {
      const party = { by, reason: on.reason };
      return engine.count(key, { verb: 'adjust', seenValue, value, party, ...once });
    },
  );
}
