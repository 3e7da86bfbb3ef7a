import type { ForceReleaseInput } from '../../../contract/console/console-inputs';
import type { ForceReleaseAnswer } from '../../../contract/console/operator-answers';
import { runAuditedRecordAct } from '../../audit/run-audited-record-act';
import type { OperationContext } from '../../operation-context';

/**
 * Ends the hold that the operator saw, or does nothing: `changed` names the current one. The
 * revoked token is invalid immediately; the holder itself is not stopped.
 */
export function forceReleaseLock(
  ctx: OperationContext,
  { token, rev, ...on }: ForceReleaseInput,
): Promise<ForceReleaseAnswer> {
  const act = { act: 'lock.forceRelease', ...on, seen: { token, rev } } as const;
  return runAuditedRecordAct(ctx, act, ({ engine, key, by, once }) =>
    engine.run(key, { verb: 'forceRelease', token, by, reason: on.reason, ...once }),
  );
}
