import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Database } from '@/db/database';
import { openTestDatabase, TEST_DIALECTS } from '@/db/testing/test-database';
import { type Hold, unwrittenRecord } from '../../core/lock/lock-record';
import type { MonitoredBackend } from '../projection/monitored-backend';
import { ProjectionRow } from '../projection/projection-row';
import { EvidenceTable } from './evidence-table';
import { HolderEvidence, type Witness } from './holder-evidence';
import { UrlWitnesses } from './url-witnesses';

const HOST = {
  host: 'host-4',
  bootId: '12e93e48-dfe0-4750-ad11-60da4f9dcf82',
  pidNamespace: '4026531836',
};
const KERNEL = { kind: 'host', witness: 'host-4' } as const;
const PODS = { kind: 'url', witness: 'k8s' } as const;
const ALIVE = { state: 'alive', evidence: 'pid 7 is running' } as const;
const DEAD = { state: 'dead', evidence: 'pid 7 is gone' } as const;

const askAll = (urls: UrlWitnesses) => Promise.all(urls.jobs().map(({ run }) => run()));

const processMeta = (pid = '7') => ({ ...HOST, pid, pidStart: '881234' });

describe.each(TEST_DIALECTS)('evidence in %s', (dialect) => {
  let database: Database;
  let now: number;

  beforeEach(async () => {
    database = await openTestDatabase(dialect);
    now = 1_800_000_000_000;
  });
  afterEach(() => database.close());

  /**
   * What one server process knows.
   *
   * @param offsets by backend, or shard of one: its clock minus that of this process
   */
  function member(offsets: Record<string, number> = { default: 0 }) {
    const backends = Object.entries(offsets).map(([id, clockOffsetMs]) => ({
      id,
      engine: { health: () => ({ clockOffsetMs }) },
      ...(id.includes('.') && {
        shard: {
          backend: id.split('.')[0],
          owns: ({ name }: { name: string }) => id.endsWith(`.${name}`),
        },
      }),
    })) as unknown as MonitoredBackend[];
    const evidence = new HolderEvidence(database, backends, {
      now: () => now,
      monotonic: () => now,
    });
    const rows = new Map<string, ProjectionRow>();
    const news: string[] = [];
    evidence.onChange((row) => news.push(row));
    const hold = (
      name: string,
      meta: Record<string, string> | null,
      { token = 1, service = 'billing', backend = 'default' } = {},
    ) => {
      const before = rows.get(name) ?? null;
      const at = now + (offsets[backend] ?? 0);
      const after = rowOf(name, meta, { token, service, backend, now: at });
      rows.set(name, after);
      evidence.replaced(before, after);
      return after;
    };
    const stateOf = (name: string) => {
      const row = rows.get(name);
      const held = row?.record.holds[0];
      return row && held && evidence.verdictOn(row.id, held, now).state;
    };
    const report = async (
      observation: typeof ALIVE | typeof DEAD,
      { pid = '7', by = KERNEL }: { pid?: string; by?: Witness } = {},
    ) => {
      const holder = evidence.holders.ofProcess({ ...HOST, pid, pidStart: '881234' });
      await evidence.note(by, holder ? [[holder, observation]] : []);
    };
    return { evidence, news, hold, stateOf, report };
  }
  type Member = ReturnType<typeof member>;

  test('of a death, dated by a clock that is ahead, counts from now', async () => {
    const { evidence, hold } = member();
    const row = hold('a', processMeta());
    const [held] = row.record.holds;
    const holder = evidence.holders.ofProcess({ ...HOST, pid: '7', pidStart: '881234' });
    if (!held || !holder) return expect.fail();
    await evidence.note(PODS, [[holder, { ...DEAD, since: now + 3_600_000 }]]);
    expect(evidence.verdictOn(row.id, held, now)).toMatchObject({ state: 'dead', since: now });
  });

  test('of death is dated by the clock of the lock’s backend, however far it is off', async () => {
    const AHEAD = { default: 1_000, ahead: 600_000, behind: -600_000, 'some.b': 0, 'some.a': 9e5 };
    for (const backend of ['default', 'ahead', 'behind', 'some.a'] as const) {
      const { evidence, hold } = member(AHEAD);
      const row = hold('a', processMeta(), { backend });
      const [held] = row.record.holds;
      const holder = evidence.holders.ofProcess({ ...HOST, pid: '7', pidStart: '881234' });
      if (!held || !holder) return expect.fail();
      now += 60_000;
      const since = now + AHEAD.default - 30_000;
      await evidence.note(KERNEL, [[holder, { ...DEAD, since }]]);
      const diedAt = held.grantedAt + 30_000;
      const verdict = evidence.verdictOn(row.id, held, now + AHEAD[backend]);
      expect(verdict).toMatchObject({ state: 'dead', since: diedAt });
      // Held by another process of that name: the dead one was there before.
      expect(evidence.verdictOn(row.id, { ...held, grantedAt: diedAt + 1 }, diedAt).state).toBe(
        'unknown',
      );
      now += 10 * 60_000;
      hold('a', null, { backend });
      await evidence.prune();
    }
  });

  test('of a death reaches every Lockyard process, for the locks of the dead one', async () => {
    const [one, two] = [member(), member()];
    for (const each of [one, two]) {
      each.hold('a', processMeta());
      each.hold('b', processMeta());
      each.hold('c', processMeta('8'));
      await each.evidence.refresh();
    }
    await one.report(ALIVE);
    await one.report(DEAD);
    await two.evidence.refresh();
    expect(two.news.sort()).toEqual(['default/default/a', 'default/default/b']);
    expect([two.stateOf('a'), two.stateOf('b'), two.stateOf('c')]).toEqual([
      'dead',
      'dead',
      'unknown',
    ]);
    expect(two.evidence.hasDeaths).toBe(true);
  });

  test('of a death that arrives during a full read is kept', async () => {
    const { evidence, hold, stateOf, report } = member();
    hold('a', processMeta());
    const { read } = EvidenceTable.prototype;
    let isRead = false;
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const slowly = vi.spyOn(EvidenceTable.prototype, 'read').mockImplementation(async function (
      this: EvidenceTable,
      since,
    ) {
      const rows = await read.call(this, since);
      isRead = true;
      await arrived;
      return rows;
    });
    const reading = evidence.refresh();
    await expect.poll(() => isRead).toBe(true);
    await report(DEAD);
    arrive();
    await reading;
    slowly.mockRestore();
    expect(stateOf('a')).toBe('dead');
  });

  test('on hundreds of processes is read page by page; other work runs in between', async () => {
    const table = new EvidenceTable(database);
    const ids = Array.from({ length: 600 }, (_, i) => `holder-${i}`);
    const report = { ...KERNEL, ...ALIVE, firstAt: now, since: null, writtenAt: now };
    await table.write(
      ids.map((holder, i) => ({ ...report, holder, at: now + Math.floor(i / 400) })),
    );
    let [turns, isReading] = [0, true];
    const others = (async () => {
      for (; isReading; turns += 1) await setImmediate();
    })();
    const found = await table.read(now);
    isReading = false;
    await others;
    expect(found.map(({ holder }) => holder).sort()).toEqual(ids.sort());
    expect(turns).toBeGreaterThan(1);
    expect(await table.read(now + 1)).toHaveLength(200);
  });

  test('of a death is final, and of life is valid for 30 s', async () => {
    const [one, two] = [member(), member()];
    for (const each of [one, two]) {
      each.hold('a', processMeta());
      each.hold('b', processMeta('8'));
    }
    await one.report(ALIVE, { pid: '8' });
    await one.report(DEAD);
    await two.report(ALIVE);
    await two.evidence.refresh();
    expect(two.stateOf('a')).toBe('dead');
    now += 30_001;
    await two.evidence.refresh();
    expect([two.stateOf('a'), two.stateOf('b')]).toEqual(['dead', 'unknown']);
  });

  test('of a death is evaluated again when a witness disagrees or that expires', async () => {
    const members = [member(), member()];
    const [one, two] = members as [Member, Member];
    const looked = async () => {
      for (const { evidence, news } of members) {
        news.length = 0;
        await evidence.refresh();
      }
      return members.map(({ news, stateOf }) => [new Set(news).size, stateOf('a')]);
    };
    for (const each of members) each.hold('a', processMeta());
    await looked();
    await one.report(DEAD, { by: PODS });
    await looked();
    now += 1_000;
    await two.report(ALIVE);
    expect(await looked()).toEqual([
      [1, 'unknown'],
      [1, 'unknown'],
    ]);
    now += 30_001;
    expect(await looked()).toEqual([
      [1, 'dead'],
      [1, 'dead'],
    ]);
    for (let i = 0; i < 2; i += 1) {
      now += 5_000;
      await looked();
    }
    expect(await looked()).toEqual([
      [0, 'dead'],
      [0, 'dead'],
    ]);
  });

  test('is requested only for processes of that machine, until they are dead', async () => {
    const { evidence, hold, report } = member();
    const pids = (host = HOST) => evidence.questionsFor(host, KERNEL).map(({ pid }) => pid);
    hold('a', processMeta());
    hold('b', processMeta('8'));
    hold('c', { ...processMeta('9'), pidNamespace: '4026532178' });
    hold('d', { ...processMeta('10'), bootId: '0a393e48-dfe0-4750-ad11-60da4f9dcf82' });
    hold('e', { host: 'host-4', pid: '11' });
    expect(pids()).toEqual(['7', '8']);
    expect(pids({ ...HOST, host: 'host-5' })).toEqual([]);
    await report(DEAD);
    expect(pids()).toEqual(['8']);
    hold('b', null);
    expect(pids()).toEqual([]);
  });

  test('is requested for every service in turn, however many processes one names', async () => {
    const { evidence, hold, report } = member();
    hold('a', processMeta());
    await report(ALIVE);
    for (let pid = 1_000; pid < 3_000; pid += 1) {
      hold(`noisy ${pid}`, processMeta(String(pid)), { service: 'noisy' });
    }
    const pids = evidence.questionsFor(HOST, KERNEL).map(({ pid }) => pid);
    expect(pids).toHaveLength(1_000);
    expect(pids).toContain('7');
  });

  test('is requested for at most 10,000 processes of one service', async () => {
    const { evidence, hold } = member();
    for (let pid = 1; pid <= 10_001; pid += 1) hold(`lock ${pid}`, processMeta(String(pid)));
    const asked = new Set<string>();
    for (let round = 0; round < 11; round += 1) {
      now += 1_000;
      const holders = evidence.questionsFor(HOST, KERNEL).flatMap((process) => {
        asked.add(process.pid);
        return evidence.holders.ofProcess(process) ?? [];
      });
      await evidence.note(
        KERNEL,
        holders.map((holder) => [holder, ALIVE] as const),
      );
    }
    expect(asked.size).toBe(10_000);
  });

  test('is removed with the last lock of its process', async () => {
    const { evidence, hold, report } = member();
    const rowsLeft = async () => {
      const { db, tables } = database;
      return db.$count(tables.processEvidence);
    };
    hold('a', processMeta());
    await report(DEAD);
    now += 10 * 60_000;
    await evidence.prune();
    expect(await rowsLeft()).toBe(1);
    hold('a', null);
    await evidence.prune();
    expect([await rowsLeft(), evidence.hasDeaths]).toEqual([0, false]);
  });

  test('of a URL applies to the hold in question, not to the next pod of that name', async () => {
    const { evidence, hold, stateOf } = member();
    const asked: string[] = [];
    const witness = { id: 'k8s', template: 'http://k8s/{pod}', authorization: null };
    const urls = new UrlWitnesses([witness], evidence, async (url) => {
      asked.push(url);
      return { state: 'dead', evidence: 'deleted' };
    });
    hold('a', { pod: 'web-0' });
    hold('b', { pod: 'web-0' });
    hold('c', { task: 'no pod' });
    await askAll(urls);
    expect(asked).toEqual(['http://k8s/web-0']);
    expect([stateOf('a'), stateOf('b'), stateOf('c')]).toEqual(['dead', 'dead', 'unknown']);
    now += 1_000;
    hold('a', { pod: 'web-0' }, { token: 2 });
    expect(stateOf('a')).toBe('unknown');
  });

  test('of a URL is valid from its answer, however late another URL answers', async () => {
    const { evidence, hold, stateOf } = member();
    let answerLast = () => {};
    const last = new Promise<void>((resolve) => {
      answerLast = resolve;
    });
    const witness = { id: 'k8s', template: 'http://k8s/{pod}', authorization: null };
    const urls = new UrlWitnesses([witness], evidence, async (url) => {
      if (url === 'http://k8s/web-1') await last;
      return { state: 'dead', evidence: 'deleted' };
    });
    hold('a', { pod: 'web-0' });
    hold('b', { pod: 'web-1' });
    const asking = askAll(urls);
    await expect.poll(() => [stateOf('a'), stateOf('b')]).toEqual(['dead', 'unknown']);
    answerLast();
    await asking;
    expect(stateOf('b')).toBe('dead');
  });

  test('of a URL is requested for every service in turn, however many pods one names', async () => {
    const { evidence, hold } = member();
    const witness = { id: 'k8s', template: 'http://k8s/{pod}', authorization: null };
    const asked: string[] = [];
    const urls = new UrlWitnesses([witness], evidence, async (url) => {
      asked.push(url);
      return { state: 'alive', evidence: 'running' };
    });
    hold('a', { pod: 'web-0' });
    await askAll(urls);
    for (let i = 0; i < 1_000; i += 1) {
      hold(`noisy ${i}`, { pod: `noisy-${i}` }, { service: 'noisy' });
    }
    now += 10_000;
    await askAll(urls);
    expect(asked).toHaveLength(1 + 500);
    expect(asked.filter((url) => url === 'http://k8s/web-0')).toHaveLength(2);
  });
});

function rowOf(
  name: string,
  meta: Record<string, string> | null,
  {
    token,
    service,
    backend,
    now,
  }: Record<'service' | 'backend', string> & Record<'token' | 'now', number>,
) {
  const hold: Hold = {
    token,
    mode: 'exclusive',
    service,
    owner: 'one',
    count: 1,
    leaseMs: 3_600_000,
    grantedAt: now,
    renewedAt: now,
    renewals: 0,
    expiresAt: now + 3_600_000,
    waitedMs: 0,
    rev: 1,
    meta: meta ?? {},
    requests: [],
    requestsKeptUntil: 0,
    askedToRelease: null,
    renewalsStopped: null,
  };
  const record = { ...unwrittenRecord(now), holds: meta ? [hold] : [] };
  const keeper = { id: backend, publicId: backend.split('.')[0] ?? backend };
  return ProjectionRow.of(keeper, { namespace: 'default', name }, now, record);
}
