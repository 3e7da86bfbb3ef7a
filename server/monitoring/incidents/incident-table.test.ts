import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '@/db/database';
import { queryPlans } from '@/db/testing/query-plans';
import { openTestDatabase, TEST_DIALECTS } from '@/db/testing/test-database';
import { IncidentTable } from './incident-table';

/** Incidents that began a second apart; every 7th is long, every 11th has not ended. */
const INCIDENTS = Array.from({ length: 200 }, (_, i) => {
  const beganAt = 1_000_000 + i * 1_000;
  const endedAt = i % 11 === 0 ? null : beganAt + (i % 7 === 0 ? 60_000 : 1_500);
  return { id: i + 1, beganAt, endedAt };
});

describe.each(TEST_DIALECTS)('the incidents of a span over %s', (dialect) => {
  let database: Database;

  beforeAll(async () => {
    database = await openTestDatabase(dialect);
    const { incidents } = database.tables;
    const counts = { waiters: 0, waiterMs: 0, waitersMax: 0, blockingMaxMs: 0 };
    await database.db.insert(incidents).values(
      INCIDENTS.map(({ id, beganAt, endedAt }) => ({
        ...{ id, beganAt, endedAt, readAt: endedAt ?? 2_000_000, ...counts },
        ...{ backend: 'default', namespace: 'shop', name: `lock-${id}`, status: 'stuck' },
        ...{ openFor: endedAt === null ? `lock-${id}` : null, actors: '[]' },
        facts: JSON.stringify({ stuck: null, hold: null }),
      })),
    );
  });
  afterAll(() => database.close());

  it('are those that began before its end and had not ended before it, newest first', async () => {
    const table = new IncidentTable(database);
    for (let since = 995_000; since < 1_210_000; since += 3_500) {
      for (const until of [since, since + 2_000, since + 70_000, 1_300_000]) {
        const open = INCIDENTS.filter(({ beganAt, endedAt }) => {
          return beganAt <= until && (endedAt === null || endedAt >= since);
        });
        const ids = open.map(({ id }) => id).sort((a, b) => b - a);
        const found = await table.list({ since, until, limit: 20 });
        expect(found.map(({ id }) => id)).toEqual(ids.slice(0, 20));
        const after = INCIDENTS.filter(({ beganAt, endedAt }) => {
          return beganAt <= until && (endedAt === null || endedAt > since);
        });
        const at = await table.at(since, until);
        expect(at.map(({ id }) => id)).toEqual(after.map(({ id }) => id).sort((a, b) => b - a));
      }
    }
  });

  it.runIf(dialect === 'sqlite')('are found by an index, however many came later', async () => {
    const { ask, plans } = queryPlans(database.raw.ask);
    const raw = { value: { ...database.raw, ask } };
    const table = new IncidentTable(Object.create(database, { raw }));
    await table.list({ since: 1_010_000, until: 1_011_000, limit: 20 });
    await table.at(1_010_000, 1_011_000);
    expect(plans).toHaveLength(2);
    for (const plan of plans) {
      expect(plan).toContain('COVERING INDEX incidents_ended');
      expect(plan).not.toContain('(rowid<?)');
    }
  });
});
