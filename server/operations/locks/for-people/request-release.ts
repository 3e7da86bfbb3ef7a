import type { ReleaseRequestInput } from '../../../contract/console/console-inputs';
import type { ReleaseRequestAnswer } from '../../../contract/console/operator-answers';
import type { ReleaseRequestCommand } from '../../../core/lock/lock-command';
import { runAuditedRecordAct } from '../../audit/run-audited-record-act';
import type { OperationContext } from '../../operation-context';

/** Leaves a message for the hold that the operator saw; else `changed` names the current one. */
export function requestRelease(
  ctx: OperationContext,
  verb: ReleaseRequestCommand['verb'],
  { token, rev, ...on }: ReleaseRequestInput,
): Promise<ReleaseRequestAnswer> {
  const act = { act: `lock.${verb}`, ...on, seen: { token, rev } } as const;
  return runAuditedRecordAct(ctx, act, ({ engine, key, by, once }) =>
    engine.run(key, { verb, token, by, reason: on.reason, ...once }),
  );
}
