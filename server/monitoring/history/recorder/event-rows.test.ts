import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database, SqlValue } from '@/db/database';
import { openTestDatabase, TEST_DIALECTS } from '@/db/testing/test-database';
import { RUNS } from '../../../core/testing/property-runs';
import { insertionsOf } from './event-rows';

const NASTY = ["'", '"', '\\', '?', '`', '%', '\n', '\u0000', '\u001a', ' ', 'é', '🔒', ';--', 'x'];

const texts = fc.array(fc.constantFrom(...NASTY), { maxLength: 12 }).map((parts) => parts.join(''));

it('rows of events are divided into statements that a MySQL accepts which accepts 1 MB', () => {
  const body = JSON.stringify(Array.from({ length: 60 }, () => "线程的 '锁'，".repeat(3)));
  const rows = Array.from({ length: 200 }, (_, i): SqlValue[] => {
    return ['b', 1, i, `default/${i}`, 5, 1, 'x', body, 0];
  });
  const texts = insertionsOf('mysql', rows).map(({ sql }) => sql);
  for (const text of texts) expect(Buffer.byteLength(text)).toBeLessThan(1_024 * 1_024);
  const written = texts.flatMap((text) => text.match(/default\/\d+/g));
  expect(written).toEqual(rows.map(([, , , lockId]) => lockId));
});

describe.each(TEST_DIALECTS)('rows of events, in %s', (dialect) => {
  let database: Database;
  beforeEach(async () => {
    database = await openTestDatabase(dialect);
  });
  afterEach(() => database.close());

  it('preserve every text, beside any other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { minLength: 1, maxLength: 60 }), async (owners) => {
        await database.raw.ask('DELETE FROM lock_events', []);
        const bodies = owners.map((owner) => JSON.stringify({ owner, raw: owner }));
        const rows = bodies.map((body, i): SqlValue[] => [
          'b',
          1,
          i,
          `default/o'\\?${i}`,
          5,
          1,
          'x',
          body,
          0,
        ]);
        await database.raw.batch(insertionsOf(database.kind, rows), false);
        const kept = await database.raw.ask(
          'SELECT lock_id, body FROM lock_events WHERE backend = ? ORDER BY place',
          ['b'],
        );
        expect(kept.rows.map(([, body]) => JSON.parse(String(body)))).toEqual(
          owners.map((owner) => ({ owner, raw: owner })),
        );
        expect(kept.rows.map(([id]) => id)).toEqual(owners.map((_, i) => `default/o'\\?${i}`));
      }),
      { ...RUNS, numRuns: 40 },
    );
  });

  it('do not change when they are written again', async () => {
    const row = (body: string): SqlValue[] => ['b', 1, 0, 'default/a', 5, 1, 'granted', body, 0];
    const write = (body: string) =>
      database.raw.batch(insertionsOf(database.kind, [row(body)]), false);
    await write('{"first":1}');
    await write('{"second":2}');
    const kept = await database.raw.ask('SELECT body FROM lock_events', []);
    expect(kept.rows.map(([body]) => JSON.parse(String(body)))).toEqual([{ first: 1 }]);
  });
});
