import type { AcquireAnswer, CancelAnswer } from '../../../contract/lock/answers';
import type { AcquireInput, CancelInput } from '../../../contract/lock/inputs';
import { checkPolicy } from '../../../core/lock/check-policy';
import type { AcquireCommand } from '../../../core/lock/lock-command';
import { HOLD_REQUEST_MS } from '../../../core/timing';
import { anonymousRequest, requestIdentity } from '../../../engine/request-identity';
import type { OperationContext } from '../../operation-context';
import { resolveLock } from '../resolve-lock';
import { countRefusal } from './count-refusal';
import { whileKeyIsLive } from './while-key-is-live';

/**
 * Acquires a lock, waiting as long as requested but never longer than one request may be held. A
 * caller that hangs up leaves the queue, and a grant that it has not received is given back. The
 * same happens if its API key is revoked, or narrowed so that it does not allow this.
 */
export async function acquireLock(
  ctx: OperationContext,
  input: AcquireInput,
): Promise<AcquireAnswer> {
  const resolving = resolveLock(ctx, 'lock.acquire', input, 1);
  const { engine, key, service, policy } =
    resolving instanceof Promise ? await resolving : resolving;
  const outsidePolicy = checkPolicy(key.namespace, policy, input);
  const { owner, waitMs, requestId } = input;
  const asked = askedBy(input);
  const request =
    requestId === undefined
      ? anonymousRequest()
      : requestIdentity({ service, verb: 'acquire', ...key, requestId, input: asked });
  if (ctx.runtime.cancelledRequests.has(request, owner)) {
    return engine.run(key, { verb: 'giveUp', request });
  }
  // The spread comes last: V8 takes several times as long to add fields after a spread.
  const ask: AcquireCommand = { verb: 'acquire', service, request, outsidePolicy, ...asked };
  if (ctx.traceparent !== undefined) ask.traceparent = ctx.traceparent;
  if (waitMs === 0) {
    const hasHungUp = () => ctx.hasHungUp?.() ?? false;
    const answer = await engine.acquire(key, ask, { holdRequestMs: HOLD_REQUEST_MS, hasHungUp });
    countRefusal(ctx, engine, key, ask, answer);
    return answer;
  }
  const onQueued = () => ctx.onWaiting?.();
  const wanted = {
    procedure: 'lock.acquire',
    namespace: key.namespace,
    names: [key.name],
  } as const;
  const answer = await whileKeyIsLive(ctx, wanted, (signal, refused) =>
    engine.acquire(key, ask, {
      holdRequestMs: HOLD_REQUEST_MS,
      signal,
      refused,
      hangUpNoticed: pendingHangUps,
      onQueued,
    }),
  );
  countRefusal(ctx, engine, key, ask, answer);
  return answer;
}

/** The parts of an acquire that are compared when its request id is used again. */
function askedBy(input: AcquireInput) {
  const { owner, leaseMs, waitMs, mode, reentrant, meta } = input;
  const more = { ...permitsWanted(input), ...askedAtLeast(input) };
  return { owner, leaseMs, waitMs, mode, reentrant, meta, ...more };
}

function permitsWanted({ permits = 1, capacity }: AcquireInput) {
  return capacity === undefined ? {} : { permits, capacity };
}

/**
 * Undoes an acquire by its request id, whether it still waits or has been granted. An acquire that
 * arrives after its cancel, within a minute, is answered `timeout`.
 */
export async function cancelAcquire(
  ctx: OperationContext,
  input: CancelInput,
): Promise<CancelAnswer> {
  const { engine, key, service } = await resolveLock(ctx, 'lock.cancel', input, 0);
  const { owner, requestId } = input;
  // Identifies the acquire by its request id; its other input does not matter here.
  const request = requestIdentity({ service, verb: 'acquire', ...key, requestId, input: {} });
  ctx.runtime.cancelledRequests.note(request, owner);
  return engine.run(key, { verb: 'cancel', service, owner, request });
}

/** Left out if it is not used, so that the identity of such a request stays the same. */
export function askedAtLeast({ holdAtLeastMs }: Pick<AcquireInput, 'holdAtLeastMs'>) {
  return holdAtLeastMs ? { holdAtLeastMs } : {};
}

/** A commit can block the event loop; the network is read only in the second turn after it. */
const TURNS = 3;

/** Resolves once a hang-up that has reached this machine has been reported to its listeners. */
async function pendingHangUps(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
