import type { RenewAnswer } from '../domain/answers';
import { allowedLeaseMs } from '../domain/check-policy';
import type { RenewInput } from '../domain/inputs';
import type { OperationContext } from './operation-context';
import { reachLock } from './reach-lock';

/** Prolongs the caller's current hold; `lost` if it is not its any more. */
export async function renewLock(ctx: OperationContext, input: RenewInput): Promise<RenewAnswer> {
  const { engine, key, service, policy } = await reachLock(ctx, input, 0);
  const { owner, token } = input;
  const leaseMs = allowedLeaseMs(policy, input.leaseMs);
  return engine.run(key, { verb: 'renew', service, owner, token, leaseMs });
}
