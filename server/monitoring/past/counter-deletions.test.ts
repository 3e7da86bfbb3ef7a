import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '@/db/database';
import { openTestDatabase, TEST_DIALECTS } from '@/db/testing/test-database';
import { readCounterDeletions } from './counter-deletions';

const MANY = 12_000;
/** Of the others, more than one query reads were made at the same instant. */
const [TIED_FROM, TIED_TO] = [4_000, 6_000];
const DELETIONS = new Set([1, 499, 500, 501, TIED_FROM, 5_000, TIED_TO, 7_000, MANY]);
const AT_ONCE = 1_000;

const instantOf = (i: number) => (i >= TIED_FROM && i <= TIED_TO ? TIED_FROM : i);
const isDeletion = (i: number) => DELETIONS.has(i);

describe.each(TEST_DIALECTS)('the deletions of counters in a long audit log, in %s', (dialect) => {
  let database: Database;
  beforeEach(async () => {
    database = await openTestDatabase(dialect);
    const { db, tables } = database;
    const who = { actor: 'ana', actorKind: 'user', address: '', reason: 'sold out' } as const;
    const texts = { seen: '{}', result: '{"deleted":1,"names":["a"]}', outcome: 'done' };
    const entries = Array.from({ length: MANY }, (_, index) => {
      const i = index + 1;
      const what = { act: isDeletion(i) ? 'counter.delete' : 'lock.release', namespace: 'shop' };
      const times = { at: instantOf(i), closedAt: instantOf(i) };
      return { ...who, ...texts, ...what, ...times, intent: String(i), subject: String(i) };
    });
    for (let i = 0; i < MANY; i += AT_ONCE) {
      await db.insert(tables.audit).values(entries.slice(i, i + AT_ONCE));
    }
  });
  afterEach(() => database.close());

  it('are all found, without blocking the process', async () => {
    let turns = 0;
    let isOver = false;
    const counting = (async () => {
      for (; !isOver; turns += 1) await setImmediate();
    })();
    const found = await readCounterDeletions(database, 0, MANY);
    isOver = true;
    await counting;
    const newestFirst = [...DELETIONS].map(instantOf).sort((a, b) => b - a);
    expect(found.map(({ at }) => at)).toEqual(newestFirst);
    if (dialect === 'sqlite') expect(turns).toBeGreaterThan(10);
    const later = await readCounterDeletions(database, 500, MANY - 1);
    expect(later.map(({ at }) => at)).toEqual(newestFirst.slice(1, -3));
  });
});
