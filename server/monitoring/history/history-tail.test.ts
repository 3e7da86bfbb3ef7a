import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestClock } from '../../platform/testing/test-clock';
import { patientStores } from '../../storage/conformance/contract/contract-stores';
import { created, eventOf, freshKey } from '../../storage/conformance/testing/changes';
import {
  can,
  type StoreUnderTest,
  sampledStores,
} from '../../storage/conformance/testing/stores-under-test';
import type { HistoryRow, HistorySource } from '../../storage/record-store';
import { HistoryTail } from './history-tail';

const idsOf = (rows: HistoryRow[]) => rows.map(({ id }) => id);

describe.each(sampledStores)('the tail of a history in %s', (name) => {
  let under: StoreUnderTest;
  let clock: TestClock;
  let tail: HistoryTail;

  beforeEach(async () => {
    under = await patientStores[name].open();
    clock = new TestClock();
    tail = new HistoryTail(under.store, clock, 0);
  });
  afterEach(() => under.close());

  const write = async () => {
    const key = freshKey();
    await created(under.store, key, { events: [eventOf(1)] });
    return { key, id: await under.store.historyEnd() };
  };

  it('delivers every row once, in order, and keeps its position', async () => {
    const written = [await write(), await write()];
    expect((await tail.poll()).flatMap(({ changes }) => changes.map(({ key }) => key))).toEqual(
      written.map(({ key }) => key),
    );
    expect(await tail.poll()).toEqual([]);
    const last = await write();
    expect(idsOf(await tail.poll())).toEqual([last.id]);
    expect(tail.position).toBe(last.id);
  });

  it('begins at the given position', async () => {
    const first = await write();
    const second = await write();
    const later = new HistoryTail(under.store, clock, first.id);
    expect(idsOf(await later.poll())).toEqual([second.id]);
  });

  it('catches up with more rows than it reads at once', async () => {
    const written: number[] = [];
    for (let i = 0; i < 250; i += 1) written.push((await write()).id);
    const delivered: number[] = [];
    while (!tail.isAtEnd) delivered.push(...idsOf(await tail.poll()));
    expect(delivered).toEqual(written);
  });

  it('loses nothing after a failed poll', async () => {
    const { id } = await write();
    const failing: HistorySource = Object.create(under.store);
    failing.historyAfter = () => Promise.reject(new Error('Not now.'));
    const unlucky = new HistoryTail(failing, clock, 0);
    await expect(unlucky.poll()).rejects.toThrow('Not now.');
    failing.historyAfter = (...args) => under.store.historyAfter(...args);
    expect(idsOf(await unlucky.poll())).toEqual([id]);
  });

  it('does not search for millions of ids that never existed', async () => {
    const asked: number[] = [];
    const sparse: HistorySource = Object.create(under.store);
    sparse.historyAfter = async (position) =>
      position < 1e9 ? [{ id: 1e9, at: 1, changes: [] }] : [];
    sparse.historyOf = async (ids) => {
      asked.push(ids.length);
      return [];
    };
    const far = new HistoryTail(sparse, clock, 0);
    expect(idsOf(await far.poll())).toEqual([1e9]);
    await far.poll();
    expect(Math.max(...asked)).toBeLessThanOrEqual(10_000);
    clock.pass(5_000);
    await far.poll();
    expect(far.position).toBe(1e9);
  });

  if (can(name, 'youngGaps')) {
    it('never passes a gap that is younger than 5 s', async () => {
      const close = await under.openGap();
      const { id } = await write();
      expect(idsOf(await tail.poll())).toEqual([id]);
      for (const passedMs of [0, 2_000, 2_999]) {
        clock.pass(passedMs);
        expect(await tail.poll()).toEqual([]);
        expect(tail.position).toBeLessThan(id - 1);
      }
      await close(false);
    });

    it('delivers a row that became visible late, once', async () => {
      const close = await under.openGap();
      const { id } = await write();
      await tail.poll();
      clock.pass(4_000);
      await close(true);
      expect(idsOf(await tail.poll())).toEqual([id - 1]);
      expect(tail.position).toBe(id);
      expect(await tail.poll()).toEqual([]);
    });

    it('skips an old gap, and delivers what follows', async () => {
      const close = await under.openGap();
      const { id } = await write();
      await tail.poll();
      await close(false);
      clock.pass(5_000);
      await tail.poll();
      expect(tail.position).toBe(id);
      const next = await write();
      expect(idsOf(await tail.poll())).toEqual([next.id]);
    });

    it('may repeat rows but misses none when it restarts at its position', async () => {
      const close = await under.openGap();
      const { id } = await write();
      await tail.poll();
      const again = new HistoryTail(under.store, clock, tail.position);
      expect(idsOf(await again.poll())).toEqual([id]);
      await close(true);
      expect(idsOf(await again.poll())).toEqual([id - 1]);
    });
  }
});
