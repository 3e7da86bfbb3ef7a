import { afterEach, describe, expect, it } from 'vitest';
import { created, creation, eventOf, freshKey, readOne, stored, update } from '../testing/changes';
import { openZookeeperUnderTest } from '../testing/zookeeper-under-test';
import { LIMITS } from './zookeeper-limits';

let under: Awaited<ReturnType<typeof openZookeeperUnderTest>>;
afterEach(() => under?.close());

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
  it('are told apart byte by byte, whatever their names mean to ZooKeeper, and listed in the order of their bytes', async () => {
    under = await openZookeeperUnderTest();
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

  it('that were forgotten and made anew are not written over by who remembers the old ones', async () => {
    under = await openZookeeperUnderTest();
    const { store } = under;
    const other = await under.another();
    const key = freshKey();
    const old = await created(store, key);
    expect(await other.forget([{ key, ...old }])).toEqual([true]);
    const anew = await created(other, key, { head: 'anew' });
    const swapped = await store.swap([update(key, old, { head: 'over' })]);
    expect(swapped).toMatchObject([{ took: false, current: anew }]);
    expect((await stored(other, key)).head).toBe('anew');
  });

  it('are made anew before the numbers of their versions end, and go on', async () => {
    under = await openZookeeperUnderTest({
      limits: { ...LIMITS, lastVersion: 3, charsOfQueue: 6 },
    });
    const stores = [under.store, await under.another()] as const;
    const key = freshKey();
    let [seen, stands] = [await created(stores[0], key), ''];
    for (let rev = 2; rev <= 30; rev += 1) {
      // Short ones, long ones, and such as stay as they are.
      const queue = rev % 3 === 0 ? null : 'q'.repeat(rev % 9);
      const [change, rival] = [update(key, seen, { queue }), update(key, seen, { queue })];
      stands = queue ?? stands;
      const [[own], [theirs]] = await Promise.all([
        stores[0].swap([change]),
        stores[1].swap([rival]),
      ]);
      expect([own?.took, theirs?.took].filter(Boolean)).toHaveLength(1);
      seen = { rev, writer: own?.took ? change.writer : rival.writer };
      expect(await stored(stores[0], key)).toMatchObject({ ...seen, queue: stands });
    }
  });
});

describe('the history in a ZooKeeper', () => {
  it('goes on from one parent to the next: every row once, ids that rise, and nothing left when it is pruned', async () => {
    under = await openZookeeperUnderTest({ limits: { ...LIMITS, rowsOfChunk: 5 } });
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
});

describe('a connection to ZooKeeper', () => {
  it('that breaks costs a write under way its answer, and is made again, its clock measured anew', async () => {
    under = await openZookeeperUnderTest();
    const { store } = under;
    const key = freshKey();
    const seen = await created(store, key);
    const release = await under.stallRow(key);
    const swapped = store.swap([update(key, seen)]);
    swapped.catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 50));
    under.cut();
    await expect(swapped).rejects.toMatchObject({ applied: 'unknown' });
    await release();
    const again = () => readOne(store, key).catch(() => null);
    await expect.poll(again, { timeout: 5_000 }).not.toBe(null);
    const { record, now } = await readOne(store, key);
    expect(record?.rev).toBe(1);
    const [after] = await store.swap([creation(freshKey())]);
    expect(after?.now).toBeGreaterThanOrEqual(now);
  });

  it('that falls silent costs every call at most 1.5 s: a write is unknown, a read is known to have done nothing', async () => {
    under = await openZookeeperUnderTest();
    const { store } = under;
    const key = freshKey();
    const seen = await created(store, key);
    const release = under.holdAll();
    const startedAt = performance.now();
    const told = await Promise.all([
      store.swap([update(key, seen)]).catch((error) => error.applied),
      store.read([key], []).catch((error) => error.applied),
    ]);
    const tookMs = performance.now() - startedAt;
    const never = await store.swap([creation(freshKey())]).catch((error) => error.applied);
    release();
    expect(told).toEqual(['unknown', 'no']);
    expect(tookMs).toBeLessThan(3_000);
    expect(never).toBe('no');
    await expect
      .poll(() => readOne(store, key).catch(() => null), { timeout: 5_000 })
      .not.toBe(null);
  });
});
