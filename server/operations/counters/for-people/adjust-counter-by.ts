import type { AdjustCounterByInput } from '../../../contract/console/counter-inputs';
import type { AdjustByAnswer } from '../../../core/counter/counter-command';
import { runAuditedRecordAct } from '../../audit/run-audited-record-act';
import type { OperationContext } from '../../operation-context';

/**
 * Moves a counter by a step, whatever its value is: steps of services in between do not matter. The
 * audit log has the value before and after. `outOfBounds`: nothing was done.
 */
export function adjustCounterBy(
  ctx: OperationContext,
  { rev, delta, ...on }: AdjustCounterByInput,
): Promise<AdjustByAnswer> {
  const act = { act: 'counter.adjustBy', ...on, seen: { rev, delta } } as const;
  return runAuditedRecordAct(ctx, act, ({ engine, key, by, once }) => {
    const party = { by, reason: on.reason };
    return engine.count(key, { verb: 'adjustBy', delta, party, ...once });
  });
}
