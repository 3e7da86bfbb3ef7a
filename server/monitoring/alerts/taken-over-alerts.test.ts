import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '@/db/database';
import { openTestDatabase, TEST_DIALECTS } from '@/db/testing/test-database';
import { DEFAULT_ALERT_RULES } from '../../contract/console/alerts/alert-rules';
import { AlertTable } from './alert-table';
import { AlertRig } from './testing/alert-rig';

const STUCK = { heldMs: 120_000, leaseLeftMs: 36_000_000, waiters: 2, waitedMs: 5_000 };
const FINE = { heldMs: 10, leaseLeftMs: 36_000_000, waiters: 0 };

describe.each(TEST_DIALECTS)('alerts that are taken over, in %s,', (dialect) => {
  let database: Database;
  let stored: AlertTable;
  let rig: AlertRig;

  beforeAll(async () => {
    database = await openTestDatabase(dialect);
    stored = new AlertTable(database);
  });
  beforeEach(async () => {
    for (const table of ['alerts', 'alert_rules', 'cursors'])
      await database.raw.ask(`DELETE FROM ${table}`, []);
    rig = new AlertRig(database);
  });
  afterAll(() => database.close());

  it('are resolved in time even if maintenance restarts every 20 s', async () => {
    const process = rig.process([]);
    rig.store('index', STUCK);
    await rig.pass(process, 40_000);
    expect(await stored.firingSubjects()).toHaveLength(1);
    rig.store('index', FINE);
    for (let i = 0; i < 2; i += 1) {
      process.alerting.restart();
      await rig.pass(process, 20_000);
    }
    expect(await stored.firingSubjects()).toHaveLength(0);
  });

  it('are resolved even if a former process wrote them after its successor began', async () => {
    const [former, heir] = [rig.process([]), rig.process([])];
    rig.store('index', FINE);
    await rig.pass(heir, 1_000);
    rig.store('index', { ...STUCK, waitedMs: 40_000 });
    await rig.pass(former, 1_000);
    rig.store('index', FINE);
    await rig.pass(heir, 60_000);
    expect(await stored.firingSubjects()).toHaveLength(1);
    await heir.alerting
      .jobs()
      .find(({ name }) => name === 'prune alerts')
      ?.run();
    await rig.pass(heir, 31_000);
    expect(await stored.firingSubjects()).toHaveLength(0);
  });

  it('of a silent backend continue at a new process until it responds', async () => {
    rig.silent.add('other');
    await rig.pass(rig.process([]), 1_000);
    const firing = await stored.firing(10, rig.now);
    expect(firing).toMatchObject([{ kind: 'backendUnknown' }]);
    const heir = rig.process([]);
    rig.silentForMs = 0;
    await rig.pass(heir, 50_000);
    expect(await stored.firing(10, rig.now)).toEqual(firing);
    rig.silent.delete('other');
    await rig.pass(heir, 31_000);
    expect(await stored.firing(10, rig.now)).toEqual([]);
  });

  it('use no memory for counters if another process watches them', async () => {
    await rig.setRules('default', { ...DEFAULT_ALERT_RULES, counterWithin: 5 });
    const [former, heir] = [rig.process([]), rig.process([])];
    await rig.pass(former, 1_000);
    former.alerting.abort();
    for (let i = 0; i < 100; i += 1) rig.count(`stock ${i}`, 1_000, 1);
    expect(rig.counters.takeChanged().size).toBe(0);
    rig.count('stock 7', 3, 2);
    await rig.pass(heir, 1_000);
    expect(await stored.firing(10, rig.now)).toMatchObject([
      { kind: 'counterNear', name: 'stock 7' },
    ]);
  });

  it('use no memory for counters if another process takes over during a read', async () => {
    await rig.setRules('default', { ...DEFAULT_ALERT_RULES, counterWithin: 5 });
    const former = rig.process([]);
    const round = former.round();
    former.alerting.abort();
    await round;
    rig.count('stock', 1_000, 1);
    expect(rig.counters.takeChanged().size).toBe(0);
  });

  it('are counted only in the metrics of the process that watches them', async () => {
    const [former, heir] = [rig.process([]), rig.process([])];
    const firing = () =>
      [former, heir].map(({ alerting }) => {
        const family = alerting.metrics().find(({ name }) => name === 'lockyard_alerts_firing');
        return family?.samples.find(({ labels }) => labels.kind === 'stuck');
      });
    rig.store('index', STUCK);
    await rig.pass(former, 40_000);
    former.alerting.abort();
    await rig.pass(heir, 1_000);
    expect(firing()).toMatchObject([{ value: 0 }, { value: 1 }]);
    const prune = heir.alerting.jobs().find(({ name }) => name === 'prune alerts');
    await prune?.run();
    expect(firing()).toMatchObject([{ value: 0 }, { value: 1 }]);
  });
});
