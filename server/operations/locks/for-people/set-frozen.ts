import type { UnfreezeInput } from '../../../contract/console/console-inputs';
import type { FreezeAnswer } from '../../../contract/console/operator-answers';
import { runAuditedRecordAct } from '../../audit/run-audited-record-act';
import type { OperationContext } from '../../operation-context';

/**
 * Stops new grants of a lock, or allows them again: its holders keep it, its waiters keep their
 * positions. `unchanged`: it was as requested already, for the reason given then. `otherFreeze`: it
 * is frozen, but not by the freeze that the operator saw, so it stays frozen.
 */
export function setFrozen(
  ctx: OperationContext,
  verb: 'freeze' | 'unfreeze',
  { rev, seenAt, ...on }: UnfreezeInput,
): Promise<FreezeAnswer> {
  const seen = { rev, ...(seenAt !== undefined && { frozenAt: seenAt }) };
  const act = { act: `lock.${verb}`, ...on, seen } as const;
  return runAuditedRecordAct(ctx, act, ({ engine, key, by, once }) =>
    engine.run(key, { verb, seenAt, by, reason: on.reason, ...once }),
  );
}
