import { describe, expect, it } from 'vitest';
import { newWriter } from '../../../engine/new-writer';
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
} from '../testing/changes';
import { contract, storedAnswerOf } from './contract-suite';

/** A store may handle a single change in a shorter way: both ways must meet the contract. */
const WAYS = [
  { how: 'alone', swap: swapOne },
  { how: 'beside another', swap: swapBesideAnother },
];

contract('rule 1: a swap is won by rev and writer', (suite) => {
  describe.each(WAYS)('a change $how', ({ swap }) => {
    it('applies a change that expects the current record', async () => {
      const key = freshKey();
      const seen = await created(suite.store, key, { head: 'one', queue: 'q' });
      const change = update(key, seen, { head: 'two' });
      expect(await swap(suite.store, change)).toMatchObject({
        applied: true,
        current: { rev: 2, writer: change.writer },
      });
      expect(await stored(suite.other, key)).toEqual({
        rev: 2,
        writer: change.writer,
        head: 'two',
        queue: 'q',
      });
    });

    it('refuses a change that expects an older rev, and returns the current record', async () => {
      const key = freshKey();
      const first = await created(suite.store, key);
      const second = update(key, first, { head: 'second' });
      await swap(suite.store, second);
      const late = await swap(suite.other, update(key, first, { head: 'late' }));
      expect(late).toMatchObject({ applied: false, current: { rev: 2, writer: second.writer } });
      expect((await stored(suite.store, key)).head).toBe('second');
    });

    it('refuses a change that expects the right rev of another writer', async () => {
      const key = freshKey();
      const seen = await created(suite.store, key);
      const result = await swap(suite.store, update(key, { rev: seen.rev, writer: newWriter() }));
      expect(result).toMatchObject({ applied: false, current: seen });
    });

    it('distinguishes writers that differ only in case', async () => {
      const key = freshKey();
      await created(suite.store, key, { writer: 'aBcDeFgHiJk' });
      const result = await swap(suite.store, update(key, { rev: 1, writer: 'AbCdEfGhIjK' }));
      expect(result.applied).toBe(false);
    });

    it('never creates a record by a change that expects one', async () => {
      const key = freshKey();
      const change = update(key, { rev: 7, writer: newWriter() }, { events: [eventOf(8)] });
      expect(await swap(suite.store, change)).toMatchObject({ applied: false, current: null });
      expect((await readOne(suite.other, key)).record).toBe(null);
      expect(await suite.historyOf(key)).toEqual([]);
    });

    it('never creates a record over an existing one', async () => {
      const key = freshKey();
      const seen = await created(suite.store, key, { head: 'first' });
      const result = await swap(suite.other, creation(key, { head: 'second', rev: 9 }));
      expect(result).toMatchObject({ applied: false, current: seen });
      expect((await stored(suite.store, key)).head).toBe('first');
    });

    it('lets exactly one of two processes succeed that create a record at once', async () => {
      for (let round = 0; round < 50; round += 1) {
        const key = freshKey();
        const tries = [suite.store, suite.other].map((s, i) =>
          swap(s, creation(key, { head: `${i}` })),
        );
        const took = (await Promise.all(tries)).filter((result) => result.applied);
        expect(took).toHaveLength(1);
      }
    });
  });

  it('evaluates each change of a swap separately', async () => {
    const [right, wrong, fresh, absent] = [freshKey(), freshKey(), freshKey(), freshKey()];
    const seen = await created(suite.store, right);
    await created(suite.store, wrong, { head: 'kept' });
    const results = await suite.store.swap([
      update(absent, { rev: 1, writer: newWriter() }),
      update(wrong, { rev: 1, writer: newWriter() }),
      creation(fresh),
      update(right, seen),
    ]);
    expect(results.map(({ applied }) => applied)).toEqual([false, false, true, true]);
    expect((await stored(suite.store, wrong)).head).toBe('kept');
    expect((await readOne(suite.store, absent)).record).toBe(null);
  });

  it('can recreate a deleted record, and applies nothing that expects the old one', async () => {
    const key = freshKey();
    const before = await created(suite.store, key);
    await suite.other.deleteRecords([{ key, ...before }]);
    const after = await created(suite.store, key, { head: 'recreated' });
    expect(after.rev).toBe(before.rev);
    const late = await swapOne(suite.store, update(key, before, { head: 'late' }));
    expect(late).toMatchObject({ applied: false, current: after });
    expect((await stored(suite.other, key)).head).toBe('recreated');
  });

  it('creates a record at the rev that the change names', async () => {
    const key = freshKey();
    await swapOne(suite.store, creation(key, { rev: 41 }));
    expect((await stored(suite.other, key)).rev).toBe(41);
  });

  it('answers in the order of the changes', async () => {
    const keys = Array.from({ length: 40 }, () => freshKey()).sort(() => Math.random() - 0.5);
    for (const key of keys.filter((_, i) => i % 3 === 0)) await created(suite.store, key);
    const results = await suite.store.swap(keys.map((key) => creation(key)));
    expect(results.map(({ applied }) => applied)).toEqual(keys.map((_, i) => i % 3 !== 0));
  });

  it('applies as many changes at once as a full group has, each with its parts', async () => {
    const keys = Array.from({ length: 256 }, () => freshKey());
    const storedAnswers = keys.map((_, i) => storedAnswerOf(i));
    const results = await suite.store.swap(
      keys.map((key, i) =>
        creation(key, {
          head: 'h'.repeat(600),
          queue: 'q'.repeat(600),
          events: [eventOf(1)],
          storedAnswers: storedAnswers.slice(i, i + 1),
        }),
      ),
    );
    expect(results.filter(({ applied }) => !applied)).toEqual([]);
    const { records, storedAnswers: kept } = await suite.other.read(
      keys,
      storedAnswers.map(({ key }) => key),
    );
    expect(records.filter(({ record }) => record?.queue.length !== 600)).toEqual([]);
    expect(kept).toHaveLength(256);
  });

  it('applies changes of many records that two processes make at the same time', async () => {
    const keys = Array.from({ length: 60 }, () => freshKey());
    const results = await Promise.all(
      keys.map((key, i) => swapOne(i % 2 ? suite.store : suite.other, creation(key))),
    );
    expect(results.filter(({ applied }) => !applied)).toEqual([]);
  });

  it('applies one of many simultaneous changes of a record; others find its result', async () => {
    const key = freshKey();
    const seen = await created(suite.store, key);
    const changes = Array.from({ length: 20 }, () => update(key, seen));
    const results = await Promise.all(
      changes.map((change, i) => swapOne(i % 2 ? suite.store : suite.other, change)),
    );
    const won = changes.filter((_, i) => results[i]?.applied);
    expect(won).toHaveLength(1);
    const writers = new Set(results.map(({ current }) => current?.writer));
    expect([...writers]).toEqual([won[0]?.writer]);
  });
});
