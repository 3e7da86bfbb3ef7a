import type { Clock } from '../platform/clock';

/** An answer is used for at most this long after its query was sent. */
const FRESH_MAX_MS = 1_000;
/** From this age on an answer is refreshed in the background, so that busy callers never wait. */
const REFRESH_AFTER_MS = 500;
/** How long after a failed query the next ones count as failing too; longer than one can take. */
const FAILING_MAX_MS = 60_000;
/** Bounds the memory; the oldest entries are evicted. */
const ENTRIES_MAX = 10_000;

/**
 * Caches what was found under a key for a second: a change made by any process is seen within that
 * second, and hot keys cost no query. Misses are not cached. Simultaneous callers share one
 * query.
 */
export class LookupCache<T> {
  private readonly entries = new Map<string, { value: T; askedAt: number }>();
  private readonly queries = new Map<string, Promise<T | null>>();
  /** Rises with each `forget`: the result of a query that was sent before it is not cached. */
  private generation = 0;
  /** When the last query failed; null if it did not. */
  private failedAt: number | null = null;

  constructor(
    private readonly find: (key: string) => Promise<T | null>,
    private readonly clock: Clock,
  ) {}

  /** The value of `key`; null if there is none. Rejects as `find` does. */
  async get(key: string): Promise<T | null> {
    return this.cached(key) ?? this.query(key);
  }

  /** What `get` would return without a query; null if it would need one. */
  cached(key: string): T | null {
    const entry = this.entries.get(key);
    const ageMs = entry ? this.clock.monotonic() - entry.askedAt : Number.POSITIVE_INFINITY;
    if (!entry || ageMs >= FRESH_MAX_MS) return null;
    if (ageMs >= REFRESH_AFTER_MS) this.query(key).catch(() => undefined);
    return entry.value;
  }

  /**
   * What was found at most `maxAgeMs` ago, if the last query failed within the last minute: callers
   * need not each wait for a database that does not respond. Starts a new query in the background.
   */
  whileFailing(key: string, maxAgeMs: number): T | null {
    const known = this.isFailing() ? this.lastKnown(key, maxAgeMs) : null;
    if (known) this.query(key).catch(() => undefined);
    return known;
  }

  /** Whether the last query failed, within the last minute. */
  isFailing(): boolean {
    return this.failedAt !== null && this.clock.monotonic() - this.failedAt < FAILING_MAX_MS;
  }

  /** What was found at most `maxAgeMs` ago, for use when a query has failed. */
  lastKnown(key: string, maxAgeMs: number): T | null {
    const entry = this.entries.get(key);
    return entry && this.clock.monotonic() - entry.askedAt < maxAgeMs ? entry.value : null;
  }

  /** Forgets the cached answers that match, and the results of all queries under way. */
  forget(matches: (value: T, key: string) => boolean): void {
    this.generation++;
    this.queries.clear();
    for (const [key, { value }] of this.entries) if (matches(value, key)) this.entries.delete(key);
  }

  private query(key: string): Promise<T | null> {
    const running = this.queries.get(key);
    if (running) return running;
    const asked = this.queryNow(key).finally(() => {
      if (this.queries.get(key) === asked) this.queries.delete(key);
    });
    this.queries.set(key, asked);
    return asked;
  }

  private async queryNow(key: string): Promise<T | null> {
    const { generation } = this;
    const askedAt = this.clock.monotonic();
    const value = await this.find(key).catch((error: unknown) => {
      this.failedAt = this.clock.monotonic();
      throw error;
    });
    this.failedAt = null;
    if (generation === this.generation) this.store(key, value, askedAt);
    return value;
  }

  private store(key: string, value: T | null, askedAt: number): void {
    this.entries.delete(key);
    if (value !== null) this.entries.set(key, { value, askedAt });
    // Only at the limit: finding the first entry of a map skips all that were deleted before it.
    if (this.entries.size <= ENTRIES_MAX) return;
    const [oldest] = this.entries.keys();
    if (oldest !== undefined) this.entries.delete(oldest);
  }
}
