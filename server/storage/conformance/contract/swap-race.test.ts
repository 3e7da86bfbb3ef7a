import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RecordKey } from '../../record-store';
import { created, eventOf, freshKey, stored, update } from '../testing/changes';
import type { Store, StoreUnderTest } from '../testing/stores-under-test';
import { whichApplied } from '../testing/which-applied';
import { racingStores } from './contract-stores';

const ROUNDS = process.env.TEST_LONG === '1' ? 10_000 : 1_000;

/** How many records are raced for at the same time, and how many of them share a packet. */
const KEYS = 100;
const KEYS_A_PACKET = 10;

type Seen = { rev: number; writer: string };
type Racer = { key: RecordKey; seen: Seen };

describe.each(racingStores)('two processes over %s that swap one rev at once', (_, kind, share) => {
  const rounds = ROUNDS * share;
  let under: StoreUnderTest;

  beforeAll(async () => {
    under = await kind.open();
  });
  afterAll(() => under.close());

  it(`have exactly one winner in each of ${rounds} rounds, and one history`, async () => {
    const processes = [under.store, await under.another()];
    const racers: Racer[] = [];
    // One after another: of a hundred calls at once, some would wait longer for a connection than a
    // store allows.
    for (let i = 0; i < KEYS; i += 1) {
      const key = freshKey();
      racers.push({ key, seen: await created(under.store, key) });
    }
    const packets = chunks(racers, KEYS_A_PACKET);
    const wins = processes.map(() => 0);
    let double = 0;
    let none = 0;
    for (let round = 0; round < rounds / KEYS; round += 1) {
      await Promise.all(
        packets.map(async (packet, place) => {
          const said = await startingWith((place + round) % 2, (p) =>
            swapAll(processes[p] ?? under.store, packet),
          );
          for (const [i, racer] of packet.entries()) {
            const winners = said.flatMap((each, p) => (each[i]?.took ? [p] : []));
            if (winners.length > 1) double += 1;
            if (winners.length === 0) none += 1;
            const winner = winners[0] ?? 0;
            wins[winner] = (wins[winner] ?? 0) + 1;
            racer.seen = { rev: racer.seen.rev + 1, writer: said[winner]?.[i]?.writer ?? '' };
          }
        }),
      );
    }
    expect({ double, none }).toEqual({ double: 0, none: 0 });
    // If one side never wins, there was no race.
    expect(Math.min(...wins)).toBeGreaterThan(rounds / 100);

    for (const { key, seen } of racers) expect(await stored(under.store, key)).toMatchObject(seen);
    expect(await countHistory(under.store)).toEqual({ revs: rounds, events: rounds });
  });
});

async function swapAll(
  store: Store,
  racers: Racer[],
): Promise<{ took: boolean; writer: string }[]> {
  const changes = racers.map(({ key, seen }) =>
    update(key, seen, { events: [eventOf(seen.rev + 1)] }),
  );
  const applied = await whichApplied(changes, () => store.swap(changes));
  return changes.map(({ writer }, i) => ({ took: applied[i] ?? false, writer }));
}

/** Runs both processes concurrently, alternating which of them is asked first. */
async function startingWith<T>(first: number, ask: (process: number) => Promise<T>): Promise<T[]> {
  const asked = [first, 1 - first].map((process) => ({ process, said: ask(process) }));
  asked.sort((a, b) => a.process - b.process);
  return Promise.all(asked.map(({ said }) => said));
}

function chunks<T>(list: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) =>
    list.slice(i * size, (i + 1) * size),
  );
}

/**
 * The number of (record, rev) pairs and of events in the history: equal if no loser left an event.
 */
async function countHistory(store: Store): Promise<{ revs: number; events: number }> {
  const revs = new Set<string>();
  let events = 0;
  for (let after = 0; ; ) {
    const rows = await store.historyAfter(after, 500);
    if (rows.length === 0) return { revs: revs.size, events };
    for (const { id, changes } of rows) {
      after = id;
      for (const change of changes) {
        revs.add(`${change.key.name} ${change.rev}`);
        events += change.events.length;
      }
    }
  }
}
