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
import { contract, MINUTE, storedAnswerOf } from './contract-suite';

/** A store may handle a single change in a shorter way: both ways must meet the contract. */
const WAYS = [
  { how: 'alone', swap: swapOne },
  { how: 'beside another', swap: swapBesideAnother },
];

/**
 * By how much two processes may differ about a clock that neither reads directly: each derives it
 * from the round trip of a call.
 */
const BOUNDS_APART_MS = 250;

contract('rule 2: time is part of the compare', (suite) => {
  describe.each(WAYS)('a change $how', ({ swap }) => {
    it('refuses a change whose `ahead` was reached', async () => {
      const key = freshKey();
      const seen = await created(suite.store, key);
      const clock = { past: 0, ahead: await suite.now() };
      expect((await swap(suite.store, update(key, seen, { clock }))).applied).toBe(false);
    });

    it('refuses a change whose `past` was not reached', async () => {
      const key = freshKey();
      const seen = await created(suite.store, key);
      const clock = { past: (await suite.now()) + MINUTE, ahead: Number.POSITIVE_INFINITY };
      expect((await swap(suite.store, update(key, seen, { clock }))).applied).toBe(false);
    });

    it('applies a change between the two', async () => {
      const key = freshKey();
      const seen = await created(suite.store, key);
      const at = await suite.now();
      const clock = { past: at, ahead: at + MINUTE };
      expect((await swap(suite.store, update(key, seen, { clock }))).applied).toBe(true);
    });

    it('revives nothing with a renewal that is delayed past its deadline', async () => {
      const key = freshKey();
      const seen = await created(suite.store, key, { head: 'lapsing' });
      const release = await suite.under.stallRow(key);
      const clock = { past: 0, ahead: (await suite.now()) + 150 };
      const renewal = swap(suite.store, update(key, seen, { clock, head: 'revived' }));
      await new Promise((resolve) => setTimeout(resolve, 250));
      await release();
      expect(await renewal).toMatchObject({ applied: false, current: seen });
      expect((await stored(suite.other, key)).head).toBe('lapsing');
    });

    it('applies a change whose `past` is reached while it waits for the row', async () => {
      const key = freshKey();
      const seen = await created(suite.store, key);
      const release = await suite.under.stallRow(key);
      const clock = { past: (await suite.now()) + 150, ahead: Number.POSITIVE_INFINITY };
      const change = swap(suite.store, update(key, seen, { clock }));
      await new Promise((resolve) => setTimeout(resolve, 250));
      await release();
      expect((await change).applied).toBe(true);
    });

    it('refuses a creation whose `ahead` was reached, without a trace of it', async () => {
      const key = freshKey();
      const clock = { past: 0, ahead: await suite.now() };
      const storedAnswer = storedAnswerOf('late');
      const late = creation(key, { clock, events: [eventOf(1)], storedAnswers: [storedAnswer] });
      expect(await swap(suite.store, late)).toMatchObject({ applied: false, current: null });
      expect((await readOne(suite.other, key)).record).toBe(null);
      expect(await suite.historyOf(key)).toEqual([]);
      expect(await suite.storedAnswersOf(storedAnswer.key)).toEqual([]);
      expect((await swap(suite.store, creation(key))).applied).toBe(true);
    });

    it('refuses a creation whose `past` was not reached', async () => {
      const key = freshKey();
      const clock = { past: (await suite.now()) + MINUTE, ahead: Number.POSITIVE_INFINITY };
      const early = await swap(suite.store, creation(key, { clock }));
      expect(early).toMatchObject({ applied: false, current: null });
      expect((await readOne(suite.other, key)).record).toBe(null);
    });

    it('applies a creation between the two, once', async () => {
      const key = freshKey();
      const at = await suite.now();
      const change = creation(key, { clock: { past: at, ahead: at + MINUTE }, head: 'first' });
      expect((await swap(suite.store, change)).applied).toBe(true);
      const rival = { ...change, writer: 'rival', head: 'second' };
      expect((await swap(suite.store, rival)).applied).toBe(false);
      expect(await stored(suite.other, key)).toMatchObject({ rev: 1, head: 'first' });
    });

    it('changes no record with a creation that is too late', async () => {
      const key = freshKey();
      const seen = await created(suite.store, key);
      const clock = { past: 0, ahead: await suite.now() };
      const late = await swap(suite.store, creation(key, { clock, head: 'late' }));
      expect(late).toMatchObject({ applied: false, current: seen });
      expect(await stored(suite.other, key)).toMatchObject({ ...seen, head: 'head' });
    });

    it('never runs its clock backwards', async () => {
      const key = freshKey();
      let seen = await created(suite.store, key);
      let last = 0;
      for (let i = 0; i < 20; i += 1) {
        const read = await suite.now();
        expect(read).toBeGreaterThanOrEqual(last);
        const change = update(key, seen);
        const swapped = await swapOne(suite.store, change);
        expect(swapped.now).toBeGreaterThanOrEqual(read);
        last = swapped.now;
        seen = { rev: change.rev, writer: change.writer };
      }
    });
  });

  /**
   * A name that sorts before every fresh one, so that a store that locks rows in order creates it
   * before it waits.
   */
  const firstKey = () => ({ ...freshKey(), name: `a-${newWriter()}` });

  it('applies none of changes that belong together if the `ahead` of one was reached', async () => {
    const [fresh, kept] = [firstKey(), freshKey()];
    const seen = await created(suite.store, kept);
    const clock = { past: 0, ahead: await suite.now() };
    const set = [creation(fresh, { clock, events: [eventOf(1)] }), update(kept, seen)];
    expect((await suite.store.swapAll(set)).map(({ applied }) => applied)).toEqual([false, false]);
    expect((await readOne(suite.other, fresh)).record).toBe(null);
    expect(await stored(suite.other, kept)).toMatchObject(seen);
    expect(await suite.historyOf(fresh)).toEqual([]);
  });

  it('creates nothing if changes that belong together are delayed past a deadline', async () => {
    const [fresh, kept] = [firstKey(), freshKey()];
    const seen = await created(suite.store, kept);
    const release = await suite.under.stallRow(kept);
    const clock = { past: 0, ahead: (await suite.now()) + 150 };
    const set = suite.store.swapAll([creation(fresh, { clock }), update(kept, seen)]);
    await new Promise((resolve) => setTimeout(resolve, 250));
    await release();
    expect((await set).map(({ applied }) => applied)).toEqual([false, false]);
    expect((await readOne(suite.other, fresh)).record).toBe(null);
    expect(await stored(suite.other, kept)).toMatchObject(seen);
  });

  it('reports its clock in whole milliseconds since 1970, of today', async () => {
    const at = await suite.now();
    expect(Number.isInteger(at)).toBe(true);
    expect(Math.abs(at - Date.now())).toBeLessThan(MINUTE);
  });

  it('is one clock for all processes', async () => {
    let last = 0;
    const apartMs = suite.can('readsClock') ? 0 : BOUNDS_APART_MS;
    for (let i = 0; i < 20; i += 1) {
      const { now } = await readOne(i % 2 ? suite.store : suite.other, freshKey());
      expect(now).toBeGreaterThanOrEqual(last - apartMs);
      last = Math.max(last, now);
    }
    const swapped = await swapOne(suite.other, creation(freshKey()));
    expect(swapped.now).toBeGreaterThanOrEqual(last);
  });

  it('reports the instant of refused and of applied swaps', async () => {
    const key = freshKey();
    await created(suite.store, key);
    const before = await suite.now();
    const lost = await swapOne(suite.store, update(key, { rev: 9, writer: newWriter() }));
    expect(lost.applied).toBe(false);
    expect(lost.now).toBeGreaterThanOrEqual(before);
    expect(lost.now).toBeLessThanOrEqual(await suite.now());
  });

  it('reports one instant for all records of a read, whether they exist or not', async () => {
    const key = freshKey();
    await created(suite.store, key);
    const before = await suite.now();
    const { records } = await suite.store.read([key, freshKey()], []);
    const after = await suite.now();
    for (const { now } of records) {
      expect(now).toBeGreaterThanOrEqual(before);
      expect(now).toBeLessThanOrEqual(after);
    }
  });
});
