import type { RenewAnswer } from '../../../contract/lock/answers';
import type { RenewInput } from '../../../contract/lock/inputs';
import { allowedLeaseMs } from '../../../core/lock/check-policy';
import type { OperationContext } from '../../operation-context';
import { resolveLock } from '../resolve-lock';

/** Extends the caller's current hold; `lost` if the hold is no longer the caller's. */
export async function renewLock(ctx: OperationContext, input: RenewInput): Promise<RenewAnswer> {
  const { engine, key, service, policy } = await resolveLock(ctx, 'lock.renew', input, 0);
  const { owner, token } = input;
  const leaseMs = allowedLeaseMs(policy, input.leaseMs);
  return engine.run(key, { verb: 'renew', service, owner, token, leaseMs });
}
