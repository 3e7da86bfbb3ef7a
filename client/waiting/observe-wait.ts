import { LockTimeout } from '../errors';
import type { LockyardClient } from '../lockyard-client';
import { notify, type WaitEnded } from '../observing/lock-observer';
import { inSpan, lockAttributes } from '../observing/lock-spans';
import { linkToHolds } from '../observing/trace-context';
import type { Grant, LockRequest } from './await-grant';

/** Tells observers, and a span, of a wait for a grant. The span links to the hold it waited for. */
export function observeWait(
  client: LockyardClient,
  wish: LockRequest,
  signal: AbortSignal | undefined,
  wait: () => Promise<Grant>,
): Promise<Grant> {
  const { clock } = client.settings;
  const startedAt = clock.monotonic();
  const outcomeOf = (error: unknown) => {
    if (error instanceof LockTimeout) return 'timeout';
    return signal?.aborted && error === signal.reason ? 'abandoned' : 'failed';
  };
  return inSpan(
    'lockyard.wait',
    lockAttributes(wish),
    async (span) => {
      const end = (outcome: WaitEnded['outcome']) => {
        span.setAttributes({ 'lockyard.outcome': outcome });
        notifyWaitEnded(client, wish, outcome, clock.monotonic() - startedAt);
      };
      try {
        const grant = await wait();
        span.setAttributes({ 'lockyard.token': grant.token });
        linkToHolds(span, [{ traceparent: grant.waitedForTraceparent }]);
        end('granted');
        return grant;
      } catch (error) {
        if (error instanceof LockTimeout) linkToHolds(span, error.holders);
        end(outcomeOf(error));
        throw error;
      }
    },
    (error) => outcomeOf(error) !== 'failed',
  );
}

export function notifyWaitEnded(
  client: LockyardClient,
  { namespace, name, mode }: LockRequest,
  outcome: WaitEnded['outcome'],
  waitedMs: number,
): void {
  const { observer } = client.settings;
  notify(observer, 'waitEnded', { namespace, name, mode, outcome, waitedMs });
}
