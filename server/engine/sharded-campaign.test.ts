import { afterEach, expect, it } from 'vitest';
import { recordId } from '../backends/record-id';
import { freshKey } from '../backends/testing/changes';
import { spreadNames } from '../domain/spread-names';
import { ShardedEngine } from './sharded-engine';
import { EngineRig, type Member } from './testing/engine-rig';
import { eventsByLock } from './testing/events-by-lock';
import type { Fate } from './testing/faulty-store';
import { checkHistory } from './testing/history-checker';
import { newSeed, runCampaign } from './testing/random-campaign';

/** `npm run test:long` takes thirty times as long. */
const FOR_MS = process.env.TEST_LONG === '1' ? 60_000 : 2_000;

let rigs: EngineRig[] = [];
afterEach(async () => {
  await Promise.all(rigs.map((rig) => rig.close()));
  rigs = [];
});

it('a random campaign over two shards breaks no promise that one store keeps', async () => {
  const seed = newSeed();
  console.info(`seed ${seed}`);
  rigs = [await EngineRig.open('mysql'), await EngineRig.open('mysql')];
  const homeOf = spreadNames(['a', 'b']);
  const shardOf = (name: string) => homeOf(recordId({ namespace: 'default', name }));
  const keys = [0, 1, 0, 1].map((home) => {
    for (;;) {
      const key = freshKey();
      if (shardOf(key.name) === home) return key;
    }
  });
  const rig: Pick<EngineRig, 'join'> = { join: () => joinBoth(homeOf) };
  const shape = { engines: 3, callersEach: 8, forMs: FOR_MS, faults: 0.03, kills: true };
  const calls = await runCampaign({ rig, seed, keys, ...shape });
  const histories = await Promise.all(rigs.map((one) => eventsByLock(one.under.store, keys)));
  const eventsOf = (lock: string) => histories[shardOf(lock)]?.get(lock) ?? [];
  for (const { name } of keys) {
    expect(histories[1 - shardOf(name)]?.get(name) ?? [], `seed ${seed}`).toEqual([]);
  }
  const told = calls.filter(({ verb, outcome }) => verb === 'acquire' && outcome === 'ok');
  const heard = new Set(told.map(({ lock, token }) => `${lock} ${token}`));
  const givenBack = (lock: string) =>
    eventsOf(lock).filter(({ kind, token }) => kind === 'granted' && !heard.has(`${lock} ${token}`))
      .length;
  expect(checkHistory(calls, { givenBack }), `seed ${seed}`).toEqual([]);
  expect(heard.size, `seed ${seed}`).toBeGreaterThan(10);
  for (const { name } of keys) {
    const revs = [...new Set(eventsOf(name).map(({ rev }) => rev))];
    expect(revs, `seed ${seed}`).toEqual(revs.map((_, i) => (revs[0] ?? 0) + i));
  }
}, 180_000);

/** One process over both stores; what befalls it befalls both of its ways to them. */
async function joinBoth(homeOf: (id: string) => number): Promise<Member> {
  const [a, b] = await Promise.all(rigs.map((rig) => rig.join()));
  if (!a || !b) throw new Error('There are two stores.');
  const engine = new ShardedEngine({
    backend: 'default',
    shards: [
      { name: 'a', engine: a.engine },
      { name: 'b', engine: b.engine },
    ],
    homeOf,
    refusal: () => null,
  });
  const faults = Object.assign(a.faults, {
    goAway: () => {
      Object.getPrototypeOf(a.faults).goAway.call(a.faults);
      b.faults.goAway();
    },
    comeBack: () => {
      Object.getPrototypeOf(a.faults).comeBack.call(a.faults);
      b.faults.comeBack();
    },
    settled: async () => {
      await Object.getPrototypeOf(a.faults).settled.call(a.faults);
      await b.faults.settled();
    },
  });
  b.faults.onSwap = (changes): Fate => a.faults.onSwap(changes);
  return { engine, faults, process: a.process };
}
