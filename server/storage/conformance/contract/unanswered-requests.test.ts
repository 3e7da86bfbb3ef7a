import { expect, it } from 'vitest';
import { newWriter } from '../../../engine/new-writer';
import type { Change } from '../../record-store';
import { created, creation, eventOf, freshKey, readOne, stored, update } from '../testing/changes';
import { contract, MINUTE, storedAnswerOf } from './contract-suite';

contract('a change whose requests must have no answer', (suite) => {
  it('is checked by the stores that declare it', () => {
    expect(suite.store.testsAnswers ?? false).toBe(suite.can('testsAnswers'));
  });

  if (!suite.can('testsAnswers')) return;

  const newRequest = () => newWriter() + newWriter();

  /** A record with a stored answer, and a change that requires that `unanswered` have none. */
  const answered = async (...unanswered: string[]) => {
    const [key, storedAnswer] = [freshKey(), storedAnswerOf('first')];
    const seen = await created(suite.other, key, { storedAnswers: [storedAnswer] });
    const own = storedAnswerOf('second');
    const change = update(key, seen, {
      head: 'new',
      events: [eventOf(2)],
      storedAnswers: [own],
      unanswered: [...unanswered, storedAnswer.key],
    });
    return { key, storedAnswer, seen, own, change };
  };

  /** A change that is always applied. */
  const company = async (parts: Partial<Change> = {}) => {
    const key = freshKey();
    const request = newRequest();
    return update(key, await created(suite.store, key), { unanswered: [request], ...parts });
  };

  it('is applied if no request has an answer, alone and beside others', async () => {
    const storedAnswer = storedAnswerOf('kept');
    const alone = await company({
      unanswered: [newRequest(), storedAnswer.key],
      storedAnswers: [storedAnswer],
    });
    expect(await suite.store.swap([alone])).toMatchObject([{ applied: true }]);
    expect(await suite.storedAnswersOf(storedAnswer.key)).toEqual([storedAnswer]);
    const together = [await company(), creation(freshKey()), await company()];
    const results = await suite.store.swap(together);
    expect(results.map(({ applied }) => applied)).toEqual([true, true, true]);
  });

  it.each([0, 1, 3])(
    'leaves nothing if a request has an answer, beside %i others',
    async (others) => {
      const { key, storedAnswer, seen, own, change } = await answered(newRequest());
      const beside = await Promise.all(Array.from({ length: others }, () => company()));
      const [result, ...rest] = await suite.store.swap([change, ...beside]);
      expect(result).toMatchObject({ applied: false, current: seen });
      expect(rest.map(({ applied }) => applied)).toEqual(beside.map(() => true));
      expect(await stored(suite.other, key)).toMatchObject({ ...seen, head: 'head' });
      expect(await suite.storedAnswersOf(storedAnswer.key, own.key)).toEqual([storedAnswer]);
      expect(await suite.historyOf(key)).toEqual([]);
    },
  );

  it.each([0, 1, 3])(
    'creates no record if a request has an answer, beside %i others',
    async (others) => {
      const { storedAnswer, own } = await answered();
      const key = freshKey();
      const parts = {
        events: [eventOf(1)],
        storedAnswers: [own],
        unanswered: [newRequest(), storedAnswer.key],
      };
      const beside = await Promise.all(Array.from({ length: others }, () => company()));
      const [result, ...rest] = await suite.store.swap([creation(key, parts), ...beside]);
      expect(result).toMatchObject({ applied: false, current: null });
      expect(rest.map(({ applied }) => applied)).toEqual(beside.map(() => true));
      expect(await readOne(suite.other, key)).toMatchObject({ record: null });
      expect(await suite.storedAnswersOf(storedAnswer.key, own.key)).toEqual([storedAnswer]);
      expect(await suite.historyOf(key)).toEqual([]);
    },
  );

  it('leaves nothing if other changes are refused for other reasons', async () => {
    const at = await suite.now();
    const { key, seen, change } = await answered();
    const overtaken = update(freshKey(), { rev: 3, writer: newWriter() });
    const late = await company({ clock: { past: 0, ahead: at } });
    const early = await company({ clock: { past: at + MINUTE, ahead: at + 2 * MINUTE } });
    const fine = await company();
    const results = await suite.store.swap([overtaken, change, late, fine, early]);
    expect(results.map(({ applied }) => applied)).toEqual([false, false, false, true, false]);
    expect(await stored(suite.other, key)).toMatchObject(seen);
  });

  it('is applied if only requests of other changes have an answer', async () => {
    const [first, second] = [await answered(), await answered()];
    const fine = await company();
    const results = await suite.store.swap([first.change, fine, second.change]);
    expect(results.map(({ applied }) => applied)).toEqual([false, true, false]);
  });

  it('distinguishes requests whose keys differ only in case', async () => {
    const storedAnswer = { ...storedAnswerOf('upper'), key: `KEY${'K'.repeat(19)}` };
    await created(suite.store, freshKey(), { storedAnswers: [storedAnswer] });
    const lower = await company({ unanswered: [storedAnswer.key.toLowerCase()] });
    expect(await suite.store.swap([lower])).toMatchObject([{ applied: true }]);
  });

  it('finds an answer that another process stored just before', async () => {
    for (let round = 0; round < 50; round += 1) {
      const key = freshKey();
      const seen = await created(suite.store, key);
      const storedAnswer = storedAnswerOf(round);
      const first = update(key, seen, {
        storedAnswers: [storedAnswer],
        unanswered: [storedAnswer.key],
      });
      const [one] = await suite.other.swap([first]);
      expect(one).toMatchObject({ applied: true });
      const again = update(key, first, {
        storedAnswers: [storedAnswer],
        unanswered: [storedAnswer.key],
      });
      const [two] = await suite.store.swap([again]);
      expect(two).toMatchObject({ applied: false, current: { rev: 2, writer: first.writer } });
    }
  });

  it('is found applied by swapping again after a lost reply', async () => {
    const storedAnswer = storedAnswerOf('kept');
    const first = await company({ storedAnswers: [storedAnswer], unanswered: [storedAnswer.key] });
    await suite.store.swap([first]);
    const again = { ...first, writer: newWriter() };
    const [alone] = await suite.store.swap([again]);
    expect(alone).toMatchObject({ applied: false, current: { writer: first.writer } });
    const [beside] = await suite.store.swap([again, await company()]);
    expect(beside).toMatchObject({ applied: false, current: { writer: first.writer } });
  });

  it('works with thousands of requests, of one change and of many', async () => {
    const storedAnswer = storedAnswerOf('first');
    const keys = Array.from({ length: 256 }, () => freshKey());
    const all = keys.map((key, i) =>
      creation(key, { storedAnswers: i === 100 ? [storedAnswer] : [] }),
    );
    await suite.store.swap(all);
    const next = all.map(({ key, rev, writer }, i) => {
      const requests = Array.from({ length: i === 200 ? 9_000 : 20 }, newRequest);
      const unanswered = i === 100 ? [...requests, storedAnswer.key] : requests;
      return update(key, { rev, writer }, { unanswered });
    });
    const results = await suite.store.swap(next);
    expect(results.flatMap(({ applied }, i) => (applied ? [] : [i]))).toEqual([100]);
  });
});
