import { type LockLost, lossCausedBy, lossFacts, ReleaseUnconfirmed } from '../errors';
import type { LockyardClient } from '../lockyard-client';
import { notify } from '../observing/lock-observer';
import { inSpan, type LockSpan, lockAttributes } from '../observing/lock-spans';
import { onAbort } from '../platform/on-abort';
import type { Grant, LockRequest } from '../waiting/await-grant';
import { retryingGranted } from '../wire/retry';
import { ANSWER_WITHIN_MS, RETRY_BUDGET_MS, TIDY_UP_MS } from '../wire/time-limits';
import type { ReleaseAnswer } from '../wire/wire';
import { type Hold, type HoldListeners, LockHold } from './lock-hold';
import { runUnderHold } from './lock-scope';
import { type Result, resultOf } from './work-within';

interface WorkOptions extends HoldListeners {
  signal?: AbortSignal | undefined;
  /** Its abort ends and releases the hold, although `work` goes on. */
  over?: AbortSignal | undefined;
}

/** Runs `work` under a granted hold, renews it meanwhile, and always releases it. */
export function workUnderGrant<T>(
  client: LockyardClient,
  request: LockRequest,
  grant: Grant,
  options: WorkOptions,
  work: (hold: Hold) => Promise<T> | T,
): Promise<T> {
  const hold = new LockHold(client, request, grant, options);
  const attributes = { ...lockAttributes(request), 'lockyard.token': grant.token };
  return inSpan('lockyard.hold', attributes, async (span) => {
    let releasing: Promise<Result<ReleaseAnswer | null>> | undefined;
    const endHold = () => {
      releasing ??= resultOf(() => releaseHold(client, request, hold));
      return releasing;
    };
    const stopListening = onAbort(options.over, () => {
      hold.stop();
      void endHold();
    });
    const result = await workUnder(hold, work, options.signal);
    stopListening();
    const release = await endHold();
    const lost = reportEnd(hold, release, span);
    if (lost) throw 'error' in result ? lossCausedBy(lost, result.error) : lost;
    if ('error' in result) throw result.error;
    if ('error' in release) {
      throw new ReleaseUnconfirmed(request.name, hold.token, result.value, release.error);
    }
    return result.value;
  });
}

function workUnder<T>(
  hold: LockHold,
  work: (hold: Hold) => Promise<T> | T,
  signal: AbortSignal | undefined,
): Promise<Result<T>> | Result<T> {
  if (signal?.aborted) return { error: signal.reason };
  return runUnderHold(hold, async () => {
    hold.begin();
    if (hold.lost) return { error: hold.lost };
    const stopListening = onAbort(signal, () => hold.interrupt(signal?.reason));
    try {
      return await resultOf(() => work(hold.view()));
    } finally {
      hold.stop();
      stopListening();
    }
  });
}

/** Null if the server has already reported that the hold has ended. */
function releaseHold(
  client: LockyardClient,
  { namespace, name, owner }: LockRequest,
  hold: LockHold,
): Promise<ReleaseAnswer> | null {
  if (hold.lost && hold.lost.loss.cause !== 'unrenewed') return null;
  const { clock, chance } = client.settings;
  const now = clock.monotonic();
  const end = now + (hold.lost ? TIDY_UP_MS : RETRY_BUDGET_MS);
  const until = hold.lost ? end : Math.min(end, now + hold.remainingMs());
  const requestId = chance.id();
  return retryingGranted({ clock, chance, until }, () => {
    const timeoutMs = Math.min(ANSWER_WITHIN_MS, end - clock.monotonic());
    return client.release({ namespace, name, owner, token: hold.token, requestId }, { timeoutMs });
  });
}

/** Reports to observers and the span how the hold ended; returns the loss if it was lost. */
function reportEnd(
  hold: LockHold,
  release: Result<ReleaseAnswer | null>,
  span: LockSpan,
): LockLost | null {
  const answer = 'value' in release ? release.value : null;
  if (answer?.outcome === 'lost') hold.lose(lossFacts(answer));
  if (hold.lost) {
    span.setAttributes({
      'lockyard.outcome': 'lost',
      'lockyard.loss.cause': hold.lost.loss.cause,
    });
    return hold.lost;
  }
  const outcome = answer && answer.outcome !== 'lost' ? answer.outcome : 'unconfirmed';
  const { observer } = hold.client.settings;
  notify(observer, 'released', { ...hold.facts(), outcome, heldMs: hold.heldMs() });
  span.setAttributes({ 'lockyard.outcome': outcome });
  return null;
}
