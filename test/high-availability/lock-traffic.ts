import { setTimeout as pause } from 'node:timers/promises';
import { type Hold, LockyardClient, withLock } from '@/client/lockyard';
import type { GrantReferee } from './grant-referee';

/** Holds that are only renewed, with these leases. */
const LEASES_MS = [2_000, 5_000, 10_000, 30_000];
/** Locks for which the callers of all traffic compete without pause. */
const CONTENDED = ['first', 'second', 'third'];
const CALLERS_EACH = 2;
const WORK_MS = 20;
const RETRY_MS = 50;
const FOR_EVER_MS = 2 ** 30;
const COUNTER = 'steps';

/** What callers have seen since the previous call of `look`. */
export interface Seen {
  grants: number;
  /** The longest time in which none of the contended locks was granted. */
  longestPauseMs: number;
  /** Requests that failed, by reason; the client retried them. */
  failedRequests: Record<string, number>;
  /** Calls of `withLock` that rejected, by the name of the error. */
  rejectedCalls: Record<string, number>;
  /** Holds that were lost, by their lease. */
  lostByLeaseMs: Record<number, number>;
  /** The minimum remainder of a lease when its renewal was sent, in percent of it, by lease. */
  leastLeftPercent: Record<number, number>;
}

/**
 * Callers that lock, renew and count through one client without pause, until they are stopped. All
 * of them run in this process, so that their grants can be compared.
 */
export class LockTraffic {
  /** Steps of the counter that were answered. */
  steps = 0;
  private readonly client: LockyardClient;
  private readonly jobs: Promise<void>[];
  private readonly stopping = new AbortController();
  private isAbandoned = false;
  private seen = nothingSeen();
  private grantAt = performance.now();

  private constructor(
    private readonly kind: string,
    url: string,
    apiKey: string,
    private readonly referee: GrantReferee,
  ) {
    this.client = new LockyardClient({ url, apiKey, owner: kind, observer: this.observer() });
    const names = CONTENDED.flatMap((name) => Array<string>(CALLERS_EACH).fill(name));
    this.jobs = [
      ...names.map((name, place) => this.contend(name, `${kind}-${place}`)),
      ...LEASES_MS.map((leaseMs) => this.hold(leaseMs)),
      this.count(),
    ];
  }

  /** @param kind names these callers */
  static async start(
    kind: string,
    url: string,
    apiKey: string,
    referee: GrantReferee,
  ): Promise<LockTraffic> {
    await new LockyardClient({ url, apiKey }).createCounter({ name: COUNTER });
    return new LockTraffic(kind, url, apiKey, referee);
  }

  /** What was seen since the previous call. */
  look(): Seen {
    this.noteGrant();
    const { seen } = this;
    this.seen = nothingSeen();
    return { ...seen, grants: seen.grants - 1, longestPauseMs: Math.round(seen.longestPauseMs) };
  }

  /** Ends all callers after the calls that have begun. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.jobs);
  }

  /** The same if the servers may not answer any more: what was promised is then unknown. */
  abandon(): Promise<void> {
    this.isAbandoned = true;
    return this.stop();
  }

  /** The value of the counter that all traffic increments. */
  async counterValue(): Promise<number> {
    return (await this.client.getCounter({ name: COUNTER })).value;
  }

  private get isRunning(): boolean {
    return !this.stopping.signal.aborted;
  }

  private async contend(name: string, owner: string): Promise<void> {
    while (this.isRunning) {
      await this.call(name, { owner, leaseMs: 10_000 }, async () => {
        this.noteGrant();
        await pause(WORK_MS);
      });
    }
  }

  private async hold(leaseMs: number): Promise<void> {
    while (this.isRunning) {
      await this.call(`${this.kind}-${leaseMs}`, { leaseMs }, ({ signal }) =>
        pause(FOR_EVER_MS, undefined, { signal }).catch(() => undefined),
      );
    }
  }

  private async count(): Promise<void> {
    for (let step = 0; this.isRunning; step++) {
      const input = { name: COUNTER, delta: 1, requestId: `${this.kind}-${step}` };
      const attempt = () => this.client.addToCounter(input).catch(() => null);
      while (!(await attempt())) {
        if (this.isAbandoned) return;
        await pause(RETRY_MS);
      }
      this.steps++;
      await pause(WORK_MS);
    }
  }

  private async call(
    name: string,
    options: { owner?: string; leaseMs: number },
    work: (hold: Hold) => Promise<void>,
  ): Promise<void> {
    const { client } = this;
    const { signal } = this.stopping;
    await withLock(name, { client, waitMs: 60_000, signal, ...options }, (hold) => {
      this.referee.granted(hold);
      return work(hold);
    }).catch((error: Error) => {
      if (this.isRunning) add(this.seen.rejectedCalls, error.name);
    });
  }

  private noteGrant(): void {
    const now = performance.now();
    this.seen.grants++;
    this.seen.longestPauseMs = Math.max(this.seen.longestPauseMs, now - this.grantAt);
    this.grantAt = now;
  }

  private observer() {
    const leaseOf = (name: string) => Number(name.slice(this.kind.length + 1)) || 10_000;
    return {
      requestFailed: ({ procedure, reason }: { procedure: string; reason: string }) =>
        add(this.seen.failedRequests, `${procedure} ${reason}`),
      lost: ({ name }: { name: string }) => add(this.seen.lostByLeaseMs, leaseOf(name)),
      renewed: ({ name, leftMs }: { name: string; leftMs: number }) => {
        const least = this.seen.leastLeftPercent;
        const leaseMs = leaseOf(name);
        const left = Math.round((leftMs / leaseMs) * 100);
        least[leaseMs] = Math.min(least[leaseMs] ?? 100, left);
      },
    };
  }
}

function nothingSeen(): Seen {
  return {
    grants: 0,
    longestPauseMs: 0,
    failedRequests: {},
    rejectedCalls: {},
    lostByLeaseMs: {},
    leastLeftPercent: {},
  };
}

function add<K extends PropertyKey>(counts: Record<K, number>, key: K): void {
  counts[key] = (counts[key] ?? 0) + 1;
}
