import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '@/db/database';
import { openTestDatabase } from '@/db/testing/test-database';
import { TestClock } from '../../platform/testing/test-clock';
import type { HistoryRow } from '../../storage/record-store';
import { EventTally } from '../metrics/event-tally';
import { HoldBaselines } from './hold-baselines';
import { RollUpWriter } from './roll-up-writer';

const NOW = Date.UTC(2026, 10, 20, 8);

let database: Database;
beforeEach(async () => {
  database = await openTestDatabase('sqlite');
});
afterEach(() => database.close());

/** A commit in which each of these locks was released after a minute. */
function released(id: number, names: string[]): HistoryRow {
  const facts = { at: NOW, rev: id, service: 's', owner: 'o', token: id, heldMs: 60_000 };
  const changes = names.map((name) => ({
    key: { namespace: 'jobs', name },
    rev: id,
    events: [{ kind: 'released' as const, ...facts }],
  }));
  return { id, at: NOW, changes };
}

it('durations that were overwritten by hand count as none, and affect no other lock', async () => {
  const clock = new TestClock(NOW);
  const writer = new RollUpWriter(database, 'default', clock, new EventTally());
  await writer.begin(0);
  const write = async (id: number) => {
    await writer.take([released(id, ['bad', 'good'])], id);
    clock.pass(1_500);
    await writer.take([], id);
  };
  const overwrite = async (table: string) => {
    const sql = `UPDATE ${table} SET holds = 'long' WHERE lock_id = 'jobs/bad'`;
    await database.raw.ask(sql, []);
  };
  await write(1);
  await overwrite('lock_minutes');
  await overwrite('lock_weeks');
  await write(2);
  await write(3);
  for (const table of ['lock_minutes', 'lock_weeks']) {
    const sql = `SELECT lock_id, holds FROM ${table} WHERE lock_id <> '' ORDER BY lock_id`;
    const { rows } = await database.raw.ask(sql, []);
    expect(rows.map(([lock, holds]) => `${lock} ${String(holds).split(':')[1]}`)).toEqual([
      'jobs/bad 2',
      'jobs/good 3',
    ]);
  }
  await overwrite('lock_weeks');
  const stores = [{ id: 'default', publicId: 'default' }];
  await new HoldBaselines(database, stores, clock).refresh();
});
