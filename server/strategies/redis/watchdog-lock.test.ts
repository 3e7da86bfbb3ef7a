import { afterAll, beforeAll, expect, test } from 'vitest';
import { NotGranted } from '../not-granted';
import { interpose } from '../testing/interpose';
import { openScratchRedis, type ScratchRedis } from '../testing/scratch-redis';
import { withWatchdogLock } from './watchdog-lock';

const LEASE_MS = 300;
/** Renewed in time on a busy machine too. */
const LONG_LEASE_MS = 5_000;

let scratch: ScratchRedis;
beforeAll(() => {
  scratch = openScratchRedis();
});
afterAll(() => scratch?.close());

const aborted = (signal: AbortSignal) =>
  new Promise<string>((resolve) => {
    signal.addEventListener('abort', () => resolve(String(signal.reason)), { once: true });
  });

test('15: holds for longer than its lease, while its holder lives', async () => {
  const { redis, prefix } = scratch;
  await withWatchdogLock(
    redis,
    'long work',
    async (signal) => {
      const rival = withWatchdogLock(redis, 'long work', async () => {}, {
        prefix,
        waitMs: 1.2 * LONG_LEASE_MS,
      });
      await expect(rival).rejects.toThrow(NotGranted);
      expect(signal.aborted).toBe(false);
    },
    { prefix, leaseMs: LONG_LEASE_MS },
  );
  expect(await redis.exists(`${prefix}long work`)).toBe(0);
});

test('15: the work is aborted when a renewal finds the lease lost', async () => {
  const { redis, prefix } = scratch;
  let losses = 0;
  const why = await withWatchdogLock(
    redis,
    'lost',
    async (signal) => {
      await redis.set(`${prefix}lost`, 'another owner');
      return aborted(signal);
    },
    {
      prefix,
      leaseMs: LONG_LEASE_MS,
      onLost: () => {
        losses += 1;
      },
    },
  );
  expect(why).toContain('it expired');
  expect(losses).toBe(1);
  expect(await redis.get(`${prefix}lost`)).toBe('another owner');
});

test('15: the work is aborted when no renewal succeeds for a whole lease', async () => {
  const { redis, prefix } = scratch;
  let isCut = false;
  const cut = interpose(redis, {
    evalsha(...args: Parameters<typeof redis.evalsha>) {
      return isCut ? new Promise(() => {}) : redis.evalsha(...args);
    },
  });
  const work = async (signal: AbortSignal) => {
    isCut = true;
    const startedAt = performance.now();
    const why = await aborted(signal);
    isCut = false;
    return { why, afterMs: performance.now() - startedAt };
  };
  const { why, afterMs } = await withWatchdogLock(cut, 'cut', work, { prefix, leaseMs: LEASE_MS });
  expect(why).toContain('no renewal succeeded in time');
  expect(afterMs).toBeLessThan(LEASE_MS + 5_000);
});
