import type { ExtendInput } from '../../../contract/console/console-inputs';
import type { ExtendAnswer } from '../../../contract/console/operator-answers';
import { runAuditedRecordAct } from '../../audit/run-audited-record-act';
import type { OperationContext } from '../../operation-context';

/** Extends the hold that the operator saw, or does nothing: `changed` names the current one. */
export function extendLock(
  ctx: OperationContext,
  { token, rev, extendMs, ...on }: ExtendInput,
): Promise<ExtendAnswer> {
  const act = { act: 'lock.extend', ...on, seen: { token, rev, extendMs } } as const;
  return runAuditedRecordAct(ctx, act, ({ engine, key, by, once }) =>
    engine.run(key, { verb: 'extend', token, extendMs, by, reason: on.reason, ...once }),
  );
}
