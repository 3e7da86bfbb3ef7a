import { expect, it } from 'vitest';
import type { RedisFacts } from './redis-facts';
import { redisGuarantees } from './redis-guarantees';

/** The facts of a correctly configured Redis. */
const SOUND: RedisFacts = {
  version: '7.0.15',
  runId: 'a',
  role: 'master',
  replicas: 0,
  replicationId: 'b',
  wasCopied: false,
  wasPromoted: false,
  isCluster: false,
  appendOnly: true,
  appendFsync: 'always',
  skipsFlushes: false,
  maxMemory: 0,
  evictionPolicy: 'noeviction',
  evictedKeys: 0,
};

type Judged = [Partial<RedisFacts>, level: string, blamed: string | null, unsafe: RegExp | null];

it.each<Judged>([
  [{}, 'Strong', null, null],
  [{ version: '8.2.1', maxMemory: 2 ** 30 }, 'Strong', null, null],
  [{ appendFsync: 'everysec' }, 'Timed', 'appendfsync', null],
  [{ appendFsync: 'no' }, 'Timed', 'appendfsync', null],
  [{ appendFsync: null }, 'Timed', 'appendfsync', null],
  [{ skipsFlushes: true }, 'Timed', 'no-appendfsync-on-rewrite', null],
  [{ wasCopied: true }, 'Timed', null, null],
  [{ appendOnly: false }, 'Timed', 'appendonly', null],
  [{ replicas: 1 }, 'Best-effort', 'connected_slaves', null],
  [{ isCluster: true }, 'Best-effort', 'cluster_enabled', null],
  [{ replicas: 2, appendOnly: false }, 'Best-effort', 'connected_slaves', null],
  [{ role: 'slave' }, 'Best-effort', 'role', /replica/],
  [{ evictionPolicy: 'allkeys-lru' }, 'Best-effort', 'maxmemory-policy', /noeviction/],
  [{ evictionPolicy: 'volatile-ttl' }, 'Best-effort', 'maxmemory-policy', /noeviction/],
  [
    { evictionPolicy: 'allkeys-lfu', maxMemory: 2 ** 30 },
    'Best-effort',
    'maxmemory-policy',
    /noeviction/,
  ],
  [{ version: '6.2.14' }, 'Best-effort', 'redis_version', /7 or newer/],
  [{ version: '' }, 'Best-effort', 'redis_version', /7 or newer/],
])('a Redis with %j is %s', (facts, level, blamed, unsafe) => {
  const guarantees = redisGuarantees({ ...SOUND, ...facts }, true);
  expect(guarantees.level).toBe(level);
  expect(guarantees.unsafe).toEqual(unsafe === null ? null : expect.stringMatching(unsafe));
  expect(guarantees.reasons.length).toBeGreaterThan(0);
  const complaints = guarantees.settings.filter(({ complaint }) => complaint !== null);
  const names = complaints.map(({ name }) => name);
  if (blamed === null) expect(names).toEqual([]);
  else expect(names).toContain(blamed);
});

it('a Redis that is configured safely, but not since its start, is Timed until the next', () => {
  expect(redisGuarantees(SOUND, null).level).toBe('Strong');
  const { level, reasons } = redisGuarantees(SOUND, false);
  expect(level).toBe('Timed');
  expect(reasons[0]).toContain('next restart');
});

it('an unsafe configuration of Redis cannot be allowed', () => {
  const replica = redisGuarantees({ ...SOUND, role: 'slave' }, true);
  expect(replica).toMatchObject({ isNeverAllowed: true, servesNothing: true });
  const evicting = redisGuarantees({ ...SOUND, evictionPolicy: 'allkeys-lru' }, true);
  expect(evicting).toMatchObject({ isNeverAllowed: true, servesNothing: false });
  expect(redisGuarantees(SOUND, true).isNeverAllowed).toBeUndefined();
});
