import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockName } from '../domain/inputs';
import type { RecordKey } from './record-store';
import { created, eventOf, freshKey, readOne, stored, swapOne, update } from './testing/changes';
import {
  type Store,
  type StoreUnderTest,
  storeNames,
  storesUnderTest,
} from './testing/stores-under-test';

const NAMES = [
  'job',
  'JOB',
  'Job',
  'job ',
  ' job',
  'job\t',
  'jób',
  'jo\u0301b',
  'jôb',
  'ＪＯＢ',
  'straße',
  'strasse',
  'ı',
  'i',
  '\u{1f512}',
  '\u{1f513}',
  '\uffff',
  '\u{10000}',
  '\u{10ffff}',
  '\ue000',
  "o'brien",
  "o''brien",
  '"job"',
  '`job`',
  'job\\',
  'job\\\\',
  "\\'",
  'job%',
  'job_',
  'job\n',
  'job\r\n',
  '\u0001',
  '\u001a',
  '\u2028',
  '\u00a0',
  'job\u200b',
  '\u202ejob',
  '?',
  '??',
  ':name',
  'a/b',
  '/',
  '//',
  '/a',
  '..',
  '{a}',
  'a;DROP TABLE locks',
  "'; --",
  '/* */',
  'null',
  '0',
  '1e3',
  'x'.repeat(200),
  'X'.repeat(200),
  '\u{1f512}'.repeat(50),
];

describe.each(storeNames)('names in %s', (name) => {
  let under: StoreUnderTest;
  let store: Store;

  beforeAll(async () => {
    under = await storesUnderTest[name].open();
    store = under.store;
  });
  afterAll(() => under.close());

  const keysIn = (namespace: string): RecordKey[] =>
    NAMES.map((each) => ({ namespace, name: each }));

  it('are legal, every one that is put to the test', () => {
    for (const each of NAMES) expect(lockName.safeParse(each).success, each).toBe(true);
    expect(new Set(NAMES).size).toBe(NAMES.length);
  });

  it('are compared byte by byte: each is a record of its own', async () => {
    const keys = keysIn('exact');
    for (const [i, key] of keys.entries()) await created(store, key, { head: `head ${i}` });
    const { records } = await store.read(keys, []);
    expect(records.map(({ record }) => record?.head)).toEqual(keys.map((_, i) => `head ${i}`));
    expect(records.map(({ key }) => key)).toEqual(keys);
  });

  it('come back as they were, from a scan and from the history', async () => {
    const keys = keysIn('back');
    for (const key of keys) {
      const event = { kind: 'queued', at: 1, rev: 1, service: 's', owner: key.name } as const;
      await created(store, key, { events: [event] });
    }
    const inBytes = [...keys].sort((a, b) =>
      Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)),
    );
    const page = await store.scan({ namespace: 'back', after: null }, 1_000);
    expect(page.records.map(({ key }) => key)).toEqual(inBytes);

    const rows = await store.historyAfter(0, 1_000);
    const told = rows.flatMap(({ changes }) =>
      changes.map(({ key, events: [event] }) => [key, event && 'owner' in event && event.owner]),
    );
    expect(told).toEqual(keys.map((key) => [key, key.name]));
  });

  it('tell a lock from a counter of the same name, wherever they are told', async () => {
    const names = ['stock', '#stock', '/stock', 'a#b/c', '/', '#'];
    const keys = names.flatMap((name): RecordKey[] => [
      { namespace: 'kinds', name },
      { namespace: 'kinds', name, kind: 'counter' },
    ]);
    for (const [i, key] of keys.entries()) {
      await created(store, key, { head: `head ${i}`, events: [eventOf(1, `${i}`)] });
    }
    const { records } = await store.read(keys, []);
    expect(records.map(({ key, record }) => [key, record?.head])).toEqual(
      keys.map((key, i) => [key, `head ${i}`]),
    );
    const scanned = await store.scan({ namespace: null, after: null }, 10_000);
    const met = scanned.records.filter(({ key }) => key.namespace === 'kinds');
    expect(met.map(({ key }) => key)).toEqual(expect.arrayContaining(keys));
    expect(met).toHaveLength(keys.length);
    const locks = await store.scan({ namespace: 'kinds', after: null }, 10_000);
    expect(locks.records.every(({ key }) => key.kind === undefined)).toBe(true);
    const rows = await store.historyAfter(0, 10_000);
    const told = rows.flatMap(({ changes }) => changes.map(({ key }) => key));
    expect(told.filter(({ namespace }) => namespace === 'kinds')).toEqual(keys);
  });

  it('of one namespace never reach into another', async () => {
    const namespaces = ['team', 'team-a', 'team.a', 'team0', 'tea', 'teams', 'team_'];
    for (const namespace of namespaces) await created(store, { namespace, name: 'a/b' });
    for (const namespace of namespaces) {
      const page = await store.scan({ namespace, after: null }, 100);
      expect(page.records.map(({ key }) => key)).toEqual([{ namespace, name: 'a/b' }]);
    }
  });
});

describe.each(storeNames)('what is kept in %s', (name) => {
  let under: StoreUnderTest;
  let store: Store;

  beforeAll(async () => {
    under = await storesUnderTest[name].open();
    store = under.store;
  });
  afterAll(() => under.close());

  it('keeps the biggest rev and every text exactly', async () => {
    const key = freshKey();
    const seen = { rev: Number.MAX_SAFE_INTEGER - 1, writer: 'writer' };
    const text = `[${Number.MAX_SAFE_INTEGER},"it's \\\\ \\" \u{1f512} % _ \n \\u0000 jo\u0301b"]`;
    await created(store, key, { ...seen, head: text, queue: text });
    expect(await stored(store, key)).toEqual({ ...seen, head: text, queue: text });
    const change = update(key, seen);
    expect(change.rev).toBe(Number.MAX_SAFE_INTEGER);
    expect((await swapOne(store, change)).current?.rev).toBe(Number.MAX_SAFE_INTEGER);
    expect((await stored(store, key)).rev).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('keeps a queue of the greatest length', async () => {
    const key = freshKey();
    const queue = 'w'.repeat(2_000 * 160);
    await created(store, key, { queue });
    expect((await stored(store, key)).queue).toBe(queue);
  });

  it('leaves the queue alone where a change does not name one, and empties it where it says so', async () => {
    const key = freshKey();
    const first = await created(store, key, { queue: 'waiters' });
    const handOff = update(key, first, { head: 'next' });
    await swapOne(store, handOff);
    expect(await stored(store, key)).toMatchObject({ head: 'next', queue: 'waiters' });
    await swapOne(store, update(key, handOff, { head: 'last', queue: '' }));
    expect(await stored(store, key)).toMatchObject({ head: 'last', queue: '' });
  });

  it('forgets a record at the rev and writer named, and no other', async () => {
    const [gone, moved, foreign] = [freshKey(), freshKey(), freshKey()];
    const seen = await created(store, gone);
    const before = await created(store, moved);
    await swapOne(store, update(moved, before));
    const stays = await created(store, foreign);
    const forgotten = await store.forget([
      { key: gone, ...seen },
      { key: moved, ...before },
      { key: foreign, rev: stays.rev, writer: 'another' },
    ]);
    expect(forgotten).toBe(1);
    expect((await readOne(store, gone)).record).toBe(null);
    expect((await stored(store, moved)).rev).toBe(2);
    expect((await stored(store, foreign)).rev).toBe(1);
    expect((await swapOne(store, update(gone, seen))).took).toBe(false);
    expect((await readOne(store, gone)).record).toBe(null);
  });

  it('is scanned without a repeat and without a gap while others write', async () => {
    const keys = Array.from({ length: 500 }, () => freshKey('scanned'));
    const seen = await store.swap(
      keys.map((key, i) => ({ ...blank, key, writer: `w${i}`, rev: 1 })),
    );
    expect(seen.every(({ took }) => took)).toBe(true);
    let done = false;
    const writing = writeUntil(() => done, keys, store, await under.another());
    const found: string[] = [];
    for (
      let cursor: Awaited<ReturnType<Store['scan']>>['next'] = {
        namespace: 'scanned',
        after: null,
      };
      cursor;
    ) {
      const page = await store.scan(cursor, 7);
      expect(page.records.length).toBeLessThanOrEqual(7);
      found.push(...page.records.map(({ key }) => key.name));
      cursor = page.next;
    }
    done = true;
    await writing;
    expect(found.filter((each) => !each.startsWith('new-')).sort()).toEqual(
      keys.map((key) => key.name).sort(),
    );
    expect(new Set(found).size).toBe(found.length);
  });
});

const blank = {
  expect: null,
  clock: { past: 0, ahead: Number.POSITIVE_INFINITY },
  head: '',
  queue: '',
  events: [],
  memos: [],
  extensions: [],
};

/** Changes the records and adds new ones among them, one after another. */
async function writeUntil(
  isDone: () => boolean,
  keys: RecordKey[],
  ...stores: Store[]
): Promise<void> {
  await Promise.all(
    stores.map(async (store, part) => {
      for (let i = part; !isDone(); i += stores.length) {
        const key = keys[i % keys.length] as RecordKey;
        await swapOne(store, update(key, await stored(store, key)));
        await created(store, { namespace: 'scanned', name: `new-${i}` });
      }
    }),
  );
}
