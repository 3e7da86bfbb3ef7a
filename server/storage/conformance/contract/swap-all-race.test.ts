import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSeed, seeded } from '../../../engine/testing/seeded';
import type { Change, RecordKey } from '../../record-store';
import { created, eventOf, freshKey, stored, update } from '../testing/changes';
import type { Store, StoreUnderTest } from '../testing/stores-under-test';
import { whichApplied } from '../testing/which-applied';
import { racingStores } from './contract-stores';

const ROUNDS = process.env.TEST_LONG === '1' ? 1_000 : 200;
const KEYS = 6;

type Seen = { rev: number; writer: string };

describe.each(racingStores)(
  'two processes over %s that swap multi-locks at once',
  (_, kind, share) => {
    const rounds = ROUNDS * share;
    let under: StoreUnderTest;

    beforeAll(async () => {
      under = await kind.open();
    });
    afterAll(() => under.close());

    it(`have one winner in each of ${rounds} rounds, whole, and no part of the loser`, async () => {
      const seed = newSeed();
      console.info(`seed ${seed}`);
      const random = seeded(seed);
      const processes = [under.store, await under.another()] as const;
      const keys = Array.from({ length: KEYS }, () => freshKey());
      const seen: Seen[] = [];
      for (const key of keys) seen.push(await created(under.store, key));
      const wins = [0, 0];
      for (let round = 0; round < rounds; round += 1) {
        const shared = Math.floor(random() * KEYS);
        const asked = processes.map((store, p) => {
          const places = placesWith(shared, random);
          const head = `${round} ${p}`;
          const changes = places.map((i) => nextOf(keys[i] as RecordKey, seen[i] as Seen, head));
          return { store, places, changes };
        });
        if (random() < 0.5) asked.reverse();
        const took = await Promise.all(asked.map(({ store, changes }) => swapped(store, changes)));
        expect(
          took.filter((whole) => whole),
          `seed ${seed}`,
        ).toHaveLength(1);
        const winner = took.indexOf(true);
        const { places, changes, store } = asked[winner] ?? expect.unreachable();
        wins[processes.indexOf(store)] = (wins[processes.indexOf(store)] ?? 0) + 1;
        for (const [n, i] of places.entries()) {
          const { rev, writer } = changes[n] as Change;
          seen[i] = { rev, writer };
        }
      }
      for (const [i, key] of keys.entries()) {
        expect(await stored(under.store, key), `seed ${seed}`).toMatchObject(seen[i] as Seen);
      }
      const written = seen.reduce((sum, { rev }) => sum + rev - 1, 0);
      expect(await countEvents(under.store), `seed ${seed}`).toBe(written);
      expect(Math.min(...wins), 'where one side never wins there was no race').toBeGreaterThan(
        rounds / 50,
      );
    });
  },
);

/** Two to four indexes in random order, including the given one. */
function placesWith(place: number, random: () => number): number[] {
  const places = new Set([place]);
  const size = 2 + Math.floor(random() * 3);
  while (places.size < size) places.add(Math.floor(random() * KEYS));
  return [...places].sort(() => random() - 0.5);
}

const nextOf = (key: RecordKey, seen: Seen, head: string): Change =>
  update(key, seen, { head, events: [eventOf(seen.rev + 1)] });

/** Whether changes were applied; all of their results must agree. */
async function swapped(store: Store, changes: Change[]): Promise<boolean> {
  const said = new Set(await whichApplied(changes, () => store.swapAll(changes)));
  expect(said.size).toBe(1);
  return said.has(true);
}

async function countEvents(store: Store): Promise<number> {
  let events = 0;
  for (let after = 0; ; ) {
    const rows = await store.historyAfter(after, 500);
    if (rows.length === 0) return events;
    for (const { id, changes } of rows) {
      after = id;
      for (const change of changes) events += change.events.length;
    }
  }
}
