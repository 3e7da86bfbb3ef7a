import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LockEvent } from '../../core/lock/lock-event';
import { newWriter } from '../../engine/new-writer';
import { TestClock } from '../../platform/testing/test-clock';
import { encodeEventTexts, textsOf } from '../../storage/codec/event-codec';
import { patientStores } from '../../storage/conformance/contract/contract-stores';
import {
  created,
  creation,
  eventOf,
  freshKey,
  update,
} from '../../storage/conformance/testing/changes';
import {
  type StoreUnderTest,
  sampledStores,
} from '../../storage/conformance/testing/stores-under-test';
import type { HistoryRow, HistorySource } from '../../storage/record-store';
import { HistoryTail } from './history-tail';
import { SharedHistory } from './shared-history';

const idsOf = (rows: HistoryRow[]) => rows.map(({ id }) => id);

describe.each(sampledStores)('a history of %s that two tails follow', (name) => {
  let under: StoreUnderTest;
  let clock: TestClock;
  let read: number[];
  let hidden: Set<number>;
  let isBroken: boolean;
  let history: SharedHistory;

  beforeEach(async () => {
    under = await patientStores[name].open();
    clock = new TestClock();
    read = [];
    hidden = new Set();
    isBroken = false;
    const watched: HistorySource = Object.create(under.store);
    watched.historyAfter = async (position, limit) => {
      if (isBroken) throw new Error('The store does not answer.');
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
  /** The same, written by this process. */
  const writeOurs = async (changes = [creation(freshKey(), { events: [eventOf(1)] })]) => {
    const results = await under.store.swap(changes);
    const end = await under.store.historyEnd();
    const historyId = results.some(({ applied }) => applied) ? end : undefined;
    // With results like those of a store that knows the id.
    history.noteSwap(
      changes,
      results.map((each) => (each.applied && historyId ? { ...each, historyId } : each)),
    );
    return end;
  };
  const tailFrom = (position: number) => new HistoryTail(history.forTail(), clock, position);

  it('delivers every row to both, and reads each only once', async () => {
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

  it("delivers what arrived since the other tail's read, along with what that read", async () => {
    const [first, second] = [tailFrom(0), tailFrom(0)];
    const written = [await write()];
    await first.poll();
    written.push(await write());
    expect(idsOf(await second.poll())).toEqual(written);
    expect(second.isAtEnd).toBe(true);
  });

  it('keeps what another tail still needs for as long as that one asks', async () => {
    const [first, second] = [tailFrom(0), tailFrom(0)];
    const written = [await writeOurs(), await write(), await writeOurs()];
    await first.poll();
    clock.pass(9_000);
    expect(idsOf(await second.poll())).toEqual(written);
    expect(read).toEqual(written.slice(1));
  });

  it('keeps nothing for a tail that has stopped asking', async () => {
    const [first, second] = [tailFrom(0), tailFrom(0)];
    await second.poll();
    clock.pass(10_000);
    const written = [await writeOurs(), await write()];
    await first.poll();
    read.length = 0;
    expect(idsOf(await second.poll())).toEqual(written);
    expect(read).toEqual(written);
  });

  it('keeps what a tail missed because the store failed', async () => {
    const [first, second] = [tailFrom(0), tailFrom(0)];
    const written = [await writeOurs(), await writeOurs()];
    await first.poll();
    isBroken = true;
    await expect(second.poll()).rejects.toThrow('does not answer');
    isBroken = false;
    await first.poll();
    expect(idsOf(await second.poll())).toEqual(written);
    expect(read).toEqual([]);
  });

  it('keeps nothing that all tails have received', async () => {
    const [first, second] = [tailFrom(0), tailFrom(0)];
    const written = [await writeOurs(), await write()];
    await first.poll();
    await second.poll();
    read.length = 0;
    expect(idsOf(await tailFrom(0).poll())).toEqual(written);
    expect(read).toEqual(written);
  });

  it('delivers a row that was not yet visible to the other tail', async () => {
    const [first, second] = [tailFrom(0), tailFrom(0)];
    const written = [await write(), await write(), await write()];
    hidden.add(written[1] ?? 0);
    expect(idsOf(await first.poll())).toEqual([written[0], written[2]]);
    hidden.clear();
    expect(idsOf(await second.poll())).toEqual(written);
    expect(second.isAtEnd).toBe(true);
  });

  it("delivers this process's own writes to both without reading them", async () => {
    const [first, second] = [tailFrom(0), tailFrom(0)];
    const written = [await writeOurs(), await writeOurs()];
    expect(idsOf(await first.poll())).toEqual(written);
    expect(first.isAtEnd).toBe(true);
    written.push(await writeOurs());
    expect(idsOf(await second.poll())).toEqual(written);
    expect(idsOf(await first.poll())).toEqual(written.slice(2));
    expect(read).toEqual([]);
  });

  it("delivers this process's own writes as stored, except for empty facts", async () => {
    const tail = tailFrom(0);
    const lost = freshKey();
    await created(under.store, lost);
    const seen = { rev: 1, writer: newWriter() };
    const event = { ...eventOf(1), waitedMs: 0, meta: {}, mode: 'shared' } as const;
    const anonymous = { ...eventOf(1, ''), token: 0, traceparent: undefined };
    const counter = { ...freshKey(), kind: 'counter' } as const;
    const step = { kind: 'added', at: 5, rev: 1, service: 'orders', delta: 2, value: 2 } as const;
    await writeOurs([
      creation(freshKey(), { events: [event, { ...eventOf(1), waitedMs: 7, meta: { a: 'b' } }] }),
      update(lost, seen, { events: [eventOf(2)] }),
      creation(freshKey()),
      creation(freshKey(), { events: [anonymous as unknown as LockEvent] }),
      creation(counter, { events: [step, { ...step, rev: 2, value: 4 }] }),
    ]);
    const rows = await tail.poll();
    expect(read).toEqual([]);
    const asText = (row: HistoryRow) => ({
      ...row,
      changes: row.changes.map((change) => [change.key, change.rev, textsOf(change)]),
    });
    const stored = await under.store.historyAfter(0, 10);
    expect(rows.map(asText)).toEqual(stored.map(asText));
  });

  it('delivers the texts with the events of this process', async () => {
    const tail = tailFrom(0);
    const events = [eventOf(1)];
    const eventTexts = encodeEventTexts(events, 1);
    await writeOurs([creation(freshKey(), { events, eventTexts })]);
    expect((await tail.poll())[0]?.changes[0]?.eventTexts).toBe(eventTexts);
  });

  it('delivers what another process has written in between', async () => {
    const [first, second] = [tailFrom(0), tailFrom(0)];
    const written = [await writeOurs(), await write(), await writeOurs(), await writeOurs()];
    expect(idsOf(await first.poll())).toEqual(written);
    expect(first.isAtEnd).toBe(true);
    expect(idsOf(await second.poll())).toEqual(written);
  });

  it('keeps no more than a tail may need of what is not asked for', async () => {
    const events = Array.from({ length: 200 }, (_, i) => eventOf(i + 1));
    const [slow, last] = [tailFrom(0), tailFrom(400)];
    for (let id = 1; id <= 600; id += 1) {
      const change = creation(freshKey(), { events });
      const current = { rev: change.rev, writer: change.writer };
      history.noteSwap([change], [{ applied: true, now: 1, current, historyId: id }]);
    }
    expect(await slow.poll()).toEqual([]);
    expect(idsOf(await last.poll())).toEqual(Array.from({ length: 200 }, (_, i) => 401 + i));
  });
});
