import { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startPrivateRedis } from '@/scripts/servers/private-redis.mjs';
import { guardedSet, InvalidGuard } from './redis';

const { TEST_REDIS_URL } = process.env;
let redis: Redis;
let key: string;
let names = 0;

beforeAll(() => {
  if (!TEST_REDIS_URL) throw new Error('TEST_REDIS_URL must name a Redis server for the tests.');
  redis = new Redis(TEST_REDIS_URL);
});
afterAll(() => redis?.quit());
beforeEach(() => {
  key = `guarded-set ${process.pid}-${Date.now()}-${++names}`;
});

const applied = { outcome: 'applied' };

describe('the script', () => {
  test('is sent whole to a server that does not know it, then only by its digest', async () => {
    await redis.script('FLUSH');
    expect(await guardedSet(redis, { key, value: 'a', token: 1 })).toEqual(applied);
    const before = await redis.info('commandstats');
    expect(await guardedSet(redis, { key, value: 'b', token: 2 })).toEqual(applied);
    const evals = (info: string) => /cmdstat_eval:calls=(\d+)/.exec(info)?.[1];
    expect(evals(await redis.info('commandstats'))).toBe(evals(before));
    expect(await redis.get(key)).toBe('b');
  });

  test('any other error is passed on', async () => {
    await redis.set(`{${key}}:fence`, 'no number');
    await expect(guardedSet(redis, { key, value: 'a', token: 1 })).rejects.toThrow(/script|nil/);
    expect(await redis.get(key)).toBeNull();
  });
});

describe('what is written', () => {
  test('a value may expire; its fence never does', async () => {
    expect(await guardedSet(redis, { key, value: 'a', token: 5, expireMs: 60_000 })).toEqual(
      applied,
    );
    expect(await redis.pttl(key)).toBeGreaterThan(50_000);
    expect(await redis.pttl(`{${key}}:fence`)).toBe(-1);
    await redis.del(key);
    expect(await guardedSet(redis, { key, value: 'b', token: 4 })).toEqual({
      outcome: 'stale',
      seenToken: 5,
    });
    expect(await redis.exists(key)).toBe(0);
  });

  test('null deletes, and older tokens stay refused', async () => {
    await guardedSet(redis, { key, value: 'a', token: 5 });
    expect(await guardedSet(redis, { key, value: null, token: 6 })).toEqual(applied);
    expect(await redis.exists(key)).toBe(0);
    expect(await guardedSet(redis, { key, value: 'a', token: 5 })).toMatchObject({
      outcome: 'stale',
    });
  });

  test('bytes stay bytes, an empty text stays one', async () => {
    const bytes = Buffer.from([0, 255, 128, 10]);
    await guardedSet(redis, { key, value: bytes, token: 1 });
    expect(await redis.getBuffer(key)).toEqual(bytes);
    await guardedSet(redis, { key, value: '', token: 1 });
    expect(await redis.get(key)).toBe('');
  });
});

describe('where the fence is', () => {
  let server: Awaited<ReturnType<typeof startPrivateRedis>>;
  let cluster: Cluster;
  beforeAll(async () => {
    server = await startPrivateRedis({ cluster: true });
    cluster = new Cluster([server.url]);
  });
  afterAll(async () => {
    cluster?.disconnect();
    await server?.stop();
  });

  test.each(['plain', '{tag}:rest', 'before{tag}after', 'a{b}{c}', 'open{end', '{{x}}', 'a:{b'])(
    'for %s a cluster has it beside the key',
    async (name) => {
      expect(await guardedSet(cluster, { key: name, value: 'a', token: 2 })).toEqual(applied);
      expect(await guardedSet(cluster, { key: name, value: 'b', token: 1 })).toEqual({
        outcome: 'stale',
        seenToken: 2,
      });
      expect(await cluster.get(name)).toBe('a');
    },
  );

  test('it may be named, and several keys may share one', async () => {
    const fenceKey = `{${key}}:generation`;
    await guardedSet(redis, { key: `{${key}}:a`, value: '1', token: 8, fenceKey });
    const other = { key: `{${key}}:b`, value: '1', fenceKey };
    expect(await guardedSet(redis, { ...other, token: 7 })).toEqual({
      outcome: 'stale',
      seenToken: 8,
    });
    expect(await redis.get(fenceKey)).toBe('8');
  });

  test.each([
    { fenceKey: 'elsewhere' },
    { fenceKey: 'mine', key: 'mine' },
    { key: 'a}b' },
    { key: '{}a' },
    { key: '' },
    { expireMs: 0 },
    { expireMs: 1.5 },
    { expireMs: -1 },
    { expireMS: 60_000 },
  ])('%o is refused', async (change) => {
    const write = guardedSet(redis, { key, value: 'a', token: 1, ...change });
    await expect(write).rejects.toBeInstanceOf(InvalidGuard);
  });
});
