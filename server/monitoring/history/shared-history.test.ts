import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestClock } from '../../platform/testing/test-clock';
import { created, eventOf, freshKey } from '../../storage/conformance/testing/changes';
import {
  type StoreUnderTest,
  storeNames,
  storesUnderTest,
} from '../../storage/conformance/testing/stores-under-test';
import type { HistoryRow, HistorySource } from '../../storage/record-store';
import { HistoryTail } from './history-tail';
import { SharedHistory } from './shared-history';

const idsOf = (rows: HistoryRow[]) => rows.map(({ id }) => id);

describe.each(storeNames)('a history of %s that two tails follow', (name) => {
  let under: StoreUnderTest;
  let clock: TestClock;
  let read: number[];
  let hidden: Set<number>;
  let history: SharedHistory;

  beforeEach(async () => {
    under = await storesUnderTest[name].open();
    clock = new TestClock();
    read = [];
    hidden = new Set();
    const watched: HistorySource = Object.create(under.store);
    watched.historyAfter = async (position, limit) => {
      const rows = await under.store.historyAfter(position, limit);
      const visible = rows.filter(({ id }) => !hidden.has(id));
      read.push(...idsOf(visible));
      return visible;
    };
    history = new SharedHistory(watched, clock);
  });
  afterEach(() => under.close());

  const write = async () => {
    await created(under.store, freshKey(), { events: [eventOf(1)] });
    return under.store.historyEnd();
  };
  const tailFrom = (position: number) => new HistoryTail(history, clock, position);

  it('delivers every row to both, and reads each once', async () => {
    const [first, second] = [tailFrom(0), tailFrom(0)];
    const written = [await write(), await write()];
    const wholeRows = await first.poll();
    expect(idsOf(wholeRows)).toEqual(written);
    expect(await second.poll()).toEqual(wholeRows);
    written.push(await write());
    expect(idsOf(await second.poll())).toEqual(written.slice(2));
    expect(idsOf(await first.poll())).toEqual(written.slice(2));
    expect(second.isAtEnd).toBe(true);
    expect(read).toEqual(written);
  });

  it('delivers what has come since the other tail read, with what that had read', async () => {
    const [first, second] = [tailFrom(0), tailFrom(0)];
    const written = [await write()];
    await first.poll();
    written.push(await write());
    expect(idsOf(await second.poll())).toEqual(written);
    expect(second.isAtEnd).toBe(true);
  });

  it('keeps no row for long that only one tail reads', async () => {
    const first = tailFrom(0);
    const id = await write();
    await first.poll();
    clock.pass(1_000);
    expect(idsOf(await tailFrom(0).poll())).toEqual([id]);
    expect(read).toEqual([id, id]);
  });

  it('delivers a row that the other tail could not see yet', async () => {
    const [first, second] = [tailFrom(0), tailFrom(0)];
    const written = [await write(), await write(), await write()];
    hidden.add(written[1] ?? 0);
    expect(idsOf(await first.poll())).toEqual([written[0], written[2]]);
    hidden.clear();
    expect(idsOf(await second.poll())).toEqual(written);
    expect(second.isAtEnd).toBe(true);
  });
});
