import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openScratchRedis, type ScratchRedis } from '../testing/scratch-redis';
import { tryHashCountedLock, unlockHashCounted, withHashCountedLock } from './hash-counted-lock';
import { LocallyCountedLocks, withLocallyCountedLock } from './locally-counted-lock';

const SHORT_MS = 30;
const REST_MS = 5_000;

let scratch: ScratchRedis;
beforeAll(() => {
  scratch = openScratchRedis();
});
afterAll(() => scratch?.close());

describe('13, counted locally', () => {
  /** The locks as another process has them. */
  const process = (leaseMs?: number) =>
    new LocallyCountedLocks(scratch.redis, {
      prefix: scratch.prefix,
      ...(leaseMs !== undefined && { leaseMs }),
    });
  const isHeld = async (name: string) => (await scratch.redis.exists(keyOf(name))) === 1;
  const keyOf = (name: string) => `${scratch.prefix}{${name}}`;

  test('the same caller may enter again, and frees the lock with its last unlock', async () => {
    const locks = process();
    await withLocallyCountedLock(locks, 'again', async () => {
      await withLocallyCountedLock(locks, 'again', async () => {
        expect(locks.count('again')).toBe(2);
      });
      expect(locks.count('again')).toBe(1);
      expect(await isHeld('again')).toBe(true);
    });
    expect(await isHeld('again')).toBe(false);
  });

  test('the key may expire while the count says that it is held', async () => {
    const [one, other] = [process(SHORT_MS), process()];
    await one.asCaller(async () => {
      await one.tryLock('expired');
      await expect.poll(() => isHeld('expired')).toBe(false);
      await other.asCaller(async () => expect(await other.tryLock('expired')).toBe(1));
      expect(one.count('expired')).toBe(1);
      expect(await one.tryLock('expired')).toBe(2);
      expect(await one.unlock('expired')).toBe(true);
      expect(await one.unlock('expired')).toBe(false);
      expect(await isHeld('expired')).toBe(true);
    });
  });

  test('a re-entry does not prolong the lease', async () => {
    const locks = process();
    await locks.asCaller(async () => {
      await locks.tryLock('lease');
      await scratch.redis.pexpire(keyOf('lease'), REST_MS);
      expect(await locks.tryLock('lease')).toBe(2);
      expect(await scratch.redis.pttl(keyOf('lease'))).toBeLessThanOrEqual(REST_MS);
    });
  });

  test('concurrent work of one caller re-enters concurrently', async () => {
    const locks = process();
    let inside = 0;
    let most = 0;
    const enter = () =>
      withLocallyCountedLock(locks, 'side by side', async () => {
        inside += 1;
        most = Math.max(most, inside);
        await new Promise((resolve) => setImmediate(resolve));
        inside -= 1;
      });
    await withLocallyCountedLock(locks, 'side by side', () => Promise.all([enter(), enter()]));
    expect(most).toBe(2);
  });

  test('another process cannot re-enter, nor can another caller of the same one', async () => {
    const [one, other] = [process(), process()];
    await one.asCaller(async () => {
      await one.tryLock('elsewhere');
      expect(await other.asCaller(() => other.tryLock('elsewhere'))).toBe(null);
    });
    expect(await one.asCaller(() => one.tryLock('elsewhere'))).toBe(null);
    await expect(one.tryLock('elsewhere')).rejects.toThrow('within `asCaller`');
  });
});

describe('14, counted in a hash', () => {
  const options = () => ({ prefix: scratch.prefix });

  test('unlock has three answers', async () => {
    const { redis } = scratch;
    expect(await tryHashCountedLock(redis, 'three', 'a', options())).toBe(1);
    expect(await tryHashCountedLock(redis, 'three', 'a', options())).toBe(2);
    expect(await tryHashCountedLock(redis, 'three', 'b', options())).toBe(null);
    const unlock = (owner: string) => unlockHashCounted(redis, 'three', owner, options());
    expect(await unlock('b')).toBe('not the owner');
    expect(await unlock('a')).toBe('one level down');
    expect(await tryHashCountedLock(redis, 'three', 'b', options())).toBe(null);
    expect(await unlock('a')).toBe('released');
    expect(await unlock('a')).toBe('not the owner');
    expect(await tryHashCountedLock(redis, 'three', 'b', options())).toBe(1);
  });

  test('they are integers: on the wire, false is the same as no answer', async () => {
    const { redis } = scratch;
    expect(await redis.eval('return false', 0)).toBe(await redis.eval('return nil', 0));
    expect(await redis.eval('return {-1, 0, 1}', 0)).toEqual([-1, 0, 1]);
  });

  test('a re-entry restarts the lease, even from another process', async () => {
    const [here, there] = [scratch.redis, scratch.connect()];
    const key = `${scratch.prefix}lease`;
    await tryHashCountedLock(here, 'lease', 'a', options());
    await here.pexpire(key, REST_MS);
    expect(await tryHashCountedLock(there, 'lease', 'a', options())).toBe(2);
    expect(await here.pttl(key)).toBeGreaterThan(REST_MS);
  });

  test('work may re-enter with its owner', async () => {
    const { redis } = scratch;
    const inner = (owner: string) =>
      withHashCountedLock(redis, 'nested', async () => owner, { ...options(), owner, waitMs: 0 });
    const owner = await withHashCountedLock(redis, 'nested', inner, options());
    expect(await unlockHashCounted(redis, 'nested', owner, options())).toBe('not the owner');
  });
});
