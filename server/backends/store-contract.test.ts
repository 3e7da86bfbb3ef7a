import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseBackendUrl } from '@/db/backend-url';
import type { Memo } from '../domain/decision';
import { newWriter } from '../engine/new-writer';
import {
  created,
  creation,
  eventOf,
  freshKey,
  readOne,
  stored,
  swapBesideAnother,
  swapOne,
  update,
} from './testing/changes';
import {
  type Store,
  type StoreUnderTest,
  storeNames,
  storesUnderTest,
} from './testing/stores-under-test';

const MINUTE = 60_000;

const memoOf = (answer: unknown, expiresAt: number): Memo => ({
  key: newWriter() + newWriter(),
  inputHash: newWriter() + newWriter(),
  answer,
  expiresAt,
});

/** A store may have a shorter way for a change that is alone: both are held to the same. */
const WAYS = [
  { how: 'alone', swap: swapOne },
  { how: 'beside another', swap: swapBesideAnother },
];

it('every scheme that a backend may have is put to the contract', () => {
  const complaint = String(parseBackendUrl('nothing:there', '/'));
  const [schemes = ''] = complaint.split(',');
  const known = [...schemes.matchAll(/([a-z]+):/g)].map(([, scheme]) => scheme);
  expect(known.length).toBeGreaterThan(1);
  expect([...storeNames].sort()).toEqual(known.sort());
});

describe.each(storeNames)('a store in %s', (name) => {
  let under: StoreUnderTest;
  let store: Store;
  let other: Store;

  beforeAll(async () => {
    under = await storesUnderTest[name].open();
    store = under.store;
    other = await under.another();
  });
  afterAll(() => under.close());

  /** The events kept of a record, flush by flush. */
  const historyOf = async (key: { name: string }) => {
    const rows = await store.historyAfter(0, 10_000);
    return rows.flatMap(({ changes }) => changes).filter((change) => change.key.name === key.name);
  };
  const memosOf = async (...keys: string[]) => (await store.read([], keys)).memos;
  const now = async () => (await readOne(store, freshKey())).now;

  describe.each(WAYS)('rule 1, of a change $how: a swap is won by rev and writer', ({ swap }) => {
    it('takes a change that expects the record as it is', async () => {
      const key = freshKey();
      const seen = await created(store, key, { head: 'one', queue: 'q' });
      const change = update(key, seen, { head: 'two' });
      expect(await swap(store, change)).toMatchObject({
        took: true,
        current: { rev: 2, writer: change.writer },
      });
      expect(await stored(other, key)).toEqual({
        rev: 2,
        writer: change.writer,
        head: 'two',
        queue: 'q',
      });
    });

    it('refuses a change that expects an older rev, and says what stands there', async () => {
      const key = freshKey();
      const first = await created(store, key);
      const second = update(key, first, { head: 'second' });
      await swap(store, second);
      const late = await swap(other, update(key, first, { head: 'late' }));
      expect(late).toMatchObject({ took: false, current: { rev: 2, writer: second.writer } });
      expect((await stored(store, key)).head).toBe('second');
    });

    it('refuses a change that expects the right rev of another writer', async () => {
      const key = freshKey();
      const seen = await created(store, key);
      const result = await swap(store, update(key, { rev: seen.rev, writer: newWriter() }));
      expect(result).toMatchObject({ took: false, current: seen });
    });

    it('tells writers apart that differ in case alone', async () => {
      const key = freshKey();
      await created(store, key, { writer: 'aBcDeFgHiJk' });
      const result = await swap(store, update(key, { rev: 1, writer: 'AbCdEfGhIjK' }));
      expect(result.took).toBe(false);
    });

    it('never creates a record by a change that expects one', async () => {
      const key = freshKey();
      const change = update(key, { rev: 7, writer: newWriter() }, { events: [eventOf(8)] });
      expect(await swap(store, change)).toMatchObject({ took: false, current: null });
      expect((await readOne(other, key)).record).toBe(null);
      expect(await historyOf(key)).toEqual([]);
    });

    it('never creates a record over one that is there', async () => {
      const key = freshKey();
      const seen = await created(store, key, { head: 'first' });
      const result = await swap(other, creation(key, { head: 'second', rev: 9 }));
      expect(result).toMatchObject({ took: false, current: seen });
      expect((await stored(store, key)).head).toBe('first');
    });

    it('judges each change of one swap on its own', async () => {
      const [right, wrong, fresh, absent] = [freshKey(), freshKey(), freshKey(), freshKey()];
      const seen = await created(store, right);
      await created(store, wrong, { head: 'kept' });
      const results = await store.swap([
        update(absent, { rev: 1, writer: newWriter() }),
        update(wrong, { rev: 1, writer: newWriter() }),
        creation(fresh),
        update(right, seen),
      ]);
      expect(results.map(({ took }) => took)).toEqual([false, false, true, true]);
      expect((await stored(store, wrong)).head).toBe('kept');
      expect((await readOne(store, absent)).record).toBe(null);
    });

    it('lets exactly one of two processes win that create at once', async () => {
      for (let round = 0; round < 50; round += 1) {
        const key = freshKey();
        const tries = [store, other].map((s, i) => swap(s, creation(key, { head: `${i}` })));
        const took = (await Promise.all(tries)).filter((result) => result.took);
        expect(took).toHaveLength(1);
      }
    });
  });

  describe.each(WAYS)('rule 2, of a change $how: time is part of the compare', ({ swap }) => {
    it('refuses a change whose `ahead` was reached', async () => {
      const key = freshKey();
      const seen = await created(store, key);
      const clock = { past: 0, ahead: await now() };
      expect((await swap(store, update(key, seen, { clock }))).took).toBe(false);
    });

    it('refuses a change whose `past` was not reached', async () => {
      const key = freshKey();
      const seen = await created(store, key);
      const clock = { past: (await now()) + MINUTE, ahead: Number.POSITIVE_INFINITY };
      expect((await swap(store, update(key, seen, { clock }))).took).toBe(false);
    });

    it('takes a change between the two', async () => {
      const key = freshKey();
      const seen = await created(store, key);
      const at = await now();
      const clock = { past: at, ahead: at + MINUTE };
      expect((await swap(store, update(key, seen, { clock }))).took).toBe(true);
    });

    it('revives nothing by a renewal that stalls past its deadline', async () => {
      const key = freshKey();
      const seen = await created(store, key, { head: 'lapsing' });
      const release = await under.stallRow(key);
      const clock = { past: 0, ahead: (await now()) + 400 };
      const renewal = swap(store, update(key, seen, { clock, head: 'revived' }));
      await new Promise((resolve) => setTimeout(resolve, 600));
      await release();
      expect(await renewal).toMatchObject({ took: false, current: seen });
      expect((await stored(other, key)).head).toBe('lapsing');
    });

    it('takes a change whose `past` is reached while it waits for the row', async () => {
      const key = freshKey();
      const seen = await created(store, key);
      const release = await under.stallRow(key);
      const clock = { past: (await now()) + 300, ahead: Number.POSITIVE_INFINITY };
      const change = swap(store, update(key, seen, { clock }));
      await new Promise((resolve) => setTimeout(resolve, 500));
      await release();
      expect((await change).took).toBe(true);
    });

    it('never runs its clock backwards', async () => {
      const key = freshKey();
      let seen = await created(store, key);
      let last = 0;
      for (let i = 0; i < 20; i += 1) {
        const read = await now();
        expect(read).toBeGreaterThanOrEqual(last);
        const change = update(key, seen);
        const swapped = await swapOne(store, change);
        expect(swapped.now).toBeGreaterThanOrEqual(read);
        last = swapped.now;
        seen = { rev: change.rev, writer: change.writer };
      }
    });
  });

  describe('rule 3: what is read is never older than what was answered before', () => {
    it('shows a swap to every process as soon as it was answered', async () => {
      const key = freshKey();
      let seen = await created(store, key);
      for (let i = 0; i < 100; i += 1) {
        const [writing, reading] = i % 2 === 0 ? [store, other] : [other, store];
        const change = update(key, seen);
        expect((await swapOne(writing, change)).took).toBe(true);
        expect((await stored(reading, key)).writer).toBe(change.writer);
        seen = { rev: change.rev, writer: change.writer };
      }
    });
  });

  describe('rule 4: history is written by the same step, for what took only', () => {
    it('keeps exactly the events of a change that took', async () => {
      const key = freshKey();
      const event = {
        ...eventOf(1, 'o\'brien \\ "%"\n\t\u{1f512} jo\u0301b'),
        waitedMs: 12,
        meta: { host: "a'b\\c", note: 'x\u0000y' },
      };
      await created(store, key, { events: [event, eventOf(1, 'second')] });
      expect(await historyOf(key)).toEqual([
        { key, rev: 1, events: [event, eventOf(1, 'second')] },
      ]);
    });

    it('keeps none of a change that lost, not even beside one that took', async () => {
      const [lost, took] = [freshKey(), freshKey()];
      await created(store, lost);
      await store.swap([
        update(lost, { rev: 1, writer: newWriter() }, { events: [eventOf(2)] }),
        creation(took, { events: [eventOf(1)] }),
      ]);
      expect(await historyOf(lost)).toEqual([]);
      expect(await historyOf(took)).toHaveLength(1);
    });

    it('keeps none of a change that lost against the clock', async () => {
      const key = freshKey();
      const seen = await created(store, key);
      const clock = { past: 0, ahead: 1 };
      await swapOne(store, update(key, seen, { clock, events: [eventOf(2)] }));
      expect(await historyOf(key)).toEqual([]);
    });

    it('hands out ids that rise, and says where they end', async () => {
      const key = freshKey();
      const before = await store.historyEnd();
      await created(store, key, { events: [eventOf(1)] });
      const end = await store.historyEnd();
      expect(end).toBeGreaterThan(before);
      const [row] = await store.historyOf([end, end + 1_000]);
      expect(row).toMatchObject({ id: end, changes: [{ key }] });
      expect(await store.historyAfter(end, 10)).toEqual([]);
      expect(await store.historyOf([])).toEqual([]);
    });
  });

  describe('rule 5: request ids live beside the record', () => {
    it('keeps the answers of a change that took, with it', async () => {
      const key = freshKey();
      const memo = memoOf(
        { token: 2 ** 53 - 1, note: "it's \\ \u{1f512}\n" },
        (await now()) + MINUTE,
      );
      await created(store, key, { memos: [memo] });
      expect(await memosOf(memo.key)).toEqual([memo]);
      const { memos } = await other.read([key], [memo.key, newWriter() + newWriter()]);
      expect(memos).toEqual([memo]);
    });

    it('keeps none of a change that lost, not even beside one that took', async () => {
      const [lost, took] = [freshKey(), freshKey()];
      await created(store, lost);
      const [lostMemo, tookMemo] = [memoOf(1, 9e12), memoOf(2, 9e12)];
      await store.swap([
        update(lost, { rev: 1, writer: newWriter() }, { memos: [lostMemo] }),
        creation(took, { memos: [tookMemo] }),
      ]);
      expect(await memosOf(lostMemo.key, tookMemo.key)).toEqual([tookMemo]);
    });

    it('replaces an answer by a later one', async () => {
      const key = freshKey();
      const memo = memoOf('first', 9e12);
      const seen = await created(store, key, { memos: [memo] });
      const second = { ...memo, answer: 'second', expiresAt: 9e12 + 1 };
      await swapOne(store, update(key, seen, { memos: [second] }));
      expect(await memosOf(memo.key)).toEqual([second]);
    });

    it('moves the expiry of answers with a change that took, and only then', async () => {
      const key = freshKey();
      const [first, second] = [memoOf(1, 9e12), memoOf(2, 9e12)];
      const seen = await created(store, key, { memos: [first, second] });
      const extensions = [{ keys: [first.key, second.key], expiresAt: 9e12 + 5 }];
      await swapOne(store, update(key, { rev: 1, writer: newWriter() }, { extensions }));
      expect((await memosOf(first.key))[0]?.expiresAt).toBe(9e12);
      await swapOne(store, update(key, seen, { extensions }));
      const kept = await memosOf(first.key, second.key);
      expect(kept.map(({ expiresAt }) => expiresAt)).toEqual([9e12 + 5, 9e12 + 5]);
    });

    it('never shortens the life of an answer that another record keeps alive too', async () => {
      const memo = memoOf(1, 9e12 + 5);
      await created(store, freshKey(), { memos: [memo] });
      await created(store, freshKey(), { extensions: [{ keys: [memo.key], expiresAt: 9e12 }] });
      expect((await memosOf(memo.key))[0]?.expiresAt).toBe(9e12 + 5);
    });

    it('removes answers that lapsed, and no others', async () => {
      const at = await now();
      const [lapsed, live] = [memoOf(1, at - 1), memoOf(2, at + MINUTE)];
      await created(store, freshKey(), { memos: [lapsed, live] });
      await store.forget([]);
      expect(await memosOf(lapsed.key, live.key)).toEqual([live]);
    });
  });

  describe('changes that belong together', () => {
    /** Two records that are there and one that is not, and what would change all three. */
    const three = async () => {
      const keys = [freshKey(), freshKey(), freshKey()] as const;
      const [a, b, c] = keys;
      const seen = [await created(store, a), await created(store, b)] as const;
      const memo = memoOf('kept', 9e12);
      const changes = {
        a: update(a, seen[0], { head: 'new', events: [eventOf(2)], memos: [memo] }),
        b: update(b, seen[1], { head: 'new', events: [eventOf(2)] }),
        c: creation(c, { head: 'new', events: [eventOf(1)] }),
      };
      const nothingRemains = async () => {
        const { records, memos } = await other.read([...keys], [memo.key]);
        expect(records.map(({ record }) => record?.head ?? null)).toEqual(['head', 'head', null]);
        expect(memos).toEqual([]);
        for (const key of keys) expect(await historyOf(key)).toEqual([]);
      };
      return { keys, seen, memo, changes, nothingRemains };
    };

    it('take all, with their history and answers', async () => {
      const { keys, memo, changes } = await three();
      const { a, b, c } = changes;
      const results = await store.swapAll([a, c, b]);
      expect(results.map(({ took, current }) => [took, current])).toEqual(
        [a, c, b].map(({ rev, writer }) => [true, { rev, writer }]),
      );
      const { records, memos } = await other.read([...keys], [memo.key]);
      expect(records.map(({ record }) => record?.head)).toEqual(['new', 'new', 'new']);
      expect(memos).toEqual([memo]);
      for (const key of keys) expect(await historyOf(key)).toHaveLength(1);
    });

    it.each([
      'another writer',
      'an older rev',
      'a deadline that was reached',
      'a deadline to come',
    ])('leave nothing of themselves where one of them expects %s', async (what) => {
      const { seen, changes, nothingRemains } = await three();
      const { a, b, c } = changes;
      const at = await now();
      const [, standing] = seen;
      const wrong = {
        'another writer': { expect: { rev: 1, writer: newWriter() } },
        'an older rev': { expect: { rev: 0, writer: standing.writer } },
        'a deadline that was reached': { clock: { past: 0, ahead: at } },
        'a deadline to come': { clock: { past: at + MINUTE, ahead: Number.POSITIVE_INFINITY } },
      }[what];
      const results = await store.swapAll([a, { ...b, ...wrong }, c]);
      expect(results.map(({ took }) => took)).toEqual([false, false, false]);
      expect(results[1]?.current).toMatchObject(standing);
      expect(results[2]?.current).toBe(null);
      await nothingRemains();
    });

    it('leave nothing of themselves, not even a ghost, where a record that one expects is missing', async () => {
      const { changes, nothingRemains } = await three();
      const { a, b, c } = changes;
      const missing = update(freshKey(), { rev: 3, writer: newWriter() }, { events: [eventOf(4)] });
      const results = await store.swapAll([missing, a, b, c]);
      expect(results.map(({ took }) => took)).toEqual([false, false, false, false]);
      expect(results[0]?.current).toBe(null);
      await nothingRemains();
      expect((await readOne(other, missing.key)).record).toBe(null);
    });

    it('leave nothing of themselves where a record that one would create is there', async () => {
      const { changes, nothingRemains } = await three();
      const { a, b, c } = changes;
      const key = freshKey();
      const standing = await created(store, key);
      const results = await store.swapAll([a, creation(key, { head: 'over' }), b, c]);
      expect(results.map(({ took }) => took)).toEqual([false, false, false, false]);
      expect(results[1]?.current).toMatchObject(standing);
      await nothingRemains();
      expect((await stored(other, key)).head).toBe('head');
    });

    it('wait for a row that somebody else holds, and lose nothing but the time', async () => {
      const { keys, changes } = await three();
      const release = await under.stallRow(keys[1]);
      const swapped = store.swapAll(Object.values(changes));
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect((await stored(other, keys[0])).head).toBe('head');
      await release();
      expect((await swapped).map(({ took }) => took)).toEqual([true, true, true]);
    });

    it('are found out by swapping again where a reply was lost', async () => {
      const { changes } = await three();
      const first = Object.values(changes);
      await store.swapAll(first);
      const again = await store.swapAll(
        first.map((change) => ({ ...change, writer: newWriter() })),
      );
      expect(again.map(({ took }) => took)).toEqual([false, false, false]);
      expect(again.map(({ current }) => current?.writer)).toEqual(
        first.map(({ writer }) => writer),
      );
    });
  });

  describe('rule 7: a lost reply is found out by swapping again', () => {
    it('finds its own writer where the first swap had landed', async () => {
      const key = freshKey();
      const seen = await created(store, key);
      const first = update(key, seen, { events: [eventOf(2)] });
      await swapOne(store, first);
      const again = await swapOne(store, { ...first, writer: newWriter() });
      expect(again).toMatchObject({ took: false, current: { rev: 2, writer: first.writer } });
      expect(await historyOf(key)).toHaveLength(1);
    });

    it('wins where the first has not landed, and keeps it from landing ever after', async () => {
      const key = freshKey();
      const seen = await created(store, key);
      const first = update(key, seen, { head: 'first', events: [eventOf(2)] });
      const again = update(key, seen, { head: 'again', events: [eventOf(2)] });
      expect((await swapOne(other, again)).took).toBe(true);
      expect((await swapOne(store, first)).took).toBe(false);
      expect((await stored(store, key)).head).toBe('again');
      expect(await historyOf(key)).toHaveLength(1);
    });
  });
});
