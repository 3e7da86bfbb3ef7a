import type { StepBackInput, TakeOnInput } from '../../../contract/console/console-inputs';
import type {
  PresenceRow,
  StepBackAnswer,
  TakeOnAnswer,
} from '../../../contract/console/operator-answers';
import { noNamespace } from '../../../monitoring/projection/monitored-backend';
import { askDatabase } from '../../ask-database';
import { auditedDatabaseChange } from '../../audit/audited-database-change';
import { permit } from '../../audit/permit';
import type { OperationContext } from '../../operation-context';
import { requireRole } from '../../require-role';

/** The people who are on a lock, by lock; at most a second old. */
export async function listLockPresence(ctx: OperationContext): Promise<PresenceRow[]> {
  await requireRole(ctx, 'viewer');
  return askDatabase(() => ctx.runtime.presence.list());
}

/**
 * Shows everyone that this person is on a lock, for 30 minutes or until the hold that was seen
 * ends. Replaces the person who was on it before, whom the answer names.
 *
 * @throws LockyardError `NOT_FOUND` for an unknown namespace; as `auditedDatabaseChange`
 */
export async function takeOnLock(
  ctx: OperationContext,
  { namespace, name, token }: TakeOnInput,
): Promise<TakeOnAnswer> {
  const { namespaces, presence } = ctx.runtime;
  const what = { act: 'lock.takeOn', namespace, subject: name, seen: { token } } as const;
  const who = await permit(ctx, 'operator', what);
  if (!(await namespaces.get(namespace))) throw noNamespace(namespace);
  const answer = await auditedDatabaseChange(ctx, who, what, async (tx) => {
    const put = await presence.put(tx, { namespace, name }, { actor: who.name, token });
    return { answer: { outcome: 'onIt', ...put } as const, result: { before: put.before } };
  });
  presence.forget();
  return answer;
}

/** Takes this person off the lock; `nothing`: they were not on it. */
export async function stepBackFromLock(
  ctx: OperationContext,
  { namespace, name }: StepBackInput,
): Promise<StepBackAnswer> {
  const { presence } = ctx.runtime;
  const what = { act: 'lock.stepBack', namespace, subject: name } as const;
  const who = await permit(ctx, 'operator', what);
  const answer = await auditedDatabaseChange(ctx, who, what, async (tx) => {
    const isOff = await presence.remove(tx, { namespace, name }, who.name);
    const outcome = isOff ? 'steppedBack' : 'nothing';
    return { answer: { outcome } as const, isUnchanged: !isOff };
  });
  presence.forget();
  return answer;
}
