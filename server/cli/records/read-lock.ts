import type { InspectAnswer } from '../../contract/lock/answers';
import { engineOf } from '../../operations/locks/resolve-lock';
import type { OperationContext } from '../../operations/operation-context';
import type { RecordKey } from '../../storage/record-store';

/**
 * A lock as its store has it now: what a command acts on.
 *
 * @throws LockyardError `NOT_FOUND` for an unknown namespace, `BACKEND_DOWN` if there is no answer
 */
export async function readLock(
  ctx: OperationContext,
  { namespace, name }: RecordKey,
): Promise<InspectAnswer> {
  const engine = await engineOf(ctx, namespace);
  return engine.run({ namespace, name }, { verb: 'inspect' });
}
