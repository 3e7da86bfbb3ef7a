import { afterEach, expect, it } from 'vitest';
import { freshKey } from '../storage/conformance/testing/changes';
import { eventsByLock } from './testing/events-by-lock';
import { checkHistory } from './testing/history-checker';
import { runCampaign } from './testing/random-campaign';
import { newSeed } from './testing/seeded';
import { ShardedRig } from './testing/sharded-rig';

/** `npm run test:long` takes thirty times as long. */
const FOR_MS = process.env.TEST_LONG === '1' ? 60_000 : 2_000;
/** Fewer would prove little. */
const GRANTS_MIN = 11;

let rig: ShardedRig | null = null;
afterEach(async () => {
  await rig?.close();
  rig = null;
});

it('a random campaign over two shards breaks no promise that one store keeps', async () => {
  const seed = newSeed();
  console.info(`seed ${seed}`);
  rig = await ShardedRig.open();
  const { homeOf, stores } = rig;
  const keys = [0, 1, 0, 1].map((home) => {
    for (;;) {
      const key = freshKey();
      if (homeOf(key) === home) return key;
    }
  });
  const shardOf = (name: string) => homeOf({ namespace: 'default', name });
  const lasts = { forMs: FOR_MS, grantsMin: GRANTS_MIN };
  const shape = { engines: 3, callersEach: 8, faults: 0.03, kills: true };
  const calls = await runCampaign({ rig, seed, keys, ...lasts, ...shape });
  const histories = await Promise.all(stores.map((store) => eventsByLock(store, keys)));
  const eventsOf = (lock: string) => histories[shardOf(lock)]?.get(lock) ?? [];
  for (const { name } of keys) {
    expect(histories[1 - shardOf(name)]?.get(name) ?? [], `seed ${seed}`).toEqual([]);
  }
  const granted = calls.filter(({ verb, outcome }) => verb === 'acquire' && outcome === 'ok');
  const heard = new Set(granted.map(({ lock, token }) => `${lock} ${token}`));
  const revertedGrants = (lock: string) =>
    eventsOf(lock).filter(({ kind, token }) => kind === 'granted' && !heard.has(`${lock} ${token}`))
      .length;
  expect(checkHistory(calls, { revertedGrants }), `seed ${seed}`).toEqual([]);
  expect(heard.size, `seed ${seed}`).toBeGreaterThanOrEqual(GRANTS_MIN);
  for (const { name } of keys) {
    const revs = [...new Set(eventsOf(name).map(({ rev }) => rev))];
    expect(revs, `seed ${seed}`).toEqual(revs.map((_, i) => (revs[0] ?? 0) + i));
  }
});
