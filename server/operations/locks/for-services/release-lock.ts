import type { ReleaseAnswer } from '../../../contract/lock/answers';
import type { ReleaseInput } from '../../../contract/lock/inputs';
import { requestIdentity } from '../../../engine/request-identity';
import type { OperationContext } from '../../operation-context';
import { resolveLock } from '../resolve-lock';

/** Ends the caller's current hold, or one entry of it; `lost` if it is no longer the caller's. */
export async function releaseLock(
  ctx: OperationContext,
  input: ReleaseInput,
): Promise<ReleaseAnswer> {
  const { engine, key, service } = await resolveLock(ctx, 'lock.release', input, 0);
  const { owner, token, requestId } = input;
  const request =
    requestId === undefined
      ? null
      : requestIdentity({ service, verb: 'release', ...key, requestId, input: { owner, token } });
  return engine.run(key, { verb: 'release', service, owner, token, request });
}
