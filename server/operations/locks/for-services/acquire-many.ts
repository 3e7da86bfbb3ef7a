import type { CancelAnswer } from '../../../contract/lock/answers';
import type {
  AcquireManyAnswer,
  AcquireManyInput,
  CancelManyInput,
} from '../../../contract/multi-lock';
import { checkPolicy } from '../../../core/lock/check-policy';
import { traceOf } from '../../../core/lock/hold-lifecycle';
import type { RequestIdentity } from '../../../core/request-fingerprint';
import { HOLD_REQUEST_MS } from '../../../core/timing';
import { anonymousRequest, requestIdentity } from '../../../engine/request-identity';
import type { OperationContext } from '../../operation-context';
import { resolveNamespace } from '../resolve-lock';
import { askedAtLeast } from './acquire-lock';
import { countMultiLockRefusal } from './count-refusal';
import { whileKeyIsLive } from './while-key-is-live';

/** Acquires several locks of one namespace, all or none, waiting as `acquireLock` does. */
export async function acquireMany(
  ctx: OperationContext,
  input: AcquireManyInput,
): Promise<AcquireManyAnswer> {
  const { namespace, owner, leaseMs, waitMs, meta, requestId } = input;
  const locks = [...input.locks].sort((a, b) => (a.name < b.name ? -1 : 1));
  const names = locks.map(({ name }) => name);
  const { engine, service, policy } = await resolveNamespace(
    ctx,
    'lock.acquireMany',
    { namespace, names },
    names.length,
  );
  const outsidePolicy = checkPolicy(namespace, policy, input);
  const asked = { owner, locks, leaseMs, waitMs, meta, ...askedAtLeast(input) };
  const request =
    requestId === undefined
      ? anonymousRequest()
      : multiLockIdentity({ service, namespace, names, requestId, input: asked });
  const more = { ...traceOf(ctx), request, outsidePolicy };
  const ask = { verb: 'acquireSet', service, ...asked, ...more } as const;
  if (ctx.runtime.cancelledRequests.has(request, owner)) {
    return engine.multiLocks.answerCancelled(namespace, ask);
  }
  if (waitMs === 0) {
    const hasHungUp = () => ctx.hasHungUp?.() ?? false;
    const wait = { holdRequestMs: HOLD_REQUEST_MS, hasHungUp };
    const answer = await engine.multiLocks.acquire(namespace, ask, wait);
    countMultiLockRefusal(ctx, engine, namespace, ask, answer);
    return answer;
  }
  const onQueued = () => ctx.onWaiting?.();
  const wanted = { procedure: 'lock.acquireMany', namespace, names } as const;
  const holdRequestMs = HOLD_REQUEST_MS;
  const answer = await whileKeyIsLive(ctx, wanted, (signal, refused) =>
    engine.multiLocks.acquire(namespace, ask, { holdRequestMs, signal, refused, onQueued }),
  );
  countMultiLockRefusal(ctx, engine, namespace, ask, answer);
  return answer;
}

/**
 * Undoes an acquire of several locks by its request id, whether it waits or was granted. One that
 * arrives after its cancel is answered as `cancelAcquire` describes.
 */
export async function cancelAcquireMany(
  ctx: OperationContext,
  { namespace, names, owner, requestId }: CancelManyInput,
): Promise<CancelAnswer> {
  const { engine, service } = await resolveNamespace(
    ctx,
    'lock.cancelMany',
    { namespace, names },
    0,
  );
  // Identifies the acquire by its request id; its other input does not matter here.
  const request = multiLockIdentity({ service, namespace, names, requestId, input: {} });
  ctx.runtime.cancelledRequests.note(request, owner);
  return engine.multiLocks.cancel(namespace, { verb: 'cancelSet', service, owner, names, request });
}

interface MultiLockRequest {
  service: string;
  namespace: string;
  names: string[];
  requestId: string;
  input: Record<string, unknown>;
}

/** The identity of a request for several locks, regardless of the order of their names. */
function multiLockIdentity({ names, ...request }: MultiLockRequest): RequestIdentity {
  return requestIdentity({
    ...request,
    verb: 'acquireMany',
    name: JSON.stringify([...names].sort()),
  });
}
