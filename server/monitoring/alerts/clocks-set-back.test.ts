import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '@/db/database';
import { openTestDatabase, TEST_DIALECTS } from '@/db/testing/test-database';
import { MINUTE_MS } from '../../core/time-units';
import { AlertSettings } from './alert-settings';
import { AlertTable } from './alert-table';
import { AlertRig } from './testing/alert-rig';

const STUCK = { heldMs: 120_000, leaseLeftMs: 36_000_000, waiters: 2, waitedMs: 5_000 };
const FINE = { heldMs: 10, leaseLeftMs: 36_000_000, waiters: 0 };

describe.each(TEST_DIALECTS)('after the clock was set back, in %s,', (dialect) => {
  let database: Database;
  let rig: AlertRig;
  beforeAll(async () => {
    database = await openTestDatabase(dialect);
  });
  beforeEach(async () => {
    for (const table of ['alerts', 'alert_silences', 'cursors']) {
      await database.raw.ask(`DELETE FROM ${table}`, []);
    }
    rig = new AlertRig(database);
  });
  afterAll(() => database.close());

  const namesOf = (alerts: { name: string | null }[]) => alerts.map(({ name }) => name);

  it('new alerts are listed before those from before', async () => {
    const process = rig.process([]);
    const stored = new AlertTable(database);
    const resolve = async (name: string) => {
      rig.store(name, STUCK);
      await rig.pass(process, MINUTE_MS);
      rig.store(name, FINE);
      await rig.pass(process, MINUTE_MS);
    };
    for (const name of ['a', 'b']) await resolve(name);
    rig.store('still', { ...STUCK, waitedMs: 2 * MINUTE_MS });
    await rig.pass(process, 2_000);
    rig.setClock(-60 * MINUTE_MS);
    rig.store('still', { ...STUCK, waitedMs: 2 * MINUTE_MS });
    await resolve('c');
    rig.store('new', STUCK);
    await rig.pass(process, MINUTE_MS);
    expect(namesOf(await stored.resolved(1, rig.now))).toEqual(['c']);
    expect(namesOf(await stored.resolved(3, rig.now))).toEqual(['c', 'b', 'a']);
    expect(namesOf(await stored.firing(1, rig.now))).toEqual(['new']);
    expect(namesOf(await stored.firing(2, rig.now))).toEqual(['new', 'still']);
  });

  it('a silence that has ended is not in force again', async () => {
    const process = rig.process([]);
    const settings = new AlertSettings(database);
    await rig.silence({ name: 'index' }, rig.now + 10 * MINUTE_MS);
    await rig.pass(process, 9 * MINUTE_MS, 10_000);
    expect(await settings.silences(rig.now)).toHaveLength(1);
    await rig.pass(process, 2 * MINUTE_MS, 10_000);
    rig.setClock(-5 * MINUTE_MS);
    expect(await settings.silences(rig.now)).toEqual([]);
  });

  it('a silence lasts no longer than it was to, and none ends where it was set ahead', async () => {
    const process = rig.process([]);
    const settings = new AlertSettings(database);
    await rig.silence({ name: 'index' }, rig.now + 10 * MINUTE_MS);
    await rig.pass(process, 8 * MINUTE_MS, 10_000);
    rig.setClock(60 * MINUTE_MS);
    await rig.pass(process, MINUTE_MS, 10_000);
    rig.setClock(-65 * MINUTE_MS);
    expect(await settings.silences(rig.now)).toHaveLength(1);
    await rig.pass(process, MINUTE_MS, 10_000);
    expect(await settings.silences(rig.now)).toEqual([]);
  });
});
