import type { FreezeInput } from '../../../contract/console/console-inputs';
import type { FreezeAnswer } from '../../../contract/console/operator-answers';
import { runAuditedRecordAct } from '../../audit/run-audited-record-act';
import type { OperationContext } from '../../operation-context';

/**
 * Stops new grants of a lock, or allows them again: its holders keep it, its waiters keep their
 * places. `unchanged`: it was so already, for the reason given then.
 */
export function setFrozen(
  ctx: OperationContext,
  verb: 'freeze' | 'unfreeze',
  { rev, ...on }: FreezeInput,
): Promise<FreezeAnswer> {
  const act = { act: `lock.${verb}`, ...on, seen: { rev } } as const;
  return runAuditedRecordAct(ctx, act, ({ engine, key, by, once }) =>
    engine.run(key, { verb, by, reason: on.reason, ...once }),
  );
}
