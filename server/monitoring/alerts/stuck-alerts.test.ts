import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '@/db/database';
import { openTestDatabase } from '@/db/testing/test-database';
import { DEFAULT_ALERT_RULES } from '../../contract/console/alerts/alert-rules';
import { AlertTable } from './alert-table';
import { type AlertingProcess, AlertRig } from './testing/alert-rig';

describe('an alert on a stuck lock', () => {
  let database: Database;
  let rig: AlertRig;
  let grantedAt: number;
  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
  });
  beforeEach(async () => {
    for (const table of ['alerts', 'alert_receivers', 'alert_rules', 'cursors']) {
      await database.raw.ask(`DELETE FROM ${table}`, []);
    }
    rig = new AlertRig(database);
    grantedAt = rig.now - 120_000;
  });
  afterAll(() => database.close());

  const firing = () => new AlertTable(database).firing(10, rig.now);

  /** One caller after another waits for 8 s, and gives up; the next comes 2 s later. */
  const callers = async (process: AlertingProcess, count: number, token?: number) => {
    const hold = { token, leaseLeftMs: 36_000_000 };
    for (let i = 0; i < count; i += 1) {
      const waiting = { waiters: 1, waitedMs: 0 };
      rig.store('index', { ...hold, ...waiting, heldMs: rig.now - grantedAt });
      await rig.pass(process, 8_000);
      rig.store('index', { ...hold, heldMs: rig.now - grantedAt });
      await rig.pass(process, 2_000);
    }
  };

  it('fires even if every caller gives up before waiting as long', async () => {
    const process = rig.process([]);
    const began = rig.now;
    await callers(process, 3, 7);
    expect(await firing()).toEqual([]);
    await callers(process, 2, 7);
    expect(await firing()).toMatchObject([{ kind: 'stuck', name: 'index', since: began }]);
  });

  it('continues while callers come and go, even in another process', async () => {
    await rig.setRules('default', { ...DEFAULT_ALERT_RULES, stuckForMs: 60_000 });
    await callers(rig.process([]), 8, 7);
    const [alert] = await firing();
    await callers(rig.process([]), 5, 7);
    expect(await firing()).toEqual([alert]);
    expect(alert).toMatchObject({ kind: 'stuck' });
  });

  it.each([60_000, -60_000])(
    'goes on where the clock is set by %i ms between two callers',
    async (byMs) => {
      const process = rig.process([]);
      await callers(process, 4, 7);
      const [alert] = await firing();
      expect(alert).toMatchObject({ kind: 'stuck' });
      rig.setClock(byMs);
      await rig.pass(process, 1_000);
      await callers(process, 2, 7);
      expect(await firing()).toEqual([alert]);
    },
  );

  it('fires as soon where the clock is set forward between two callers', async () => {
    await rig.setRules('default', { ...DEFAULT_ALERT_RULES, stuckForMs: 90_000 });
    const process = rig.process([]);
    const began = rig.now;
    await callers(process, 2, 7);
    rig.setClock(60_000);
    await callers(process, 2, 7);
    expect(await firing()).toMatchObject([{ kind: 'stuck', since: began }]);
  });

  it('fires no sooner where only the clock of the server is set forward', async () => {
    await rig.setRules('default', { ...DEFAULT_ALERT_RULES, stuckForMs: 90_000 });
    const process = rig.process([]);
    const began = rig.now;
    await callers(process, 2, 7);
    rig.setClock(60_000);
    rig.clockOffsetMs -= 60_000;
    grantedAt += 60_000;
    await callers(process, 4, 7);
    expect(await firing()).toEqual([]);
    await callers(process, 4, 7);
    expect(await firing()).toMatchObject([{ kind: 'stuck', since: began + 60_000 }]);
  });

  it('does not add up how long several holds made it so', async () => {
    await callers(rig.process([]), 8);
    expect(await firing()).toEqual([]);
  });

  it('does not fire for callers further apart than the time that resolves an alert', async () => {
    const process = rig.process([]);
    for (let i = 0; i < 4; i += 1) {
      await callers(process, 1, 7);
      await rig.pass(process, 30_000);
    }
    expect(await firing()).toEqual([]);
  });
});
