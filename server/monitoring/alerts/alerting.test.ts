import { createHmac } from 'node:crypto';
import { setImmediate as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '@/db/database';
import { countingStatements } from '@/db/testing/counting-statements';
import { openTestDatabase, TEST_DIALECTS } from '@/db/testing/test-database';
import { DEFAULT_ALERT_RULES } from '../../contract/console/alerts/alert-rules';
import { storedBySignal } from '../../platform/testing/stored-by-signal';
import { AlertTable } from './alert-table';
import { ReceiverTable } from './receiver-table';
import { postMessage } from './sending/post-message';
import { AlertingProcess, AlertRig, ORIGIN, SIGNING_KEY, webhook } from './testing/alert-rig';
import { ReceiverUnderTest } from './testing/receiver-under-test';

const STUCK = { heldMs: 120_000, leaseLeftMs: 36_000_000, waiters: 2, waitedMs: 5_000 };
const FINE = { heldMs: 10, leaseLeftMs: 36_000_000, waiters: 0 };

let receiver: ReceiverUnderTest;
beforeEach(async () => {
  receiver = await ReceiverUnderTest.start();
});
afterEach(() => receiver.close());

describe.each(TEST_DIALECTS)('the alerts over %s', (dialect) => {
  let database: Database;
  let rig: AlertRig;
  beforeAll(async () => {
    database = await openTestDatabase(dialect);
  });
  beforeEach(async () => {
    for (const table of ['alerts', 'alert_receivers', 'alert_rules', 'alert_silences', 'cursors']) {
      await database.raw.ask(`DELETE FROM ${table}`, []);
    }
    rig = new AlertRig(database);
  });
  afterAll(() => database.close());

  it('send a signed message when a lock is stuck, and another when it no longer is', async () => {
    const process = rig.process([webhook(receiver.url)]);
    rig.store('index', STUCK);
    await rig.pass(process, 60_000);
    expect(receiver.received).toHaveLength(1);
    const { headers, text, body, path } = receiver.received[0] ?? expect.fail();
    expect(path).toBe('/hook');
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
    const expected = createHmac('sha256', SIGNING_KEY).update(signed).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${expected}`);
    expect(body).toMatchObject({
      id: headers['webhook-id'],
      summary: 'Stuck in default: 1 firing.',
      firing: 1,
      groups: [
        {
          kind: 'stuck',
          namespace: 'default',
          alerts: [{ state: 'firing', name: 'index', url: `${ORIGIN}/locks/default/index` }],
        },
      ],
    });
    expect(body.groups[0].alerts[0].sentence).toMatch(/^Held for 2 m .+ by w1.+2 waiting/);
    rig.store('index', FINE);
    await rig.pass(process, 120_000);
    expect(receiver.received).toHaveLength(2);
    expect(receiver.last?.body).toMatchObject({ firing: 0, resolved: 1 });
    expect(receiver.last?.body.groups[0].alerts[0]).toMatchObject({ state: 'resolved' });
    expect(await new AlertTable(database).resolved(10, rig.now)).toMatchObject([{ name: 'index' }]);
  });

  it('send nothing twice after a restart, and lose no message that was not accepted', async () => {
    rig.store('a', STUCK);
    await rig.pass(rig.process([webhook(receiver.url)]), 40_000);
    expect(receiver.received).toHaveLength(1);
    await rig.pass(rig.process([webhook(receiver.url)]), 90_000);
    expect(receiver.received).toHaveLength(1);
    receiver.answer = (res) => void res.writeHead(503).end();
    rig.store('b', STUCK);
    await rig.pass(rig.process([webhook(receiver.url)]), 60_000);
    const failed = receiver.received.slice(1);
    expect(failed.length).toBeGreaterThan(2);
    receiver.answer = (res) => void res.writeHead(204).end();
    await rig.pass(rig.process([webhook(receiver.url)]), 120_000);
    const ids = receiver.received.slice(1).map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
    expect(ids).toHaveLength(failed.length + 1);
    expect(receiver.last?.body.groups[0].alerts).toMatchObject([{ name: 'b' }]);
    expect((await new ReceiverTable(database).all()).get('ops')).toMatchObject({
      sent: 2,
      pending: null,
      failure: null,
    });
  });

  it('are all sent to a receiver that accepted nothing for over a day', async () => {
    const lasting = { ...STUCK, leaseLeftMs: 100 * 3_600_000 };
    rig.store('a', lasting);
    await rig.pass(rig.process([webhook(receiver.url)]), 40_000);
    expect(receiver.received).toHaveLength(1);
    receiver.answer = (res) => void res.writeHead(503).end();
    rig.store('a', FINE);
    rig.store('b', lasting);
    await rig.pass(rig.process([webhook(receiver.url)]), 90_000);
    rig.now += 24 * 3_600_000;
    rig.store('b', lasting);
    receiver.received.length = 0;
    receiver.answer = (res) => void res.writeHead(204).end();
    await rig.pass(rig.process([webhook(receiver.url)]), 60_000);
    await rig.pass(rig.process([webhook(receiver.url)]), 120_000);
    expect(receiver.received).toHaveLength(1);
    const { body } = receiver.received[0] ?? expect.fail();
    expect(body).toMatchObject({ firing: 1, began: 1, resolved: 1 });
    const states = body.groups[0].alerts.map((alert: { name: string; state: string }) => [
      alert.name,
      alert.state,
    ]);
    expect(states.sort()).toEqual([
      ['a', 'resolved'],
      ['b', 'firing'],
    ]);
  });

  it('resolved in large numbers before they could be sent are sent latest first', async () => {
    const stored = new AlertTable(database);
    const receivers = new ReceiverTable(database);
    await receivers.get('ops');
    await database.raw.ask('UPDATE alert_receivers SET position = 1 WHERE id = ?', ['ops']);
    await stored.position();
    const count = 1_001;
    const subject = { kind: 'stuck', backend: 'default', namespace: 'default' } as const;
    const at = { since: rig.now, firedAt: rig.now, announcedAt: rig.now, resolvedAt: rig.now };
    const changes = Array.from({ length: count }, (_, i) => {
      const alert = { ...subject, ...at, name: `lock-${i + 1}`, sentence: '', cleared: null };
      return { alert: { ...alert, id: 0, position: i + 1 }, isNew: true, hasNews: true };
    });
    for (let i = 0; i < count; i += 100) {
      await stored.write(changes.slice(i, i + 100), i, Math.min(count, i + 100));
    }
    receiver.answer = (res) => void res.writeHead(503).end();
    const process = rig.process([webhook(receiver.url)]);
    rig.store('late', STUCK);
    await rig.pass(process, 40_000);
    rig.store('late', FINE);
    await rig.pass(process, 40_000);
    rig.now += 24 * 3_600_000;
    await rig.pass(process, 2_000);
    receiver.received.length = 0;
    receiver.answer = (res) => void res.writeHead(204).end();
    await rig.pass(process, 120_000, 10_000);
    const { body } = receiver.received[0] ?? expect.fail();
    const names = body.groups[0].alerts.map(({ name }: { name: string }) => name);
    expect(names.slice(0, 3)).toEqual(['late', 'lock-1001', 'lock-1000']);
  });

  it('are sent once even if two processes do this work for a moment', async () => {
    const processes = [rig.process([webhook(receiver.url)]), rig.process([webhook(receiver.url)])];
    for (const name of ['a', 'b', 'c']) rig.store(name, STUCK);
    for (let i = 0; i < 60; i += 1) {
      rig.now += 1_000;
      // What another process has written already makes one begin again at what is stored.
      await Promise.all(processes.map((each) => each.round().catch(() => undefined)));
    }
    expect(receiver.received).toHaveLength(1);
    expect(receiver.last?.body).toMatchObject({ firing: 3, began: 3 });
    expect(await new AlertTable(database).firingSubjects()).toHaveLength(3);
  });

  it('stay as they are while a backend is silent, which is an alert of its own', async () => {
    const process = rig.process([webhook(receiver.url)]);
    rig.store('far', { ...STUCK, namespace: 'away' });
    await rig.pass(process, 40_000);
    rig.silent.add('other');
    await rig.pass(process, 120_000);
    const firing = await new AlertTable(database).firing(10, rig.now);
    expect(firing.map(({ kind }) => kind)).toEqual(['backendUnknown', 'stuck']);
    expect(receiver.last?.body.groups[0].alerts[0]).toMatchObject({
      kind: 'backendUnknown',
      namespace: 'away',
      name: null,
      url: `${ORIGIN}/backends`,
    });
  });

  it('of an expired lease fire once history is read past its end: it may be renewed', async () => {
    const process = rig.process([]);
    rig.store('index', { heldMs: 1_000, leaseLeftMs: 2_000 });
    const { now } = rig;
    for (let i = 0; i < 20; i++) {
      rig.table.reads.note('default', now + i);
      await rig.pass(process, 1_000);
    }
    expect(await new AlertTable(database).firing(10, rig.now)).toEqual([]);
    rig.table.reads.note('default', now + 2_000);
    await rig.pass(process, 1_000);
    expect(await new AlertTable(database).firing(10, rig.now)).toMatchObject([{ kind: 'expired' }]);
  });

  it('of an expired lease count from the end of the lock delay', async () => {
    const process = rig.process([]);
    const follow = async (seconds: number) => {
      for (let i = 0; i < seconds; i++) {
        rig.table.reads.note('default', rig.now);
        await rig.pass(process, 1_000);
      }
      return new AlertTable(database).firing(10, rig.now);
    };
    await follow(10);
    rig.store('index', { heldMs: 30_000, leaseLeftMs: -1, waiters: 1, delayLeftMs: 20_000 });
    expect(await follow(24)).toEqual([]);
    expect(await follow(4)).toMatchObject([{ kind: 'expired', since: rig.now - 8_000 }]);
  });

  it('ignore what was left while no server ran, until 5 s have passed', async () => {
    const process = rig.process([]);
    const firing = () => new AlertTable(database).firing(10, rig.now);
    const follow = async (seconds: number) => {
      for (let i = 0; i < seconds; i++) {
        rig.table.reads.note('default', rig.now);
        await rig.pass(process, 1_000);
      }
    };
    await follow(10);
    rig.now += 6 * 3_600_000;
    const long = { ...STUCK, heldMs: 7 * 3_600_000, waitedMs: 6 * 3_600_000 };
    rig.store('index', long);
    rig.store('other', long);
    rig.store('lapsed', { heldMs: 7 * 3_600_000, leaseLeftMs: -3_600_000 });
    await follow(2);
    rig.store('index', FINE);
    rig.store('lapsed', FINE);
    await follow(2);
    expect(await firing()).toEqual([]);
    await follow(2);
    expect(await firing()).toMatchObject([{ kind: 'stuck', name: 'other' }]);
  });

  it('under a silence are sent when it ends, if they still fire', async () => {
    const process = rig.process([webhook(receiver.url)]);
    await rig.silence({ name: 'in*' }, rig.now + 120_000);
    rig.store('index', STUCK);
    rig.store('other', STUCK);
    await rig.pass(process, 60_000);
    expect(receiver.received.map(({ body }) => body.firing)).toEqual([1]);
    await rig.pass(process, 90_000);
    expect(receiver.last?.body).toMatchObject({ began: 1, firing: 2 });
    expect(receiver.last?.body.groups[0].alerts).toMatchObject([{ name: 'index' }]);
  });

  it('that no receiver was sent when their silence began are kept back by it too', async () => {
    const process = rig.process([webhook(receiver.url)]);
    rig.store('other', STUCK);
    await rig.pass(process, 30_000);
    for (const name of ['index', 'inbox']) rig.store(name, { ...STUCK, waitedMs: 40_000 });
    await rig.pass(process, 5_000);
    expect(await new AlertTable(database).firing(10, rig.now)).toHaveLength(3);
    await rig.silence({ name: '*' }, rig.now + 120_000);
    rig.store('inbox', FINE);
    rig.store('other', FINE);
    await rig.pass(process, 110_000);
    expect(receiver.received.map(({ body }) => body.summary)).toEqual([
      'Stuck in default: 1 firing.',
      'Stuck in default: 1 resolved.',
    ]);
    expect(receiver.last?.body.groups[0].alerts).toMatchObject([{ name: 'other' }]);
    await rig.pass(process, 80_000);
    expect(receiver.received).toHaveLength(3);
    expect(receiver.last?.body).toMatchObject({ began: 1, resolved: 0, firing: 1 });
    expect(receiver.last?.body.groups[0].alerts).toMatchObject([{ name: 'index' }]);
  });

  it('are not sent twice if their silence begins while their message is made', async () => {
    let send: (() => unknown) | undefined;
    const ask: typeof database.raw.ask = async (sql, values) => {
      const answer = await database.raw.ask(sql, values);
      // All receivers are read only to learn which alerts were sent.
      if (/FROM alert_receivers\s*$/.test(sql) && send) {
        void send();
        send = undefined;
        for (let i = 0; i < 100; i += 1) await pause();
      }
      return answer;
    };
    const raw = { ...database.raw, ask };
    rig = new AlertRig(Object.assign(Object.create(database), { raw }));
    const process = rig.process([webhook(receiver.url)]);
    const [watch, sender] = process.alerting.jobs().filter(({ name }) => !name.startsWith('prune'));
    rig.store('index', { ...STUCK, waitedMs: 40_000 });
    await watch?.run();
    rig.now += 1_000;
    await watch?.run();
    expect(await new AlertTable(database).firing(10, rig.now)).toHaveLength(1);
    rig.now += 5_000;
    await rig.silence({ name: '*' }, rig.now + 60_000);
    send = () => sender?.run();
    await watch?.run();
    expect(send).toBeUndefined();
    await rig.pass(process, 180_000);
    expect(receiver.received.map(({ body }) => body.began)).toEqual([1]);
  });

  it('are sent once a silence has lasted as long as it should, however clocks move', async () => {
    const process = rig.process([webhook(receiver.url)]);
    await rig.silence({ name: 'in*' }, rig.now + 120_000);
    await rig.pass(process, 10_000);
    rig.setClock(-3_600_000);
    rig.store('index', STUCK);
    await rig.pass(process, 110_000);
    expect(receiver.received).toEqual([]);
    await rig.pass(process, 20_000);
    expect(receiver.last?.body).toMatchObject({ began: 1, firing: 1 });
  });

  it.each(['before', 'after'])(
    'are sent though a thousand others fire that were silenced %s that',
    async (when) => {
      await rig.setRules('default', { ...DEFAULT_ALERT_RULES, counterWithin: 5 });
      const process = rig.process([webhook(receiver.url)]);
      const silence = () => rig.silence({ name: 'seats *' }, rig.now + 600_000);
      if (when === 'before') await silence();
      for (let i = 0; i < 1_100; i += 1) rig.count(`seats ${i}`, 1, 1);
      await rig.pass(process, 5_000);
      const stored = new AlertTable(database);
      expect(await stored.firingSubjects()).toHaveLength(1_000);
      if (when === 'after') await silence();
      rig.count('stock', 1, 1);
      await rig.pass(process, 70_000);
      expect(receiver.last?.body.groups[0].alerts).toMatchObject([{ name: 'stock' }]);
      expect(await stored.firingSubjects()).toHaveLength(1_001);
    },
  );

  it('of hundreds of locks are written in few statements, each with its own facts', async () => {
    const statements: string[] = [];
    rig = new AlertRig(countingStatements(database, statements));
    const process = rig.process([webhook(receiver.url)]);
    const names = Array.from({ length: 250 }, (_, i) => `lock-${i}`);
    for (const name of names) rig.store(name, STUCK);
    await rig.pass(process, 60_000);
    const table = new AlertTable(database);
    expect((await table.firing(1_000, rig.now)).map(({ name }) => name).sort()).toEqual(
      [...names].sort(),
    );
    for (const name of names.slice(100)) rig.store(name, FINE);
    await rig.pass(process, 120_000);
    const resolved = await table.resolved(1_000, rig.now);
    expect(resolved.map(({ name }) => name).sort()).toEqual(names.slice(100).sort());
    expect(resolved.filter(({ announcedAt }) => announcedAt === null)).toEqual([]);
    expect(await table.firingSubjects()).toHaveLength(100);
    const written = statements.filter((sql) => sql.startsWith('INSERT INTO alerts'));
    expect(written.length).toBeLessThan(20);
    expect(statements.filter((sql) => sql.startsWith('UPDATE alerts'))).toEqual([]);
  });

  it('follow the rules of each namespace, also for counters', async () => {
    await rig.setRules('default', { ...DEFAULT_ALERT_RULES, stuckForMs: null, counterWithin: 5 });
    const process = rig.process([webhook(receiver.url)]);
    rig.store('index', STUCK);
    rig.count('stock', 6, 1);
    rig.count('plenty', 600, 1);
    await rig.pass(process, 60_000);
    expect(receiver.received).toEqual([]);
    rig.count('stock', 5, 2);
    await rig.pass(process, 5_000);
    expect(receiver.last?.body.groups[0].alerts).toMatchObject([
      { kind: 'counterNear', name: 'stock', url: `${ORIGIN}/counters/default/stock` },
    ]);
    // What cannot be read may still be near.
    rig.count('stock', null, 3);
    await rig.pass(process, 90_000);
    expect(await new AlertTable(database).firing(10, rig.now)).toMatchObject([{ name: 'stock' }]);
    rig.count('stock', 50, 4);
    await rig.pass(process, 90_000);
    expect(receiver.last?.body).toMatchObject({ firing: 0, resolved: 1 });
  });

  it('are dated by the clock of their backend, also for counters', async () => {
    await rig.setRules('default', { ...DEFAULT_ALERT_RULES, counterWithin: 5 });
    rig.clockOffsetMs = -3_600_000;
    rig.count('stock', 5, 1);
    const since = rig.now;
    await rig.pass(rig.process([webhook(receiver.url)]), 5_000);
    expect(await new AlertTable(database).firing(10, rig.now)).toMatchObject([
      { name: 'stock', since },
    ]);
  });

  it('reload the stored alerts, even if that is requested while they are read', async () => {
    rig.store('index', STUCK);
    const { alerting } = rig.process([webhook(receiver.url)]);
    await rig.pass(new AlertingProcess(alerting), 60_000);
    const [watch] = alerting.jobs();
    const running = watch?.run();
    alerting.restart();
    await running;
    await database.raw.ask('DELETE FROM alerts', []);
    rig.now += 1_000;
    await watch?.run();
    expect(await new AlertTable(database).firingSubjects()).toHaveLength(1);
  });
});

describe('a receiver', () => {
  const message = (url: string) => ({ url, headers: {}, body: '{}' });
  const post = (withinMs?: number) =>
    postMessage(message(receiver.url), new AbortController().signal, withinMs);

  it('that fails has not accepted the message', async () => {
    receiver.answer = (res) => void res.writeHead(500).end('no');
    expect(await post()).toEqual({ isAccepted: false, why: 'It answered with status 500.' });
    receiver.answer = (res) => void res.destroy();
    expect(await post()).toEqual({ isAccepted: false, why: 'It cannot be reached.' });
  });

  it('leaves nothing in memory until the server ends', async () => {
    const { signal } = new AbortController();
    for (let i = 0; i < 3; i += 1) await postMessage(message(receiver.url), signal);
    expect(storedBySignal(signal)).toBe(0);
  });

  it('that redirects is not followed', async () => {
    const other = await ReceiverUnderTest.start();
    try {
      for (const status of [301, 302, 307, 308]) {
        receiver.answer = (res) => void res.writeHead(status, { location: other.url }).end();
        expect(await post()).toMatchObject({ isAccepted: false });
      }
      expect(other.received).toEqual([]);
    } finally {
      other.close();
    }
  });

  it('that hangs is abandoned, at once if this process shuts down', async () => {
    receiver.answer = () => undefined;
    expect(await post(100)).toEqual({ isAccepted: false, why: 'It did not answer within 0.1 s.' });
    const ending = new AbortController();
    const sent = postMessage(message(receiver.url), ending.signal);
    ending.abort();
    expect(await sent).toEqual({ isAccepted: false, why: 'The attempt was ended.' });
  });

  it('that never ends its answer is read only up to the status', async () => {
    let isClosed = false;
    receiver.answer = (res) => {
      res.writeHead(200);
      const pour = () => {
        while (!res.destroyed && res.write('x'.repeat(65_536)));
      };
      res.on('drain', pour).on('close', () => {
        isClosed = true;
      });
      pour();
    };
    expect(await post()).toEqual({ isAccepted: true });
    await expect.poll(() => isClosed, { timeout: 30_000 }).toBe(true);
  });
});

const FLAPPING = process.env.TEST_LONG === '1' ? 10_000 : 1_500;

it(`${FLAPPING} locks that repeatedly get stuck cause at most one message a minute`, async () => {
  const database = await openTestDatabase('sqlite');
  try {
    const rig = new AlertRig(database);
    const runner = rig.process([webhook(receiver.url)]);
    const begin = rig.now;
    const minutes = 3;
    for (let half = 0; half < 2 * minutes; half += 1) {
      const isStuck = half % 2 === 0;
      for (let i = 0; i < FLAPPING; i += 1) rig.store(`lock ${i}`, isStuck ? STUCK : FINE);
      await rig.pass(runner, 40_000, 8_000);
    }
    const spanMs = rig.now - begin;
    expect(receiver.received.length).toBeGreaterThan(2);
    expect(receiver.received.length).toBeLessThanOrEqual(Math.ceil(spanMs / 60_000));
    const [first] = receiver.received;
    expect(first?.body).toMatchObject({ firing: 1_000, unlisted: 990 });
    expect(first?.text.length).toBeLessThan(20_000);
  } finally {
    await database.close();
  }
});
