import { expect, it } from 'vitest';
import { newWriter } from '../../../engine/new-writer';
import {
  created,
  creation,
  eventOf,
  freshKey,
  readOne,
  stored,
  swapOne,
  update,
} from '../testing/changes';
import { contract, MINUTE, storedAnswerOf } from './contract-suite';

contract('changes that belong together', (suite) => {
  /** Two records that exist and one that does not, and changes of all three. */
  const three = async () => {
    const keys = [freshKey(), freshKey(), freshKey()] as const;
    const [a, b, c] = keys;
    const seen = [await created(suite.store, a), await created(suite.store, b)] as const;
    const storedAnswer = storedAnswerOf('kept');
    const changes = {
      a: update(a, seen[0], { head: 'new', events: [eventOf(2)], storedAnswers: [storedAnswer] }),
      b: update(b, seen[1], { head: 'new', events: [eventOf(2)] }),
      c: creation(c, { head: 'new', events: [eventOf(1)] }),
    };
    const nothingRemains = async () => {
      const { records, storedAnswers } = await suite.other.read([...keys], [storedAnswer.key]);
      expect(records.map(({ record }) => record?.head ?? null)).toEqual(['head', 'head', null]);
      expect(storedAnswers).toEqual([]);
      for (const key of keys) expect(await suite.historyOf(key)).toEqual([]);
    };
    return { keys, seen, storedAnswer, changes, nothingRemains };
  };

  it('are all applied, with their history and answers', async () => {
    const { keys, storedAnswer, changes } = await three();
    const { a, b, c } = changes;
    const results = await suite.store.swapAll([a, c, b]);
    expect(results.map(({ applied, current }) => [applied, current])).toEqual(
      [a, c, b].map(({ rev, writer }) => [true, { rev, writer }]),
    );
    const { records, storedAnswers } = await suite.other.read([...keys], [storedAnswer.key]);
    expect(records.map(({ record }) => record?.head)).toEqual(['new', 'new', 'new']);
    expect(storedAnswers).toEqual([storedAnswer]);
    for (const key of keys) expect(await suite.historyOf(key)).toHaveLength(1);
  });

  it.each(['another writer', 'an older rev', 'a deadline that was reached', 'a deadline to come'])(
    'leave nothing of themselves where one of them expects %s',
    async (what) => {
      const { seen, changes, nothingRemains } = await three();
      const { a, b, c } = changes;
      const at = await suite.now();
      const [, standing] = seen;
      const wrong = {
        'another writer': { expect: { rev: 1, writer: newWriter() } },
        'an older rev': { expect: { rev: 0, writer: standing.writer } },
        'a deadline that was reached': { clock: { past: 0, ahead: at } },
        'a deadline to come': { clock: { past: at + MINUTE, ahead: Number.POSITIVE_INFINITY } },
      }[what];
      const results = await suite.store.swapAll([a, { ...b, ...wrong }, c]);
      expect(results.map(({ applied }) => applied)).toEqual([false, false, false]);
      expect(results[1]?.current).toMatchObject(standing);
      expect(results[2]?.current).toBe(null);
      await nothingRemains();
    },
  );

  it('leave nothing, not even an empty row, if an expected record is missing', async () => {
    const { changes, nothingRemains } = await three();
    const { a, b, c } = changes;
    const missing = update(freshKey(), { rev: 3, writer: newWriter() }, { events: [eventOf(4)] });
    const results = await suite.store.swapAll([missing, a, b, c]);
    expect(results.map(({ applied }) => applied)).toEqual([false, false, false, false]);
    expect(results[0]?.current).toBe(null);
    await nothingRemains();
    expect((await readOne(suite.other, missing.key)).record).toBe(null);
  });

  it('leave nothing if a record to be created exists', async () => {
    const { changes, nothingRemains } = await three();
    const { a, b, c } = changes;
    const key = freshKey();
    const standing = await created(suite.store, key);
    const results = await suite.store.swapAll([a, creation(key, { head: 'over' }), b, c]);
    expect(results.map(({ applied }) => applied)).toEqual([false, false, false, false]);
    expect(results[1]?.current).toMatchObject(standing);
    await nothingRemains();
    expect((await stored(suite.other, key)).head).toBe('head');
  });

  it('wait for a row that another transaction locks, and are then applied', async () => {
    const { keys, changes } = await three();
    const release = await suite.under.stallRow(keys[1]);
    const swapped = suite.store.swapAll(Object.values(changes));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await stored(suite.other, keys[0])).head).toBe('head');
    await release();
    expect((await swapped).map(({ applied }) => applied)).toEqual([true, true, true]);
  });

  it('are found applied by swapping again after a lost reply', async () => {
    const { changes } = await three();
    const first = Object.values(changes);
    await suite.store.swapAll(first);
    const again = await suite.store.swapAll(
      first.map((change) => ({ ...change, writer: newWriter() })),
    );
    expect(again.map(({ applied }) => applied)).toEqual([false, false, false]);
    expect(again.map(({ current }) => current?.writer)).toEqual(first.map(({ writer }) => writer));
  });

  it('work with one change and with twenty changes', async () => {
    for (const size of [1, 20]) {
      const keys = Array.from({ length: size }, () => freshKey());
      const results = await suite.store.swapAll(keys.map((key) => creation(key)));
      expect(results.map(({ applied }) => applied)).toEqual(keys.map(() => true));
    }
  });

  it('are never applied in part because of a simultaneous change', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { keys, seen, changes } = await three();
      const alone = update(keys[1], seen[1], { head: 'alone' });
      const [whole, one] = await Promise.all([
        suite.store.swapAll(Object.values(changes)),
        swapOne(suite.other, alone),
      ]);
      const took = new Set(whole.map((result) => result.applied));
      expect(took).toEqual(new Set([!one.applied]));
      const heads = await Promise.all(keys.slice(0, 2).map((key) => stored(suite.store, key)));
      expect(heads.map(({ head }) => head)).toEqual(
        one.applied ? ['head', 'alone'] : ['new', 'new'],
      );
    }
  });
});
