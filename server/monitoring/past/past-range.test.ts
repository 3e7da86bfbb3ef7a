import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '@/db/database';
import { openTestDatabase, TEST_DIALECTS } from '@/db/testing/test-database';
import type { LockEvent } from '../../core/lock/lock-event';
import { DEFAULT_RETENTION } from '../../core/retention';
import { TestClock } from '../../platform/testing/test-clock';
import type { HistoryRow } from '../../storage/record-store';
import { eventRows, insertionsOf } from '../history/recorder/event-rows';
import { PastRange } from './past-range';

const START = Date.UTC(2026, 10, 23, 8);
/** As many rows as one search reads at a time. */
const PAGE = 200;

describe.each(TEST_DIALECTS)('the recorded past, in %s', (dialect) => {
  let database: Database;
  let clock: TestClock;
  beforeEach(async () => {
    database = await openTestDatabase(dialect);
    clock = new TestClock(START);
  });
  afterEach(() => database.close());

  /** Records one commit for each event, on a lock of its own. */
  const record = (events: Pick<LockEvent, 'kind' | 'at' | 'waitedMs'>[], backend = 'default') => {
    const commits = events.map((facts, i): HistoryRow => {
      const { at } = facts;
      const key = { namespace: 'default', name: `lock-${i}` };
      const event = { ...facts, rev: 1, service: 'orders', owner: 'w1', token: 1 };
      return { id: i + 1, at, changes: [{ key, rev: 1, events: [event] }] };
    });
    return database.raw.batch(insertionsOf(database.kind, eventRows(backend, commits)), false);
  };
  const range = (offsetMs = 0, otherOffsetMs = offsetMs, of = database) =>
    new PastRange({
      database: of,
      clock,
      stores: ['default', 'other'],
      offsetOf: (store) => (store === 'other' ? otherOffsetMs : offsetMs),
      historyMs: DEFAULT_RETENTION.historyMs,
      onRead: () => {},
    });
  const renewals = Array.from({ length: PAGE }, (_, i) => {
    return { kind: 'renewed' as const, at: START + i };
  });

  it('finds the next change if a page of routine events ends in its millisecond', async () => {
    const at = START + PAGE - 1;
    await record([...renewals, { kind: 'granted', at }]);
    expect(await range().change('locks', START - 1, 'next')).toBe(at);
  });

  it('finds the previous change if a page of routine events ends in its millisecond', async () => {
    await record([{ kind: 'granted', at: START }, ...renewals]);
    expect(await range().change('locks', START + PAGE, 'previous')).toBe(START);
  });

  it('finds the next change behind thousands of rows of events collected before it', async () => {
    const [begin, length] = [START - 9_000, 5_000];
    const collected = Array.from({ length }, (_, i) => ({ name: `busy-${i}`, at: begin + i }));
    const rows = collected.map(({ name, at }, i): HistoryRow => {
      const key = { namespace: 'default', name };
      const who = { service: 'orders', owner: 'w1', token: 1 };
      const events = [0, 400].map((laterMs, j) => {
        return { kind: 'granted' as const, at: at + laterMs, rev: j + 1, ...who };
      });
      return { id: i + 1, at, changes: [{ key, rev: 2, events }] };
    });
    await database.raw.batch(insertionsOf(database.kind, eventRows('other', rows)), false);
    await record([{ kind: 'granted', at: START + 30 }]);
    expect(await range().change('locks', START, 'next')).toBe(START + 30);
  });

  it.each([
    [-90_000, -90_000],
    [90_000, 90_000],
    [-90_000, 3_000],
    [90_000, -3_000],
  ])(
    'finds the nearest change although the clocks of its backends are %i and %i ms ahead',
    async (offsetMs, otherOffsetMs) => {
      const granted = (at: number) => ({ kind: 'granted' as const, at });
      const mine = [-200, 200, 700].map((ms) => granted(START + ms + offsetMs));
      const others = [-100, 100, 300].map((ms) => granted(START + ms + otherOffsetMs));
      await record(mine);
      await record(others, 'other');
      const past = range(offsetMs, otherOffsetMs);
      const found: number[] = [];
      let at: number | null = START - 1_000;
      while (at !== null) {
        at = await past.change('locks', at, 'next');
        if (at !== null) found.push(at - START);
      }
      expect(found).toEqual([-200, -100, 100, 200, 300, 700]);
      expect(await past.change('locks', START + 600, 'previous')).toBe(START + 300);
      expect(await past.change('locks', START + 150, 'previous')).toBe(START + 100);
      expect(await past.change('locks', START - 150, 'previous')).toBe(START - 200);
    },
  );

  it.each([-90_000, 90_000])(
    "begins with its first event on this clock, although its backend's is %i ms ahead",
    async (offsetMs) => {
      await record([
        { kind: 'granted', at: START - 20 + offsetMs },
        { kind: 'timeout', at: START - 10 + offsetMs, waitedMs: 5 },
      ]);
      expect((await range(offsetMs).since()).events).toBe(START - 20);
    },
  );

  it('never begins before its retention, even if it was read a moment ago', async () => {
    const { historyMs } = DEFAULT_RETENTION;
    await record([{ kind: 'granted', at: START - historyMs - 5_000 }]);
    const past = range();
    expect((await past.since()).events).toBe(START - historyMs);
    clock.pass(30_000);
    expect((await past.since()).events).toBe(START + 30_000 - historyMs);
  });

  it('begins with its first event, even if events are recorded while it is read', async () => {
    const written = database.raw.ask;
    let isFirst = true;
    vi.spyOn(database.raw, 'ask').mockImplementation(async (...query) => {
      const answer = await written.apply(database.raw, query);
      if (isFirst) {
        isFirst = false;
        await record([
          { kind: 'granted', at: START - 20 },
          { kind: 'timeout', at: START - 10, waitedMs: 5 },
        ]);
      }
      return answer;
    });
    const { events } = await range().since();
    expect([null, START - 20]).toContain(events);
  });

  it.runIf(dialect === 'mysql')('begins with a minute that is found without a search', async () => {
    const minutes = Array.from({ length: 2_000 }, (_, i) => START + i * 60_000);
    const rows = minutes.map((minute) => `('default','',${minute},1,0,0,0,'','')`);
    const columns = 'backend, lock_id, minute, grants, timeouts, expiries, forced, waits, holds';
    await database.raw.ask(`INSERT INTO lock_minutes (${columns}) VALUES ${rows}`, []);
    await record([{ kind: 'granted', at: START }]);
    // What a session has read is counted for its connection alone.
    const read = await database.raw.transaction(async (ask) => {
      const raw = { ...database.raw, ask };
      const found = range(0, 0, Object.assign(Object.create(database), { raw }));
      await ask('FLUSH STATUS', []);
      expect((await found.since()).minutes).toBe(START);
      const { rows } = await ask("SHOW SESSION STATUS LIKE 'Handler_read_next'", []);
      return Number(rows[0]?.[1]);
    });
    expect(read).toBeLessThan(100);
  });
});
