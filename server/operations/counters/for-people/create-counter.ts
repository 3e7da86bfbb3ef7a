import type { SetUpCounterInput } from '../../../contract/console/counter-inputs';
import type { CounterCreateAnswer } from '../../../contract/counter';
import { runAuditedRecordAct } from '../../audit/run-audited-record-act';
import type { OperationContext } from '../../operation-context';

/** Creates a counter for an operator; an existing one is left as it is, and returned. */
export function createCounter(
  ctx: OperationContext,
  input: SetUpCounterInput,
): Promise<CounterCreateAnswer> {
  const { initial, floor = null, ceiling = null, ...on } = input;
  const act = { act: 'counter.create', ...on, seen: { initial, floor, ceiling } } as const;
  return runAuditedRecordAct(ctx, act, ({ engine, key, by, once }) => {
    const party = { by, reason: on.reason };
    return engine.count(key, { verb: 'create', initial, floor, ceiling, party, ...once });
  });
}
