import type { SetUpCounterInput } from '../../../contract/console/counter-inputs';
import type { CounterCreateAnswer } from '../../../contract/counter';
import { runRecordAct } from '../../audit/run-record-act';
import type { OperationContext } from '../../operation-context';

/**
 * Creates a counter for an operator; an existing one is left unchanged, and the answer contains it.
 */
export function createCounter(
  ctx: OperationContext,
  input: SetUpCounterInput,
): Promise<CounterCreateAnswer> {
  const { initial, floor = null, ceiling = null, ...on } = input;
  const act = { act: 'counter.create', ...on, seen: { initial, floor, ceiling } } as const;
  return runRecordAct(ctx, act, ({ engine, key, by, once }) => {
    const party = { by, reason: on.reason };
    return engine.count(key, { verb: 'create', initial, floor, ceiling, party, ...once });
  });
}
