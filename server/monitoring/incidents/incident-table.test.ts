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

/** One that was noticed long after it had begun. */
INCIDENTS.push({ id: INCIDENTS.length + 1, beganAt: 1_050_500, endedAt: null });

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

  it('are those that had begun, page by page, the last to begin first', async () => {
    const table = new IncidentTable(database);
    const until = 1_120_000;
    const begun = INCIDENTS.filter(({ beganAt }) => beganAt <= until);
    const found: number[] = [];
    for (let page = await table.list({ until, limit: 25 }); page.length > 0; ) {
      found.push(...page.map(({ id }) => id));
      page = await table.list({ until, limit: 25, before: found.at(-1) ?? 0 });
    }
    const inOrder = begun.sort((a, b) => b.beganAt - a.beganAt || b.id - a.id);
    expect(found).toEqual(inOrder.map(({ id }) => id));
  });

  it('are read page by page too where they have a beginning and an end', async () => {
    const table = new IncidentTable(database);
    const span = { since: 1_040_000, until: 1_120_000 };
    const whole = await table.list({ ...span, limit: 200 });
    const first = await table.list({ ...span, limit: 30 });
    const rest = await table.list({ ...span, limit: 200, before: first.at(-1)?.id ?? 0 });
    expect([...first, ...rest]).toEqual(whole);
  });

  it('are all found at an instant, however many', async () => {
    const from = 5_000_000;
    const open = Array.from({ length: 1_200 }, (_, i) => [i + 1_000, `other-${i}`, from + i]);
    for (let i = 0; i < open.length; i += 300) {
      const part = open.slice(i, i + 300);
      await database.raw.ask(
        'INSERT INTO incidents (id, backend, namespace, name, status, began_at, read_at, ' +
          'waiters, waiter_ms, waiters_max, blocking_max_ms, actors, facts, open_for) VALUES ' +
          `${part.map(() => "(?,'other','shop',?,'expired',?,0,0,0,0,0,'[]','{}',?)")}`,
        part.flatMap(([id, name, beganAt]) => [id, name, beganAt, name] as (string | number)[]),
      );
    }
    const at = await new IncidentTable(database).at(from + 1_099, from + 1_099);
    const ids = at.filter(({ backend }) => backend === 'other').map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: 1_100 }, (_, i) => 2_099 - i));
  });

  it.runIf(dialect === 'sqlite')('are found by an index, however many came later', async () => {
    const { ask, plans } = queryPlans(database.raw.ask);
    const raw = { value: { ...database.raw, ask } };
    const table = new IncidentTable(Object.create(database, { raw }));
    await table.list({ since: 1_010_000, until: 1_011_000, limit: 20 });
    await table.at(1_010_000, 1_011_000);
    await table.list({ since: 1_010_000, until: 1_011_000, limit: 20, before: 50 });
    expect(plans).toHaveLength(3);
    for (const plan of plans) {
      expect(plan).toContain('COVERING INDEX incidents_ended');
      expect(plan).not.toContain('(rowid<?)');
    }
    plans.length = 0;
    await table.list({ until: 1_011_000, limit: 20 });
    expect(plans).toEqual(['SEARCH incidents USING INDEX incidents_began (began_at<?)']);
  });
});
