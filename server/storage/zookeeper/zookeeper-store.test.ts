import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LockEvent } from '../../core/lock/lock-event';
import { storedAnswerOf } from '../conformance/contract/contract-suite';
import {
  created,
  creation,
  eventOf,
  freshKey,
  readOne,
  stored,
  update,
} from '../conformance/testing/changes';
import { openZookeeperUnderTest } from '../conformance/testing/zookeeper-under-test';
import { StoreError } from '../record-store';
import { ZookeeperConnection } from './client/zookeeper-connection';
import { ZookeeperSession } from './client/zookeeper-session';
import { ZnodeCache } from './znode-cache';
import { LIMITS, ZookeeperLayout } from './zookeeper-layout';

/** Of stored answers. */
const BUCKETS = 256;

/** The answer is tested, not its speed: a busy ZooKeeper may be slow. */
const PATIENT = { answerMaxMs: 10_000 };
const SOON = { timeout: 25_000 };

let under: Awaited<ReturnType<typeof openZookeeperUnderTest>>;
afterEach(async () => {
  vi.restoreAllMocks();
  await under?.close();
});

const NAMES = [
  '',
  '.',
  '..',
  '/',
  'a/b',
  '../../zookeeper/quota',
  'zookeeper',
  'job',
  'JOB',
  'job ',
  'jo\u0301b',
  'j\u00f3b',
  '\u0000',
  '\u{1f512}\u{1f512}',
  '\uffff',
  'x'.repeat(200),
  '\u{1f512}'.repeat(50),
];

describe('records in a ZooKeeper', () => {
  it('are compared and listed byte by byte, whatever their names mean to ZooKeeper', async () => {
    under = await openZookeeperUnderTest(PATIENT);
    const { store } = under;
    const other = await under.another();
    const keys = NAMES.map((name) => ({ namespace: 'n'.repeat(64), name }));
    for (const [i, key] of keys.entries()) await created(store, key, { head: `head ${i}` });
    const { records } = await other.read(keys, []);
    expect(records.map(({ record }) => record?.head)).toEqual(keys.map((_, i) => `head ${i}`));
    const page = await other.scan({ namespace: 'n'.repeat(64), after: null }, 100);
    const inOrder = [...NAMES].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(page.records.map(({ key }) => key.name)).toEqual(inOrder);
  });

  it('that were recreated are not overwritten by a process that has the old ones', async () => {
    under = await openZookeeperUnderTest(PATIENT);
    const { store } = under;
    const other = await under.another();
    const key = freshKey();
    const old = await created(store, key);
    expect(await other.deleteRecords([{ key, ...old }])).toEqual([true]);
    const recreated = await created(other, key, { head: 'recreated' });
    const swapped = await store.swap([update(key, old, { head: 'over' })]);
    expect(swapped).toMatchObject([{ applied: false, current: recreated }]);
    expect((await stored(other, key)).head).toBe('recreated');
  });

  it('that are deleted and created again while they are read are not overwritten', async () => {
    under = await openZookeeperUnderTest(PATIENT);
    const { store } = under;
    const other = await under.another();
    const [key, spare] = [freshKey(), freshKey()];
    const old = await created(other, key);
    const unused = await created(store, spare);
    const recreated = creation(key, { head: 'recreated' });
    const { read } = ZnodeCache.prototype;
    vi.spyOn(ZnodeCache.prototype, 'read').mockImplementationOnce(async function (
      this: ZnodeCache,
      ...asked
    ) {
      const seen = await read.apply(this, asked);
      await other.deleteRecords([{ key, ...old }]);
      await other.swap([recreated]);
      await store.deleteRecords([{ key: spare, ...unused }]);
      return seen;
    });
    const swapped = await store.swap([update(key, old, { head: 'over' })]);
    expect(swapped).toMatchObject([{ applied: false, current: { writer: recreated.writer } }]);
    expect((await stored(other, key)).head).toBe('recreated');
  });

  it('are recreated before their version numbers run out, and continue', async () => {
    under = await openZookeeperUnderTest({
      ...PATIENT,
      limits: { ...LIMITS, lastVersion: 3, inlineQueueChars: 6 },
    });
    const stores = [under.store, await under.another()] as const;
    const key = freshKey();
    let [seen, lastQueue] = [await created(stores[0], key), ''];
    for (let rev = 2; rev <= 30; rev += 1) {
      // Short queues, long ones, and some that stay unchanged.
      const queue = rev % 3 === 0 ? null : 'q'.repeat(rev % 9);
      const [change, rival] = [update(key, seen, { queue }), update(key, seen, { queue })];
      lastQueue = queue ?? lastQueue;
      const [[own], [theirs]] = await Promise.all([
        stores[0].swap([change]),
        stores[1].swap([rival]),
      ]);
      expect([own?.applied, theirs?.applied].filter(Boolean)).toHaveLength(1);
      seen = { rev, writer: own?.applied ? change.writer : rival.writer };
      expect(await stored(stores[0], key)).toMatchObject({ ...seen, queue: lastQueue });
    }
  });

  it('that were recreated are never reported unwritten, if the connection then fails', async () => {
    under = await openZookeeperUnderTest({ ...PATIENT, limits: { ...LIMITS, lastVersion: 0 } });
    const { store } = under;
    const key = freshKey();
    const change = update(key, await created(store, key), { head: 'recreated' });
    vi.spyOn(ZookeeperSession.prototype, 'refreshGeneration').mockRejectedValueOnce(away());
    await expect(store.swap([change])).rejects.toMatchObject({ applied: 'unknown' });
    expect((await stored(store, key)).head).toBe('recreated');
  });
});

const away = () => new StoreError('ZooKeeper cannot be reached.', 'no');

describe('a record in a ZooKeeper that was overwritten by hand', () => {
  it.each([
    ['with a text', 'held by me'],
    ['with nothing', ''],
    ['with JSON', '{"holder":"me"}'],
    ['with half a record', '[0,0,30,false]\n[1,"w'],
  ])('%s is unreadable, and affects no other', async (_, data) => {
    under = await openZookeeperUnderTest(PATIENT);
    const { store } = under;
    const [bad, good] = [freshKey('edited'), freshKey('edited')];
    const [before, seen] = [await created(store, bad), await created(store, good)];
    await under.overwrite((await under.znodeOf(bad)).path, data);

    const { records } = await store.read([bad, good], []);
    const unreadable = { rev: Number.NaN, writer: '', head: data, queue: '' };
    expect(records).toMatchObject([{ record: unreadable }, { record: { rev: 1 } }]);
    const page = await store.scan({ namespace: 'edited', after: null }, 10);
    expect(page.records).toHaveLength(2);
    const swapped = await store.swap([update(bad, before), update(good, seen)]);
    expect(swapped).toMatchObject([{ applied: false }, { applied: true }]);
  });
});

describe('a deletion in a ZooKeeper', () => {
  it('that was applied is never reported as not applied if its connection fails', async () => {
    under = await openZookeeperUnderTest(PATIENT);
    const { store } = under;
    const key = freshKey();
    const seen = await created(store, key);
    vi.spyOn(ZookeeperSession.prototype, 'refreshGeneration').mockRejectedValueOnce(away());
    await expect(store.deleteRecords([{ key, ...seen }])).rejects.toMatchObject({
      applied: 'unknown',
    });
    expect((await readOne(store, key)).record).toBe(null);
    const other = freshKey();
    const next = await created(store, other);
    expect(await store.deleteRecords([{ key: other, ...next }])).toEqual([true]);
  });

  it('that was applied in part is unknown if the rest of it fails', async () => {
    under = await openZookeeperUnderTest(PATIENT);
    const { store } = under;
    const keys = Array.from({ length: 201 }, () => freshKey());
    const changes = keys.map((key) => creation(key));
    for (let i = 0; i < keys.length; i += 50) await store.swap(changes.slice(i, i + 50));
    const { write } = ZookeeperSession.prototype;
    const spy = vi.spyOn(ZookeeperSession.prototype, 'write');
    spy.mockImplementation(function (this: ZookeeperSession, ...what) {
      return spy.mock.calls.length === 1 ? write.apply(this, what) : Promise.reject(away());
    });
    const deletion = store.deleteRecords(
      changes.map(({ key, rev, writer }) => ({ key, rev, writer })),
    );
    await expect(deletion).rejects.toMatchObject({ applied: 'unknown' });
    vi.restoreAllMocks();
    const { records } = await store.read(keys, []);
    expect(records.filter(({ record }) => record !== null)).toHaveLength(1);
  });

  it('costs only what it deletes, however many answers are stored', async () => {
    under = await openZookeeperUnderTest(PATIENT);
    const { store } = under;
    const [key, other] = [freshKey(), freshKey()];
    const storedAnswers = Array.from({ length: 300 }, () => storedAnswerOf('kept'));
    const seen = await created(store, key, { storedAnswers });
    const ask = vi.spyOn(ZookeeperConnection.prototype, 'ask');
    expect(await store.deleteRecords([{ key, ...seen }])).toEqual([true]);
    expect(ask.mock.calls.length).toBeLessThan(10);

    const asked = async () => {
      ask.mockClear();
      await store.deleteExpiredAnswers();
      return ask.mock.calls.length;
    };
    expect(await asked()).toBeGreaterThan(BUCKETS + storedAnswers.length);
    // From then on it is known which answers are stored, and how long each is kept.
    expect(await asked()).toBeLessThan(BUCKETS + 10);
    const expired = storedAnswerOf('expired', 1);
    await created(store, other, { storedAnswers: [expired] });
    expect(await asked()).toBeLessThan(BUCKETS + 20);
    const { storedAnswers: left } = await store.read(
      [],
      [...storedAnswers, expired].map((one) => one.key),
    );
    expect(left).toHaveLength(storedAnswers.length);
  });
});

describe('the history in a ZooKeeper', () => {
  it('continues from one parent to the next: every row once, with rising ids', async () => {
    under = await openZookeeperUnderTest({ ...PATIENT, limits: { ...LIMITS, rowsPerChunk: 5 } });
    const stores = [under.store, await under.another()];
    const written = await Promise.all(
      stores.flatMap((store, s) =>
        Array.from({ length: 5 }, async (_, c) => {
          const names: string[] = [];
          for (let i = 0; i < 10; i += 1) {
            const key = freshKey();
            await created(store, key, { events: [eventOf(1, `w${s}-${c}`)] });
            names.push(key.name);
          }
          return names;
        }),
      ),
    );
    const [reader] = stores;
    if (!reader) throw new Error('There is no store.');
    const [ids, names]: [number[], string[]] = [[], []];
    for (;;) {
      const rows = await reader.historyAfter(ids.at(-1) ?? 0, 7);
      if (rows.length === 0) break;
      ids.push(...rows.map(({ id }) => id));
      names.push(...rows.flatMap(({ changes }) => changes.map(({ key }) => key.name)));
    }
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    expect(names.sort()).toEqual(written.flat().sort());
    const end = await reader.historyEnd();
    expect(end).toBeGreaterThanOrEqual(ids.at(-1) ?? 0);
    expect(end).toBeGreaterThan(2 ** 31);
    let pruned = 0;
    for (;;) {
      const some = await reader.pruneHistory(end, 9e12);
      if (some === 0) break;
      pruned += some;
    }
    expect(pruned).toBe(ids.length);
    expect(await reader.historyAfter(0, 10)).toEqual([]);
    expect(await reader.historyEnd()).toBeGreaterThanOrEqual(ids.at(-1) ?? 0);
  });

  it('is the same for the process that wrote it as for others, whenever they read it', async () => {
    under = await openZookeeperUnderTest(PATIENT);
    const { store } = under;
    const other = await under.another();
    const [lock, counter] = [freshKey(), { ...freshKey(), kind: 'counter' as const }];
    const granted: LockEvent = { ...eventOf(1), kind: 'granted', waitedMs: 0, meta: {} };
    const steps = [2, 5].map((value, i) => {
      const step = { kind: 'added', at: 5, rev: i + 1, service: 's', delta: i + 2 } as const;
      return { ...step, value };
    });
    await store.swap([
      creation(lock, {
        rev: 2,
        events: [granted, { ...eventOf(2), waitedMs: 7, meta: { a: 'b' } }],
      }),
      creation(counter, { rev: 2, events: steps }),
      creation(freshKey()),
    ]);
    const own = await store.historyAfter(0, 10);
    expect(own.flatMap(({ changes }) => changes.map(({ key }) => key))).toEqual([lock, counter]);
    expect(own).toStrictEqual(await other.historyAfter(0, 10));
    expect(own).toStrictEqual(await store.historyAfter(0, 10));
  });

  it.each(['by a text', '', '[["w"]]\nno changes', '7\n[]'])(
    'that was overwritten by hand is unreadable there, and nowhere else: "%s"',
    async (data) => {
      under = await openZookeeperUnderTest(PATIENT);
      const [bad, good] = [freshKey(), freshKey()];
      for (const key of [bad, good]) await created(under.store, key, { events: [eventOf(1)] });
      await under.overwrite(new ZookeeperLayout(under.root).historyNode(0, 0), data);
      const rows = await (await under.another()).historyAfter(0, 10);
      expect(rows).toMatchObject([
        { changes: [], isUnreadable: true },
        { changes: [{ key: good }] },
      ]);
    },
  );
});

describe('a connection to ZooKeeper', () => {
  it('that breaks fails a write under way, and is reopened with its clock remeasured', async () => {
    under = await openZookeeperUnderTest(PATIENT);
    const { store } = under;
    const key = freshKey();
    const seen = await created(store, key);
    const release = await under.stallRow(key);
    const swapped = store.swap([update(key, seen)]);
    swapped.catch(() => undefined);
    await expect.poll(under.heldPackets).toBeGreaterThan(0);
    under.cut();
    await expect(swapped).rejects.toMatchObject({ applied: 'unknown' });
    await release();
    const again = () => readOne(store, key).catch(() => null);
    await expect.poll(again, SOON).not.toBe(null);
    const { record, now } = await readOne(store, key);
    expect(record?.rev).toBe(1);
    const [after] = await store.swap([creation(freshKey())]);
    expect(after?.now).toBeGreaterThanOrEqual(now);
  });

  it('that stops responding delays every call by at most 1.5 s', async () => {
    under = await openZookeeperUnderTest();
    const { store } = under;
    const key = freshKey();
    const seen = await created(store, key);
    const release = under.holdAll();
    const startedAt = performance.now();
    const outcomes = await Promise.all([
      store.swap([update(key, seen)]).catch((error) => error.applied),
      store.read([key], []).catch((error) => error.applied),
    ]);
    const tookMs = performance.now() - startedAt;
    const never = await store.swap([creation(freshKey())]).catch((error) => error.applied);
    release();
    expect(outcomes).toEqual(['unknown', 'no']);
    expect(tookMs).toBeLessThan(5_000);
    expect(never).toBe('no');
    await expect.poll(() => readOne(store, key).catch(() => null), SOON).not.toBe(null);
  });
});
