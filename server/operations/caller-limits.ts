import type { ServiceActor } from '../auth/actor';
import type { Limits } from '../bootstrap/config/limits';
import { LockyardError } from '../contract/errors';
import type { MetricFamily } from '../monitoring/metrics/metrics';
import type { Clock } from '../platform/clock';

/** Which limit a refusal was for. */
const LIMITS = [
  'calls',
  'waits',
  'watches',
  'connections',
  'pipeline',
  'streams',
  'signIns',
] as const;
type Limit = (typeof LIMITS)[number];

/** A caller that retries sooner would only be refused again. */
const CALLS_RETRY_MS = 100;
const WAITS_RETRY_MS = 500;
const WATCHES_RETRY_MS = 5_000;

/** For how many seconds calls can be saved up. */
const BURST_SECONDS = 2;

interface TokenBucket {
  calls: number;
  filledAt: number;
}

/**
 * Limits what one API key uses of this process: protection against runaway programs, not a quota.
 * Renew, release and cancel are never counted, so no limit costs a hold.
 */
export class CallerLimits {
  /** By key, then by namespace. Only admins create either, so there are never many. */
  private readonly buckets = new Map<string, Map<string | null, TokenBucket>>();
  /** Acquires that wait, by key. */
  private readonly waits = new Map<string, number>();
  /** Open watches, by key. */
  private readonly watches = new Map<string, number>();
  private readonly refusals = new Map<Limit, number>(LIMITS.map((limit) => [limit, 0]));

  constructor(
    private readonly limits: Pick<Limits, 'callsPerSecond' | 'waitsPerKey' | 'watchesPerKey'>,
    private readonly clock: Clock,
  ) {}

  /**
   * Counts a call of a key in a namespace.
   *
   * @param namespace null for a call that is in none: a witness's
   * @param calls how many plain calls it counts as; one that counts as more than a whole burst is
   *   let through if a whole burst is left
   * @throws LockyardError `RATE_LIMITED`
   */
  spend({ keyId }: ServiceActor, namespace: string | null, calls: number): void {
    const { callsPerSecond } = this.limits;
    const burst = callsPerSecond * BURST_SECONDS;
    const bucket = this.bucketOf(keyId, namespace, burst);
    const now = this.clock.monotonic();
    const filled = ((now - bucket.filledAt) * callsPerSecond) / 1_000;
    bucket.calls = Math.min(burst, bucket.calls + filled);
    bucket.filledAt = now;
    const price = Math.min(calls, burst);
    if (bucket.calls >= price) {
      bucket.calls -= price;
      return;
    }
    const waitMs = ((price - bucket.calls) / callsPerSecond) * 1_000;
    const where = namespace === null ? '' : ` in namespace "${namespace}"`;
    throw this.refuse(
      'calls',
      `Over ${callsPerSecond} calls per second with this API key${where}.`,
      Math.max(CALLS_RETRY_MS, Math.ceil(waitMs)),
    );
  }

  /**
   * Counts an acquire that waits, until the returned function is called.
   *
   * @throws LockyardError `RATE_LIMITED`
   */
  enterWait(caller: ServiceActor): () => void {
    const { waitsPerKey } = this.limits;
    const message = `Too many waiting calls for this API key; the limit is ${waitsPerKey}.`;
    return this.enter(this.waits, caller, waitsPerKey, () =>
      this.refuse('waits', message, WAITS_RETRY_MS),
    );
  }

  /**
   * Counts an open watch, until the returned function is called.
   *
   * @throws LockyardError `RATE_LIMITED`
   */
  enterWatch(caller: ServiceActor): () => void {
    const { watchesPerKey } = this.limits;
    const message = `Too many open watches for this API key; the limit is ${watchesPerKey}.`;
    return this.enter(this.watches, caller, watchesPerKey, () =>
      this.refuse('watches', message, WATCHES_RETRY_MS),
    );
  }

  /** Counts a refusal, and returns the error to throw. */
  refuse(limit: Limit, message: string, retryAfterMs?: number): LockyardError {
    this.count(limit);
    return new LockyardError('RATE_LIMITED', message, {
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  }

  /** Counts a refusal that is answered elsewhere. */
  count(limit: Limit): void {
    this.refusals.set(limit, (this.refusals.get(limit) ?? 0) + 1);
  }

  metrics(): MetricFamily[] {
    return [
      {
        name: 'lockyard_refusals_total',
        help: 'Requests and connections refused by a limit on one caller.',
        type: 'counter',
        samples: [...this.refusals].map(([limit, value]) => ({ labels: { limit }, value })),
      },
    ];
  }

  private enter(
    counts: Map<string, number>,
    { keyId }: ServiceActor,
    most: number,
    refusal: () => LockyardError,
  ): () => void {
    const before = counts.get(keyId) ?? 0;
    if (before >= most) throw refusal();
    counts.set(keyId, before + 1);
    return () => {
      const left = (counts.get(keyId) ?? 1) - 1;
      if (left > 0) counts.set(keyId, left);
      else counts.delete(keyId);
    };
  }

  private bucketOf(keyId: string, namespace: string | null, burst: number): TokenBucket {
    const ofKey = this.buckets.get(keyId) ?? new Map<string | null, TokenBucket>();
    if (ofKey.size === 0) this.buckets.set(keyId, ofKey);
    const known = ofKey.get(namespace);
    if (known) return known;
    const bucket = { calls: burst, filledAt: this.clock.monotonic() };
    ofKey.set(namespace, bucket);
    return bucket;
  }
}
