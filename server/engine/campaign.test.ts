import { afterEach, describe, expect, it } from 'vitest';
import { freshKey } from '../storage/conformance/testing/changes';
import { can, type Store, storeNames } from '../storage/conformance/testing/stores-under-test';
import type { Change } from '../storage/record-store';
import { EngineRig } from './testing/engine-rig';
import { eventsByLock } from './testing/events-by-lock';
import { checkHistory } from './testing/history-checker';
import { runCampaign } from './testing/random-campaign';
import { newSeed } from './testing/seeded';

/** Fewer would prove little. */
const GRANTS_MIN = 31;

const FOR_MS = process.env.TEST_LONG === '1' ? 10_000 : 2_000;

let rig: EngineRig;
afterEach(() => rig?.close());

describe.each(storeNames)('a random campaign over %s', (name) => {
  it('breaks no promise, and leaves a history with every rev once', async () => {
    const isShared = can(name, 'manyProcesses');
    const seed = newSeed();
    console.info(`seed ${seed}`);
    rig = await EngineRig.open(name);
    const keys = Array.from({ length: 4 }, () => freshKey());
    const calls = await runCampaign({
      rig,
      seed,
      engines: isShared ? 3 : 1,
      callersEach: 8,
      keys,
      forMs: FOR_MS,
      grantsMin: GRANTS_MIN,
      faults: 0.03,
      kills: isShared,
    });
    const history = await eventsByLock(rig.under.store, keys);
    const granted = (lock: string) =>
      (history.get(lock) ?? []).filter(({ kind }) => kind === 'granted');
    const acquired = calls.filter(({ verb, outcome }) => verb === 'acquire' && outcome === 'ok');
    const heard = new Set(acquired.map(({ lock, token }) => `${lock} ${token}`));
    const revertedGrants = (lock: string) =>
      granted(lock).filter(({ token }) => !heard.has(`${lock} ${token}`)).length;
    const done = calls.filter(({ outcome }) => outcome === 'ok').length;
    console.info(`${calls.length} calls, ${done} succeeded, ${heard.size} grants`);

    const violations = checkHistory(calls, { revertedGrants });
    for (const { lock } of violations) {
      const answered = calls.filter((call) => call.lock === lock);
      console.info(JSON.stringify({ lock, answered, written: history.get(lock) }));
    }
    expect(violations, `seed ${seed}`).toEqual([]);
    expect(heard.size, `seed ${seed}`).toBeGreaterThanOrEqual(GRANTS_MIN);
    for (const { name: lock } of keys) {
      const events = history.get(lock) ?? [];
      const revs = [...new Set(events.map(({ rev }) => rev))];
      expect(revs, `seed ${seed}`).toEqual(revs.map((_, i) => (revs[0] ?? 0) + i));
      const tokens = granted(lock).map(({ token }) => token ?? 0);
      expect(tokens, `seed ${seed}`).toEqual([...new Set(tokens)].sort((a, b) => a - b));
    }
    for (const { lock, token } of acquired) {
      expect(
        granted(lock).map((event) => event.token),
        `seed ${seed}`,
      ).toContain(token);
    }
  });
});

describe('a campaign finds', () => {
  const broken: [string, (store: Store, process: number) => Store][] = [
    ['a store that ignores what a change expects', blind],
    ['a store that judges a swap by its rev alone', careless],
    [
      'a process whose clock runs ahead, over a store that does not compare',
      (store, process) => (process % 3 === 0 ? hasty(store) : store),
    ],
  ];

  it.each(broken)('%s', async (_, spoil) => {
    rig = await EngineRig.open('sqlite');
    const honest = rig.under.another.bind(rig.under);
    let processes = 0;
    rig.under.another = async () => spoil(await honest(), processes++);
    const crowd = { rig, engines: 3, callersEach: 8, forMs: 500, faults: 0, kills: false };
    for (let tries = 0; tries < 30; tries += 1) {
      const played = runCampaign({ ...crowd, seed: newSeed(), keys: [freshKey()] });
      const calls = await played.catch(() => null);
      if (rig.faults.length > 0) return;
      if (checkHistory(calls ?? (await played)).length > 0) return;
    }
    expect.unreachable('a broken store looked sound');
  });
});

/** Writes over whatever is there. */
function blind(store: Store): Store {
  const spoilt: Store = Object.create(store);
  spoilt.swap = async (changes) => {
    const { records } = await store.read(
      changes.map(({ key }) => key),
      [],
    );
    const forced = changes.map((change, i): Change => {
      const found = records[i]?.record;
      const expectation = found ? { rev: found.rev, writer: found.writer } : null;
      return { ...change, expect: expectation, rev: (found?.rev ?? change.rev - 1) + 1 };
    });
    const results = await store.swap(forced);
    return results.map((result) => ({ ...result, applied: true }));
  };
  return spoilt;
}

/** Takes the swap of another process for its own. */
function careless(store: Store): Store {
  const spoilt: Store = Object.create(store);
  spoilt.swap = async (changes) => {
    const results = await store.swap(changes);
    return results.map((result, i) => ({
      ...result,
      applied: result.current?.rev === changes[i]?.rev,
    }));
  };
  return spoilt;
}

/** Believes leases to be over before they are. */
function hasty(store: Store): Store {
  const spoilt: Store = Object.create(store);
  const clock = { past: 0, ahead: Number.POSITIVE_INFINITY };
  spoilt.swap = (changes) => store.swap(changes.map((change) => ({ ...change, clock })));
  spoilt.read = async (keys, requestKeys) => {
    const { records, storedAnswers } = await store.read(keys, requestKeys);
    return { records: records.map((read) => ({ ...read, now: read.now + 1_000 })), storedAnswers };
  };
  return spoilt;
}
