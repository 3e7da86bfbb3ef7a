/*
 * Strategy 15: strategy 12 with a watchdog.
 *
 * While the work runs, the holder's client renews the lease after each third of it. So a lease can
 * be short, and a crash frees the lock soon, however long the work takes. If the lease is lost, or
 * no renewal has succeeded for a whole lease, the work's `AbortSignal` is aborted.
 *
 * Known limits: the watchdog runs in the holder's process. A pause of that process, such as a long
 * garbage collection or a suspended machine, stops the watchdog too: the lease expires, and the
 * work continues where it was, before the signal, and overwrites what others did. Work that hangs
 * keeps the lock for ever. The limits of strategy 12 in fairness and durability apply.
 *
 * Source: catalogue, section C, strategy 15; the Redisson client.
 */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { pollUntilGranted } from '../poll-until-granted';
import { thenRelease } from '../then-release';
import { LEASE_MS, type LeaseOptions } from './lease-options';
import { redisScript } from './redis-script';

/** Returns 1 if the lease was renewed; 0 if the lock is not the owner's any more. */
const RENEW = redisScript<number>(`
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0
`);

const UNLOCK = redisScript<number>(`
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
`);

/** Rejects with `NotGranted` if the lock is not free within `waitMs`. */
export async function withWatchdogLock<T>(
  redis: Redis,
  name: string,
  work: (signal: AbortSignal) => Promise<T>,
  { prefix = 'watchdog-lock:', leaseMs = LEASE_MS, onLost, ...poll }: LeaseOptions = {},
): Promise<T> {
  const key = `${prefix}${name}`;
  const owner = randomUUID();
  let askedAt = 0;
  await pollUntilGranted(
    name,
    () => {
      askedAt = performance.now();
      return redis.set(key, owner, 'PX', leaseMs, 'NX');
    },
    poll,
  );
  const renew = () => RENEW(redis, [key], [owner, leaseMs]);
  const watchdog = new Watchdog(renew, leaseMs, askedAt);
  return thenRelease(
    () => work(watchdog.signal),
    async () => {
      watchdog.stop();
      if ((await UNLOCK(redis, [key], [owner])) === 0) onLost?.();
    },
  );
}

class Watchdog {
  private readonly abort = new AbortController();
  private lease?: NodeJS.Timeout;
  private next?: NodeJS.Timeout;
  private isOver = false;

  /** @param askedAt when the lease was asked for: it may have begun any time since */
  constructor(
    private readonly renew: () => Promise<number>,
    private readonly leaseMs: number,
    askedAt: number,
  ) {
    this.countFrom(askedAt);
    this.renewLater();
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  stop(): void {
    this.isOver = true;
    clearTimeout(this.lease);
    clearTimeout(this.next);
  }

  private countFrom(askedAt: number): void {
    clearTimeout(this.lease);
    const leftMs = askedAt + this.leaseMs - performance.now();
    this.lease = setTimeout(() => this.lose('no renewal succeeded in time'), leftMs);
  }

  private renewLater(): void {
    this.next = setTimeout(async () => {
      const askedAt = performance.now();
      // A renewal that fails is retried; the end of the lease does not move.
      const renewed = await this.renew().catch(() => null);
      if (this.isOver) return;
      if (renewed === 0) return this.lose('it expired, and another caller may hold the lock');
      if (renewed === 1) this.countFrom(askedAt);
      this.renewLater();
    }, this.leaseMs / 3);
  }

  private lose(why: string): void {
    this.stop();
    this.abort.abort(new Error(`The lease is lost: ${why}.`));
  }
}
