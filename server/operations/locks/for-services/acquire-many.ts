import type { AcquireManyAnswer } from '../../../contract/multi-lock/answers';
import type { AcquireManyInput } from '../../../contract/multi-lock/inputs';
import { checkPolicy } from '../../../core/lock/check-policy';
import { anonymousRequest } from '../../../engine/request-identity';
import type { OperationContext } from '../../operation-context';
import { resolveNamespace } from '../resolve-lock';
import { HOLD_REQUEST_MS } from './hold-request-ms';
import { multiLockIdentity } from './multi-lock-identity';
import { whileKeyIsLive } from './while-key-is-live';

/**
 * Takes several locks of one namespace, all or none, waiting and giving up as `acquireLock` does.
 */
export async function acquireMany(
  ctx: OperationContext,
  input: AcquireManyInput,
): Promise<AcquireManyAnswer> {
  const { namespace, owner, leaseMs, waitMs, meta, requestId } = input;
  const { engine, service, policy } = await resolveNamespace(ctx, namespace, input.locks.length);
  const outsidePolicy = checkPolicy(namespace, policy, input);
  const locks = [...input.locks].sort((a, b) => (a.name < b.name ? -1 : 1));
  const asked = { owner, locks, leaseMs, waitMs, meta };
  const names = locks.map(({ name }) => name);
  const request =
    requestId === undefined
      ? anonymousRequest()
      : multiLockIdentity({ service, namespace, names, requestId, input: asked });
  const ask = { verb: 'acquireSet', service, ...asked, request, outsidePolicy } as const;
  if (waitMs === 0) {
    const hasHungUp = () => ctx.hasHungUp?.() ?? false;
    return engine.multiLocks.acquire(namespace, ask, { holdRequestMs: HOLD_REQUEST_MS, hasHungUp });
  }
  const onQueued = () => ctx.onWaiting?.();
  return whileKeyIsLive(ctx, (signal) =>
    engine.multiLocks.acquire(namespace, ask, { holdRequestMs: HOLD_REQUEST_MS, signal, onQueued }),
  );
}
