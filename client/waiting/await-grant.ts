import { LockTimeout, LockyardError } from '../errors';
import type { LockyardClient } from '../lockyard-client';
import { type RetryBounds, retryingGranted } from '../wire/retry';
import type { CallOptions } from '../wire/send-request';
import { driftMs, RETRY_BUDGET_MS, renewalTimeoutMs } from '../wire/time-limits';
import type { AcquireAnswer, Granted, Mode } from '../wire/wire';
import { type Ask, GrantWait } from './grant-wait';
import { waitInParts } from './wait-in-parts';

/** Which lock to acquire, and for which owner. */
export interface LockRequest {
  namespace: string;
  name: string;
  owner: string;
  leaseMs: number;
  /** The timeout of the whole wait; may be infinite. */
  waitMs: number;
  mode: Mode;
  /** In mode permit. */
  permits?: number;
  capacity?: number;
  reentrant: boolean;
  /** Not sent if undefined: servers of an older release do not know it. */
  holdAtLeastMs: number | undefined;
  meta: Record<string, string>;
}

/** A grant, with what proves until when it is valid. */
export interface Grant {
  token: number;
  waitedMs: number;
  /** Epoch milliseconds of the backend's clock. */
  expiresAt: number;
  /** By our clock, before the answered request was sent: the lease cannot have started earlier. */
  sentAt: number;
  expiresInMs: number;
  /** The trace of the hold that it waited for; undefined if unknown. */
  waitedForTraceparent?: string | undefined;
}

/**
 * Until when, on our clock, the lease in the answer to a request sent at `sentAt` certainly lasts.
 *
 * @throws LockyardError `UNKNOWN` if the answer lacks `expiresInMs`
 */
export function provenLeaseEnd({
  sentAt,
  expiresInMs,
}: Pick<Grant, 'sentAt' | 'expiresInMs'>): number {
  // A hold until NaN would never end.
  if (!Number.isFinite(expiresInMs)) {
    throw new LockyardError('UNKNOWN', 'The answer has no "expiresInMs".');
  }
  return sentAt + expiresInMs - driftMs(expiresInMs);
}

/**
 * Waits for a grant over as many requests as it takes, all with one request id, so that the
 * position in the queue is kept. The server stores `traceparent` with the hold.
 *
 * Rejects with `LockTimeout` when it was not granted in time, with `LockyardError` when the outcome
 * is unknown, and with the signal's reason when the caller gives up. In each case the queue
 * position, or a grant whose answer was lost, is released before the rejection, or in the
 * background if no server responds; if even that fails, the lock stays held for one lease.
 */
export function awaitGrant(
  client: LockyardClient,
  request: LockRequest,
  signal: AbortSignal | undefined,
  traceparent: string | undefined,
): Promise<Grant> {
  return waitInParts(client.settings.clock, request.waitMs, signal, (waitMs) =>
    new SingleLockWait(client, { ...request, waitMs }, signal, traceparent).run(),
  );
}

class SingleLockWait extends GrantWait<AcquireAnswer, Grant> {
  constructor(
    client: LockyardClient,
    private readonly request: LockRequest,
    signal: AbortSignal | undefined,
    traceparent: string | undefined,
  ) {
    super(client, request.waitMs, signal, traceparent);
  }

  protected send(ask: Ask, options: CallOptions): Promise<AcquireAnswer> {
    return this.client.acquire({ ...this.request, ...ask }, options);
  }

  protected undo(requestId: string, options: CallOptions): Promise<unknown> {
    const { namespace, name, owner } = this.request;
    return this.client.cancel({ namespace, name, owner, requestId }, options);
  }

  protected prove({ token, waitedMs, expiresAt, expiresInMs, ...more }: Granted, sentAt: number) {
    const { waitedForTraceparent } = more;
    const lease = { expiresAt, expiresInMs, sentAt };
    const grant: Grant = { token, waitedMs, ...lease, waitedForTraceparent };
    return proveGrant(this.client, this.request, grant, (until) => this.bounds(until));
  }

  protected timeout(answer: AcquireAnswer): LockTimeout {
    const { name, waitMs } = this.request;
    return new LockTimeout(name, waitMs, {
      holders: 'holders' in answer ? answer.holders : [],
      queueLength: 'queueLength' in answer ? answer.queueLength : null,
      frozen: answer.outcome === 'frozen' ? answer.reason : null,
    });
  }
}

/**
 * A grant that is certainly valid. Its lease is counted from before the request, so the wait may
 * have used up most of it: then a renewal restarts it. Null: the hold ended before any work began.
 */
export async function proveGrant(
  client: LockyardClient,
  {
    namespace,
    name,
    owner,
    leaseMs,
  }: Pick<LockRequest, 'namespace' | 'name' | 'owner' | 'leaseMs'>,
  grant: Grant,
  boundsUntil: (until: number) => RetryBounds,
): Promise<Grant | null> {
  const { clock } = client.settings;
  const now = clock.monotonic();
  if (provenLeaseEnd(grant) - now >= leaseMs / 2) return grant;
  const bounds = boundsUntil(now + RETRY_BUDGET_MS);
  return retryingGranted(bounds, async () => {
    const renewedAt = clock.monotonic();
    const renewal = { namespace, name, owner, token: grant.token, leaseMs };
    const timeoutMs = renewalTimeoutMs(leaseMs);
    const answer = await client.renew(renewal, { timeoutMs, signal: bounds.signal });
    if (answer.outcome !== 'renewed') return null;
    const { expiresAt, expiresInMs } = answer;
    const proven = { ...grant, expiresAt, expiresInMs, sentAt: renewedAt };
    if (provenLeaseEnd(proven) > clock.monotonic()) return proven;
    throw new LockyardError(
      'UNKNOWN',
      'The lease may have expired: its renewal was answered late.',
    );
  });
}
