import { expect, test } from 'vitest';
import type { BackendHealth } from '@/server/contract/console/backend-health';
import {
  ageOf,
  backendAgeMs,
  backendNow,
  type ClockOf,
  createReadingStore,
  gapNote,
  lastAnswerAt,
  longUnread,
  outageNote,
  type Reading,
  STALE_AFTER_MS,
  silenceMs,
  storeObstacle,
  storeRefusal,
} from './reading-store';

const reading: Reading = {
  asOf: 1_000_000,
  receivedAt: 500,
  backends: [
    {
      id: 'default',
      kind: 'sqlite',
      reachable: true,
      latencyMs: 1,
      silentForMs: 40,
      clockOffsetMs: -300,
    },
  ],
};

test('a backend’s clock runs on from the reading, by its own offset', () => {
  expect(backendNow(reading, { backend: 'default' }, 500)).toBe(999_700);
  expect(backendNow(reading, { backend: 'default' }, 1_700)).toBe(1_000_900);
  expect(backendNow(reading, { backend: 'other' }, 1_700)).toBe(1_001_200);
});

test('a record on a shard goes by the clock and the silence of that shard', () => {
  const [health] = reading.backends as [BackendHealth];
  const shards = [
    { ...health, id: 'default.a', name: 'a', clockOffsetMs: -9_000, silentForMs: 2_000 },
    { ...health, id: 'default.b', name: 'b', clockOffsetMs: 20, silentForMs: 10 },
  ];
  const whole = { ...health, clockOffsetMs: -9_000, silentForMs: 2_000, shards };
  const sharded = { ...reading, backends: [whole] };
  const on = (shard: string) => ({ backend: 'default', shard });
  expect(backendNow(sharded, on('default.a'), 500)).toBe(991_000);
  expect(backendNow(sharded, on('default.b'), 500)).toBe(1_000_020);
  expect(silenceMs(sharded, on('default.b'), 500)).toBe(10);
  expect(lastAnswerAt(sharded, on('default.b'))).toBe(1_000_010);
  // On its own page, the health is that of its shard, under the id of the backend.
  expect(backendNow(reading, on('default.b'), 500)).toBe(999_700);
});

test('why a store rejects requests is known of the shard that does, while it does', () => {
  const [health] = reading.backends as [BackendHealth];
  const refusal = 'It is read-only.';
  const shards = [
    { ...health, id: 'default.a', name: 'a', reachable: false, refusal },
    { ...health, id: 'default.b', name: 'b', reachable: false },
    { ...health, id: 'default.c', name: 'c', refusal },
  ];
  const backends = [{ ...health, reachable: false, shards }];
  const of = (shard: string) => storeRefusal({ backends }, { backend: 'default', shard });
  expect(['default.a', 'default.b', 'default.c'].map(of)).toEqual([
    { outage: 'rejecting requests', reason: refusal },
    null,
    null,
  ]);
  expect(storeRefusal({ backends }, null)).toBeNull();
  const own = [{ ...health, reachable: false, refusal }];
  expect(storeRefusal({ backends: own }, { backend: 'default', shard: 'default.a' })).toEqual({
    outage: 'rejecting requests',
    reason: refusal,
  });
});

test('no shard of a backend serves while all of it is disabled on this server', () => {
  const [health] = reading.backends as [BackendHealth];
  const refusal = 'The backend was resharded a moment ago.';
  const shards = [{ ...health, id: 'default.a', name: 'a' }];
  const backends = [{ ...health, reachable: false, refusal, shards }];
  expect(storeRefusal({ backends }, { backend: 'default', shard: 'default.a' })).toEqual({
    outage: 'disabled on this server',
    reason: refusal,
  });
  const obstacle = (of: ClockOf, all: BackendHealth[]) => storeObstacle({ backends: all }, of);
  const shard = { backend: 'default', shard: 'default.a' };
  expect(obstacle(shard, backends)).toBe('backend is disabled on this server');
  const full = shards.map((each) => ({ ...each, reachable: false, refusal }));
  expect(obstacle(shard, [{ ...health, reachable: false, shards: full }])).toBe(
    'backend rejects requests',
  );
  expect([obstacle(shard, [health]), obstacle(null, backends)]).toEqual([null, null]);
  const rejecting = [{ ...health, reachable: false, refusal }];
  expect(obstacle(shard, rejecting)).toBe('backend rejects requests');
});

test('what is said about a stale reading is of its instant, as its status is', () => {
  const [fresh, later] = [500 + STALE_AFTER_MS, 500 + STALE_AFTER_MS + 60_000];
  expect(backendNow(reading, { backend: 'default' }, fresh)).toBe(999_700 + STALE_AFTER_MS);
  expect(silenceMs(reading, { backend: 'default' }, fresh)).toBe(40 + STALE_AFTER_MS);
  expect(backendNow(reading, { backend: 'default' }, later)).toBe(999_700);
  expect(silenceMs(reading, { backend: 'default' }, later)).toBe(40);
});

test('before the page runs it is the instant of the reading', () => {
  expect(ageOf(reading, null)).toBe(0);
  expect(ageOf({ ...reading, receivedAt: null }, 9_000)).toBe(0);
  expect(backendNow(reading, { backend: 'default' }, null)).toBe(999_700);
});

test('the age of what is shown grows with time, however old the reading is', () => {
  expect(backendAgeMs(reading, 'default', 2_500)).toBe(2_040);
  expect(backendAgeMs(reading, 'default', 60_500)).toBe(60_040);
});

test('a store reports urgent changes at once, and keeps every reading', () => {
  const store = createReadingStore(reading);
  let calls = 0;
  const stop = store.subscribe(() => calls++);
  const silent = {
    ...reading,
    backends: reading.backends.map((b) => ({ ...b, reachable: false })),
  };
  store.set({ ...reading, asOf: 1_000_400, receivedAt: 900 }, 900);
  expect(calls).toBe(0);
  expect(store.get().asOf).toBe(1_000_400);
  store.set({ ...silent, receivedAt: 1_400 }, 1_400);
  expect(calls).toBe(1);
  store.set({ ...silent, receivedAt: 1_400 + 2 * STALE_AFTER_MS }, 1_400 + 2 * STALE_AFTER_MS);
  expect(calls).toBe(2);
  stop();
  store.set({ ...reading, receivedAt: 20_000 }, 20_000);
  expect(calls).toBe(2);
});

test('a reading says which backends may have more, and why', () => {
  const [health] = reading.backends as [(typeof reading.backends)[number]];
  const silent = { ...health, id: 'orders', reachable: false, unreadForMs: 2_000 };
  const unread = { ...health, id: 'jobs', unreadForMs: 2_000 };
  expect(gapNote([health])).toBe('');
  expect(gapNote([health, silent])).toBe('Not responding: orders.');
  expect(gapNote([silent, unread])).toBe('Not responding: orders. Still being read: jobs.');
  expect(gapNote([unread])).toBe('Still being read: jobs.');
});

test('a backend that rejects requests, or is disabled, is not said to be not responding', () => {
  const out = { ...(reading.backends[0] as BackendHealth), reachable: false };
  const rejecting = { ...out, id: 'cache', refusal: 'It evicts keys.' };
  const disabled = { ...rejecting, id: 'orders', shards: [] };
  expect(outageNote([rejecting])).toBe('Rejecting requests: cache.');
  expect(outageNote([disabled, out, rejecting])).toBe(
    'Not responding: default. Rejecting requests: cache. Disabled on this server: orders.',
  );
  expect(outageNote([{ ...rejecting, reachable: true }])).toBe('');
  const shards = [{ ...rejecting, name: 'a' }];
  expect(outageNote([{ ...out, shards }])).toBe('Rejecting requests: default.');
});

test('a first reading of a backend is announced only once it has taken a second', () => {
  const [health] = reading.backends as [(typeof reading.backends)[number]];
  const jobs = { ...health, id: 'jobs', unreadForMs: 61_000 };
  expect(longUnread([health, { ...health, unreadForMs: 0 }])).toBe(null);
  expect(longUnread([health, { ...jobs, reachable: false }])).toBe(null);
  expect(longUnread([health, jobs])).toEqual({ ids: 'jobs', forMs: 61_000 });
});
