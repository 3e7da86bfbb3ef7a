import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NotGranted } from '../not-granted';
import { countUnguarded } from '../testing/count-unguarded';
import { openEnded, signal } from '../testing/open-ended';
import { startRedisNodes } from '../testing/redis-nodes';
import { openScratchRedis, type ScratchRedis } from '../testing/scratch-redis';
import { withFairQueueLock } from './fair-queue-lock';
import { withHashCountedLock } from './hash-counted-lock';
import type { LeaseOptions } from './lease-options';
import { LocallyCountedLocks, withLocallyCountedLock } from './locally-counted-lock';
import { withQuorumLock } from './quorum-lock';
import { withSetNxPxLock } from './set-nx-px-lock';
import { withSetnxLock } from './setnx-expire-lock';
import { withSharedExclusiveLock } from './shared-exclusive-lock';
import { withWatchdogLock } from './watchdog-lock';

const LEASE_MS = 100;
const PAUSE_MS = 150;

let scratch: ScratchRedis;
let quorum: Awaited<ReturnType<typeof startRedisNodes>>;
beforeAll(async () => {
  scratch = openScratchRedis();
  quorum = await startRedisNodes();
});
afterAll(async () => {
  await scratch?.close();
  await quorum?.stop();
});

type UnderLock = (
  name: string,
  work: () => Promise<void>,
  options?: LeaseOptions,
) => Promise<unknown>;

const scoped = (options: LeaseOptions = {}) => ({ ...options, prefix: scratch.prefix });

const locks: Record<string, UnderLock> = {
  '11, SETNX and EXPIRE': (name, work, options) =>
    withSetnxLock(scratch.redis, name, work, scoped(options)),
  '12, SET NX PX': (name, work, options) =>
    withSetNxPxLock(scratch.redis, name, work, scoped(options)),
  '13, counted locally': (name, work, options) =>
    withLocallyCountedLock(
      new LocallyCountedLocks(scratch.redis, scoped(options)),
      name,
      work,
      options,
    ),
  '14, counted in a hash': (name, work, options) =>
    withHashCountedLock(scratch.redis, name, work, scoped(options)),
  '15, watchdog': (name, work, options) =>
    withWatchdogLock(scratch.redis, name, work, scoped(options)),
  '16, fair queue': (name, work, options) =>
    withFairQueueLock(scratch.redis, name, work, scoped(options)),
  '16, exclusive': (name, work, options) =>
    withSharedExclusiveLock(scratch.redis, name, 'exclusive', work, scoped(options)),
  '16, quorum': (name, work, options) =>
    withQuorumLock(quorum.nodes, name, work, { ...scoped(options), nodeMs: 1_000 }),
};

/** Blocks this process, including its timers, as a long garbage collection does. */
const pauseProcess = (ms: number) =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

describe.each(Object.entries(locks))('%s', (number, underLock) => {
  test('excludes all others', async () => {
    const load = { callers: 8, turns: 5 };
    expect(await countUnguarded(load, (turn) => underLock(number, turn) as Promise<void>)).toBe(40);
  });

  test('is not granted while it is held, and the work does not run', async () => {
    const name = `${number} held`;
    const { work, begun, end } = openEnded();
    const holder = underLock(name, work);
    await begun;
    let hasRun = false;
    const late = underLock(
      name,
      async () => {
        hasRun = true;
      },
      { waitMs: 20 },
    );
    await expect(late).rejects.toThrow(NotGranted);
    end();
    await holder;
    expect(hasRun).toBe(false);
    await underLock(name, async () => {}, { waitMs: 0 });
  });

  test('a holder that is paused for longer than its lease overwrites what others did', async () => {
    const name = `${number} paused`;
    const [reading, resumed] = [signal(), signal()];
    let value = 0;
    let isLost = false;
    const holder = underLock(
      name,
      async () => {
        const seen = value;
        reading.give();
        await resumed.given;
        value = seen + 1;
      },
      {
        leaseMs: LEASE_MS,
        onLost: () => {
          isLost = true;
        },
      },
    );
    await reading.given;
    pauseProcess(PAUSE_MS);
    await underLock(name, async () => {
      value += 1;
    });
    resumed.give();
    await holder;
    expect(value).toBe(1);
    // Strategy 11 has no owner, and cannot find out.
    expect(isLost).toBe(!number.startsWith('11'));
  });

  test("only in strategy 11 does a late release free the next holder's lock", async () => {
    const name = `${number} late`;
    const [late, next] = [openEnded(), openEnded()];
    const paused = underLock(name, late.work, { leaseMs: LEASE_MS });
    await late.begun;
    pauseProcess(PAUSE_MS);
    const holder = underLock(name, next.work);
    await next.begun;
    late.end();
    await paused;
    const third = underLock(name, async () => {}, { waitMs: 20 });
    if (number.startsWith('11')) await third;
    else await expect(third).rejects.toThrow(NotGranted);
    next.end();
    await holder;
  });
});
