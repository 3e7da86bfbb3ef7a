import { LockTimeout } from '../errors';
import type { LockyardClient } from '../lockyard-client';
import { notify, type ObservedLock, type WaitEnded } from '../observing/lock-observer';
import { type Attributes, inSpan } from '../observing/lock-spans';
import { linkToHolds } from '../observing/trace-context';
import type { Grant } from './await-grant';

/** A wait for one lock, or for several that are granted together. */
interface ObservedWait<G> {
  locks: readonly ObservedLock[];
  /** The attributes of its span. */
  attributes: Attributes;
  signal: AbortSignal | undefined;
  wait: () => Promise<G>;
  /** The grants that it ended with. */
  grantsOf: (granted: G) => readonly Grant[];
}

/**
 * Reports a wait to observers, lock by lock, and as a span that links to the holds it waited for.
 */
export function observeWait<G>(
  client: LockyardClient,
  { locks, attributes, signal, wait, grantsOf }: ObservedWait<G>,
): Promise<G> {
  const { clock } = client.settings;
  const startedAt = clock.monotonic();
  const outcomeOf = (error: unknown) => {
    if (error instanceof LockTimeout) return 'timeout';
    return signal?.aborted && error === signal.reason ? 'abandoned' : 'failed';
  };
  return inSpan(
    'lockyard.wait',
    attributes,
    async (span) => {
      const end = (outcome: WaitEnded['outcome']) => {
        span.setAttributes({ 'lockyard.outcome': outcome });
        notifyWaitEnded(client, locks, outcome, clock.monotonic() - startedAt);
      };
      try {
        const granted = await wait();
        const grants = grantsOf(granted);
        const [first, ...others] = grants;
        if (first && others.length === 0) span.setAttributes({ 'lockyard.token': first.token });
        linkToHolds(
          span,
          grants.map((grant) => ({ traceparent: grant.waitedForTraceparent })),
        );
        end('granted');
        return granted;
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
  locks: readonly ObservedLock[],
  outcome: WaitEnded['outcome'],
  waitedMs: number,
): void {
  const { observer } = client.settings;
  for (const { namespace, name, mode } of locks) {
    notify(observer, 'waitEnded', { namespace, name, mode, outcome, waitedMs });
  }
}
