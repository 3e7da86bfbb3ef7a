import { beforeEach, expect, it } from 'vitest';
import type { BackendHealth } from '../../contract/console/backend-health';
import { TestClock } from '../../platform/testing/test-clock';
import { KnownStores } from './known-stores';

const health: BackendHealth = {
  id: 'default',
  kind: 'sqlite',
  reachable: true,
  latencyMs: 1,
  silentForMs: 0,
  clockOffsetMs: 0,
};
const store = { id: 'default', engine: { health: () => health } };
let clock: TestClock;
let readAt: number | undefined;
let stores: KnownStores;

beforeEach(() => {
  clock = new TestClock();
  readAt = undefined;
  health.reachable = true;
  stores = new KnownStores(clock, () => readAt);
});

it('after an outage the current state of a store is known only once it was read again', () => {
  readAt = clock.monotonic();
  const [state] = stores.states([store]);
  const reachable = () => state?.engine.health().reachable;
  expect([stores.isKnown(store), reachable()]).toEqual([true, true]);
  health.reachable = false;
  clock.pass(1_000);
  expect([stores.isKnown(store), reachable()]).toEqual([false, false]);
  health.reachable = true;
  clock.pass(1_000);
  expect([stores.isKnown(store), reachable(), stores.isFresh(store)]).toEqual([
    false,
    false,
    false,
  ]);
  readAt = clock.monotonic();
  expect([stores.isKnown(store), reachable(), stores.isFresh(store)]).toEqual([true, true, true]);
});

it('what was read before this process was paused for 5 s is not current', () => {
  expect(stores.isFresh(store)).toBe(false);
  readAt = clock.monotonic();
  clock.pass(4_999);
  expect(stores.isFresh(store)).toBe(true);
  clock.pass(1);
  expect(stores.isFresh(store)).toBe(false);
});

it('a backend says for how long it has been read since the start until all its shards are', () => {
  const read = new Set<string>();
  stores = new KnownStores(clock, (id) => (read.has(id) ? clock.monotonic() : undefined));
  const shard = { backend: 'orders', health: () => ({ ...health, id: 'orders' }) };
  const shards = ['one', 'two'].map((id) => ({ ...store, id, shard }));
  clock.pass(61_400);
  const orders = () => stores.publicHealths(shards);
  read.add('one');
  expect(orders()).toEqual([{ ...health, id: 'orders', unreadForMs: 61_000 }]);
  expect(stores.states(shards).map(({ engine }) => engine.health().unreadForMs)).toEqual([
    undefined,
    61_000,
  ]);
  read.add('two');
  expect(orders()).toEqual([{ ...health, id: 'orders' }]);
});
