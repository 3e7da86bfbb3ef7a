import type { NoticeInput } from '../../../contract/console/console-inputs';
import type { NoticeAnswer } from '../../../contract/lock/answers';
import type { NoticeCommand } from '../../../core/lock/lock-command';
import { actOn } from '../../audit/act-request';
import { withAudit } from '../../audit/run-operator-act';
import type { OperationContext } from '../../operation-context';
import { engineOf } from '../resolve-lock';

/**
 * Leaves a message for the hold that the operator saw, or does nothing: `changed` names the current
 * one.
 */
export function leaveNotice(
  ctx: OperationContext,
  verb: NoticeCommand['verb'],
  { namespace, name, token, rev, reason, requestId }: NoticeInput,
): Promise<NoticeAnswer> {
  const key = { namespace, name };
  const what = {
    act: `lock.${verb}`,
    namespace,
    subject: name,
    reason,
    seen: { token, rev, requestId },
  } as const;
  return withAudit<NoticeAnswer>(ctx, 'operator', what, async (entry, by) => {
    const engine = await engineOf(ctx, namespace);
    const act = actOn(engine, verb, key, entry);
    return engine.run(key, { verb, token, by, reason, ...act });
  });
}
