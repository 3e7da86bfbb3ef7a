import { describe, expect, it } from 'vitest';
import { newWriter } from '../../engine/new-writer';
import {
  created,
  creation,
  freshKey,
  readOne,
  stored,
  swapBesideAnother,
  swapOne,
  update,
} from '../testing/changes';
import { contract, MINUTE } from './contract-suite';

/** A store may have a shorter way for a change that is alone: both are held to the same. */
const WAYS = [
  { how: 'alone', swap: swapOne },
  { how: 'beside another', swap: swapBesideAnother },
];

/** How differently two processes may know a clock that neither reads: by what a question and its answer took. */
const BOUNDS_APART_MS = 250;

contract('rule 2: time is part of the compare', (suite) => {
  describe.each(WAYS)('a change $how', ({ swap }) => {
    it('refuses a change whose `ahead` was reached', async () => {
      const key = freshKey();
      const seen = await created(suite.store, key);
      const clock = { past: 0, ahead: await suite.now() };
      expect((await swap(suite.store, update(key, seen, { clock }))).took).toBe(false);
    });

    it('refuses a change whose `past` was not reached', async () => {
      const key = freshKey();
      const seen = await created(suite.store, key);
      const clock = { past: (await suite.now()) + MINUTE, ahead: Number.POSITIVE_INFINITY };
      expect((await swap(suite.store, update(key, seen, { clock }))).took).toBe(false);
    });

    it('takes a change between the two', async () => {
      const key = freshKey();
      const seen = await created(suite.store, key);
      const at = await suite.now();
      const clock = { past: at, ahead: at + MINUTE };
      expect((await swap(suite.store, update(key, seen, { clock }))).took).toBe(true);
    });

    it('revives nothing by a renewal that stalls past its deadline', async () => {
      const key = freshKey();
      const seen = await created(suite.store, key, { head: 'lapsing' });
      const release = await suite.under.stallRow(key);
      const clock = { past: 0, ahead: (await suite.now()) + 400 };
      const renewal = swap(suite.store, update(key, seen, { clock, head: 'revived' }));
      await new Promise((resolve) => setTimeout(resolve, 600));
      await release();
      expect(await renewal).toMatchObject({ took: false, current: seen });
      expect((await stored(suite.other, key)).head).toBe('lapsing');
    });

    it('takes a change whose `past` is reached while it waits for the row', async () => {
      const key = freshKey();
      const seen = await created(suite.store, key);
      const release = await suite.under.stallRow(key);
      const clock = { past: (await suite.now()) + 300, ahead: Number.POSITIVE_INFINITY };
      const change = swap(suite.store, update(key, seen, { clock }));
      await new Promise((resolve) => setTimeout(resolve, 500));
      await release();
      expect((await change).took).toBe(true);
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

  it('tells its clock in whole milliseconds since 1970, of today', async () => {
    const at = await suite.now();
    expect(Number.isInteger(at)).toBe(true);
    expect(Math.abs(at - Date.now())).toBeLessThan(MINUTE);
  });

  it('is one clock, whichever process asks', async () => {
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

  it('tells the instant of a swap that lost, as of one that took', async () => {
    const key = freshKey();
    await created(suite.store, key);
    const before = await suite.now();
    const lost = await swapOne(suite.store, update(key, { rev: 9, writer: newWriter() }));
    expect(lost.took).toBe(false);
    expect(lost.now).toBeGreaterThanOrEqual(before);
    expect(lost.now).toBeLessThanOrEqual(await suite.now());
  });

  it('tells the same instant of every record that was read at once, there or not', async () => {
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
