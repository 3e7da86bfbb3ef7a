import type { ReassignInput } from '../../../contract/console/console-inputs';
import type { ReassignAnswer } from '../../../contract/console/operator-answers';
import { runAuditedRecordAct } from '../../audit/run-audited-record-act';
import type { OperationContext } from '../../operation-context';

/**
 * Ends the hold that the operator saw and grants the lock to the waiter that the operator chose, in
 * one step, or does nothing: `changed` names the current hold, `notReassigned` what is in the way.
 * The other waiters keep their positions.
 */
export function reassignLock(
  ctx: OperationContext,
  { token, ticket, rev, ...on }: ReassignInput,
): Promise<ReassignAnswer> {
  const act = { act: 'lock.reassign', ...on, seen: { token, ticket, rev } } as const;
  return runAuditedRecordAct(ctx, act, ({ engine, key, by, once }) =>
    engine.run(key, { verb: 'reassign', token, ticket, by, reason: on.reason, ...once }),
  );
}
