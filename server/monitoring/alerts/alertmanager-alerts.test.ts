import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '@/db/database';
import { openTestDatabase, TEST_DIALECTS } from '@/db/testing/test-database';
import { ReceiverTable } from './receiver-table';
import { AlertRig, webhook } from './testing/alert-rig';
import { ReceiverUnderTest } from './testing/receiver-under-test';

/** An alert as Alertmanager gets it. */
interface Sent {
  labels: { name: string };
  endsAt: string;
}

const STUCK = { heldMs: 120_000, leaseLeftMs: 36_000_000, waiters: 2, waitedMs: 5_000 };

describe.each(TEST_DIALECTS)('alerts at Alertmanager, over %s,', (dialect) => {
  let database: Database;
  let receiver: ReceiverUnderTest;
  let rig: AlertRig;
  beforeAll(async () => {
    database = await openTestDatabase(dialect);
  });
  beforeEach(async () => {
    for (const table of ['alerts', 'alert_receivers', 'cursors']) {
      await database.raw.ask(`DELETE FROM ${table}`, []);
    }
    receiver = await ReceiverUnderTest.start();
    rig = new AlertRig(database);
  });
  afterEach(() => receiver.close());
  afterAll(() => database.close());

  it('are sent again once a minute, even if the clock is set back', async () => {
    const process = rig.process([webhook(receiver.url, { format: 'alertmanager' })]);
    rig.store('index', STUCK);
    await rig.pass(process, 40_000);
    const before = receiver.received.length;
    rig.setClock(-3_600_000);
    rig.store('index', STUCK);
    await rig.pass(process, 119_000);
    expect(receiver.received).toHaveLength(before + 2);
  });

  it('show at their receiver that it does not accept them when they are sent again', async () => {
    const process = rig.process([webhook(receiver.url, { format: 'alertmanager' })]);
    const failure = async () => (await new ReceiverTable(database).get('ops')).failure;
    rig.store('index', STUCK);
    await rig.pass(process, 40_000);
    expect(await failure()).toBeNull();
    receiver.answer = (res) => void res.writeHead(503).end();
    await rig.pass(process, 70_000);
    expect(await failure()).toBe('It answered with status 503.');
    receiver.answer = (res) => void res.writeHead(200).end();
    await rig.pass(process, 70_000);
    expect(await failure()).toBeNull();
  });

  it('are all sent, of which none is stored again in the message', async () => {
    const process = rig.process([webhook(receiver.url, { format: 'alertmanager' })]);
    const storedChars = async () => {
      const { rows } = await database.raw.ask('SELECT message FROM alert_receivers', []);
      return String(rows[0]?.[0]).length;
    };
    const sent = () => new Set(receiver.last?.body.map((alert: Sent) => alert.labels.name)).size;
    const names = Array.from({ length: 120 }, (_, i) => `lock-${i}`);
    for (const name of names) rig.store(name, STUCK);
    receiver.answer = (res) => void res.writeHead(503).end();
    await rig.pass(process, 40_000, 2_000);
    expect(sent()).toBe(names.length);
    expect(await storedChars()).toBeLessThan(1_000);
    receiver.answer = (res) => void res.writeHead(200).end();
    await rig.pass(process, 30_000, 2_000);
    receiver.answer = (res) => void res.writeHead(503).end();
    for (const name of names) rig.store(name);
    await rig.pass(process, 120_000, 2_000);
    expect(sent()).toBe(names.length);
    const ends = receiver.last?.body.map(({ endsAt }: Sent) => Date.parse(endsAt));
    expect(Math.max(...ends)).toBeLessThan(rig.now);
    expect(await storedChars()).toBeLessThan(1_000);
  });
});
