import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database, SqlValue } from '@/db/database';
import { openTestDatabase, TEST_DIALECTS } from '@/db/testing/test-database';
import type { LockEvent } from '../../core/lock/lock-event';
import { spanOf } from '../../core/past/event-span';
import type { RecordEvent } from '../../core/record-event';
import { DEFAULT_RETENTION } from '../../core/retention';
import { RUNS } from '../../core/testing/property-runs';
import { TestClock } from '../../platform/testing/test-clock';
import { encodeEventTexts } from '../../storage/codec/event-codec';
import { recordId } from '../../storage/record-id';
import type { HistoryRow, HistorySource } from '../../storage/record-store';
import { TimeSlice } from '../lock-list/order/time-slice';
import { EventTally } from '../metrics/event-tally';
import { PastRange } from '../past/past-range';
import { readLockEvents } from '../past/read-lock-events';
import { readSpans } from '../past/read-spans';
import { uncountedEvents } from '../rollups/rollup-cursors';
import { eventsOf } from './bundled-events';
import { EventHistory } from './event-history';
import { LockPast } from './lock-past';
import { EventRecorder } from './recorder/event-recorder';
import { eventRows, insertionsOf } from './recorder/event-rows';

const IS_LONG = process.env.TEST_LONG === '1';

const START = Date.UTC(2026, 10, 20, 8);
const KINDS = ['queued', 'granted', 'released', 'renewed', 'timeout', 'expired'] as const;
const NAMES = ['a', 'b'];

const steps = fc.array(
  fc.record({
    afterMs: fc.oneof(
      fc.constant(0),
      fc.integer({ min: 1, max: 90 }),
      fc.constantFrom(249, 250, 400, 2_500, 10_000),
    ),
    changes: fc.uniqueArray(
      fc.record({
        name: fc.constantFrom(...NAMES),
        kinds: fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 3 }),
        lastedMs: fc.integer({ min: 0, max: 700 }),
      }),
      { selector: ({ name }) => name, minLength: 1 },
    ),
  }),
  { minLength: 1, maxLength: 40 },
);

type Steps = typeof steps extends fc.Arbitrary<infer S> ? S : never;

/** The same row with another body, as JSON. */
const withBody = (row: SqlValue[], body: unknown) =>
  row.map((value) => (String(value).startsWith('[') ? JSON.stringify(body) : value));

/** The commits that result from these steps, with ids from 1. */
function commitsOf(played: Steps): HistoryRow[] {
  let at = START;
  return played.map(({ afterMs, changes }, i) => {
    at += afterMs;
    const rev = i + 1;
    return {
      ...{ id: rev, at },
      changes: changes.map(({ name, kinds, lastedMs }) => ({
        key: { namespace: 'default', name },
        rev,
        events: kinds.map((kind): LockEvent => {
          const lasted = kind === 'released' || kind === 'expired' ? 'heldMs' : 'waitedMs';
          const who = { service: 'orders', owner: 'o', token: rev };
          return { kind, at, rev, ...who, ...(lastedMs > 0 && { [lasted]: lastedMs }) };
        }),
      })),
    };
  });
}

const eventsOfName = (commits: HistoryRow[], name: string) =>
  commits.flatMap(({ changes }) =>
    changes.filter(({ key }) => key.name === name).flatMap(({ events }) => events as LockEvent[]),
  );

describe.each(TEST_DIALECTS)('events that share rows, in %s', (dialect) => {
  let database: Database;
  beforeEach(async () => {
    database = await openTestDatabase(dialect);
  });
  afterEach(() => database.close());

  const write = (commits: HistoryRow[]) =>
    database.raw.batch(insertionsOf(database.kind, eventRows('default', commits)), false);

  const rowCount = async () =>
    Number((await database.raw.ask('SELECT COUNT(*) FROM lock_events', [])).rows[0]?.[0]);

  const allPages = async (name: string, limit: number, until?: number) => {
    const rows: { id: string; at: number; kind: string }[] = [];
    let before: string | undefined;
    for (;;) {
      const page = { namespace: 'default', name, limit, before, until };
      const read = await new EventHistory(database).list(page);
      expect(read.rows.length).toBeLessThanOrEqual(limit);
      rows.push(...read.rows);
      if (read.older === null) return rows;
      before = read.older;
    }
  };

  /** In parts, as they would be read one after another. */
  const writeInParts = async (commits: HistoryRow[], part: number) => {
    await database.raw.ask('DELETE FROM lock_events', []);
    for (let i = 0; i < commits.length; i += part) await write(commits.slice(i, i + part));
  };

  /** Recorded by processes that take over from one another. @param hidden commits in flight */
  const recorded = async (commits: HistoryRow[], hidden: number[]) => {
    const visible = commits.filter(({ id }) => !hidden.includes(id));
    const history: HistorySource = {
      historyAfter: async (position, limit) =>
        visible.filter(({ id }) => id > position).slice(0, limit),
      historyOf: async (ids) => visible.filter(({ id }) => ids.includes(id)),
      historyEnd: async () => visible.at(-1)?.id ?? 0,
      pruneHistory: async () => 0,
    };
    const clock = new TestClock(START);
    const backend = { id: 'default', history };
    await new EventRecorder(database, backend, clock, new EventTally()).record();
  };

  it('can be read together with those of earlier versions, which wrote objects', async () => {
    const step = (afterMs: number, kind: 'granted' | 'released') => ({
      ...{ afterMs, changes: [{ name: 'a', kinds: [kind], lastedMs: 3 }] },
    });
    const commits = commitsOf([
      ...[step(0, 'granted'), step(3, 'released')],
      ...[step(20_000, 'granted'), step(20_000, 'released')],
    ]);
    const events = eventsOfName(commits, 'a');
    const [pair = [], alone = [], ...present] = eventRows('default', commits);
    const objects = events.slice(0, 2).map((event, i) => [i + 1, 0, event]);
    const old = [withBody(pair, objects), withBody(alone, events[2])];
    await database.raw.batch(insertionsOf(database.kind, [...old, ...present]), false);
    const kinds = (await allPages('a', 3)).map(({ kind }) => kind);
    expect(kinds.reverse()).toEqual(events.map(({ kind }) => kind));
    const lockId = recordId({ namespace: 'default', name: 'a' });
    const read = await readLockEvents(database, lockId, START + 1e6, []);
    expect(read).toEqual(events);
  });

  // MySQL runs a few in the short run: what it does differently depends little on the commits.
  const runs = { ...RUNS, numRuns: dialect === 'sqlite' || IS_LONG ? 40 : 12 };

  /** Whether something is true of any commits, recorded in parts of any length. */
  const holds = <T>(
    more: fc.Arbitrary<T>,
    check: (commits: HistoryRow[], of: T) => Promise<void>,
  ) =>
    fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 12 }), more, async (played, part, of) => {
        const commits = commitsOf(played);
        await writeInParts(commits, part);
        await check(commits, of);
      }),
      runs,
    );

  it('share one row for a short hold, and have one each if far apart in time', async () => {
    const hold = (at: number, rev: number) =>
      (['granted', 'released'] as const).map((kind, i) => ({
        ...{ id: rev + i, at },
        changes: [
          {
            key: { namespace: 'default', name: 'a' },
            rev: rev + i,
            events: [{ kind, at: at + 3 * i, rev: rev + i, service: 's', owner: 'o', token: rev }],
          },
        ],
      }));
    await write(hold(START, 1));
    expect(await rowCount()).toBe(1);
    await write([...hold(START + 5_000, 3), ...hold(START + 15_000, 5)]);
    expect(await rowCount()).toBe(3);
  });

  it('are read in order and once each, in pages of any length', async () => {
    const pageLength = fc.integer({ min: 1, max: 9 });
    await holds(pageLength, async (commits, limit) => {
      for (const name of NAMES) {
        const kinds = (await allPages(name, limit)).map(({ kind }) => kind);
        expect(kinds.reverse()).toEqual(eventsOfName(commits, name).map(({ kind }) => kind));
      }
    });
  });

  it('are read up to any instant, in pages of any length', async () => {
    const page = fc.record({
      limit: fc.integer({ min: 1, max: 9 }),
      untilMs: fc.integer({ min: -1, max: 20_000 }),
    });
    await holds(page, async (commits, { limit, untilMs }) => {
      for (const name of NAMES) {
        const until = START + untilMs;
        const kinds = (await allPages(name, limit, until)).map(({ kind }) => kind);
        const expected = eventsOfName(commits, name).filter(({ at }) => at <= until);
        expect(kinds.reverse()).toEqual(expected.map(({ kind }) => kind));
      }
    });
  });

  it('are recorded once by processes that take over from one another', async () => {
    const hidden = fc.array(fc.nat({ max: 40 }), { maxLength: 3 });
    const views = fc.array(fc.record({ until: fc.nat({ max: 40 }), hidden }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(steps, views, async (played, takeovers) => {
        const commits = commitsOf(played);
        await database.raw.ask('DELETE FROM lock_events', []);
        await database.raw.ask('DELETE FROM cursors', []);
        for (const { until, hidden } of takeovers) await recorded(commits.slice(0, until), hidden);
        await recorded(commits, []);
        for (const name of NAMES) {
          const kinds = (await allPages(name, 2)).map(({ kind }) => kind);
          expect(kinds.reverse()).toEqual(eventsOfName(commits, name).map(({ kind }) => kind));
        }
      }),
      runs,
    );
  });

  it('are read once by every reader', async () => {
    await holds(fc.constant(null), async (commits) => {
      const [from, to] = [START - 1, START + 100_000];
      for (const name of NAMES) {
        const key = { namespace: 'default', name };
        const expected = eventsOfName(commits, name);
        const ids = (await allPages(name, 1_000)).map(({ id }) => id);
        expect(ids).toHaveLength(expected.length);
        const story = await new LockPast(database).story(key, from, to, null);
        const shown = expected.filter(({ kind }) => kind !== 'renewed');
        expect(story.events.map(({ kind }) => kind)).toEqual(shown.map(({ kind }) => kind));
        const position = commits.length >> 1;
        const { ask } = database.raw;
        const uncounted = await uncountedEvents(ask, 'default', recordId(key), position);
        const counted = shown.filter(({ rev, kind }) => rev > position && kind !== 'queued');
        const countedOf = (events: LockEvent[]) =>
          events.filter(({ kind }) => kind === 'granted' || kind === 'released').length;
        expect(countedOf(uncounted)).toBe(countedOf(counted));
      }
    });
  });

  it('are found as of any instant, with the hold or wait that they ended', async () => {
    const instant = fc.integer({ min: -500, max: 20_000 });
    await holds(instant, async (commits, sinceStart) => {
      const at = START + sinceStart;
      const slice = new TimeSlice(() => performance.now());
      const { spans } = await readSpans(database, () => at, ['default'], 1_000, slice);
      const covered: string[] = [];
      for (const name of NAMES) {
        const events = eventsOfName(commits, name);
        const until = await readLockEvents(database, `default/${name}`, at, []);
        const past = events.filter((event) => event.at <= at);
        expect(until.slice(-10)).toEqual(past.slice(-10));
        for (const event of events) {
          const span = spanOf(event);
          if (span && span.from <= at && span.to > at) covered.push(textOf(name, event));
        }
      }
      const found = spans.map(({ lockId, event }) => textOf(lockId.slice(8), event));
      expect(found.sort()).toEqual(covered.sort());
    });
  });

  it('are found by the search for the nearest change', async () => {
    const instant = fc.integer({ min: -100, max: 20_000 });
    await holds(instant, async (commits, sinceStart) => {
      const at = START + sinceStart;
      const range = new PastRange({
        database,
        clock: new TestClock(START),
        stores: ['default'],
        offsetOf: () => 0,
        historyMs: DEFAULT_RETENTION.historyMs,
        onRead: () => {},
      });
      const all = NAMES.flatMap((name) => eventsOfName(commits, name));
      const one = eventsOfName(commits, 'a');
      const a = { namespace: 'default', name: 'a' };
      for (const [of, events] of [['locks', all] as const, [a, one] as const]) {
        const changes = events.filter(({ kind }) => kind !== 'renewed').map((event) => event.at);
        const [before, after] = [changes.filter((c) => c < at), changes.filter((c) => c > at)];
        const previous = before.length > 0 ? Math.max(...before) : null;
        const next = after.length > 0 ? Math.min(...after) : null;
        expect(await range.change(of, at, 'previous')).toBe(previous);
        expect(await range.change(of, at, 'next')).toBe(next);
      }
    });
  });
});

const textOf = (name: string, { kind, at, rev }: LockEvent) => `${name} ${kind} ${at} ${rev}`;

describe('the events of a row', () => {
  const event = (rev: number, more = {}): LockEvent => ({
    ...{ kind: 'granted', at: START + rev, rev, service: 'orders', owner: 'o', token: rev },
    ...more,
  });

  it('are read as earlier versions wrote them, too', () => {
    const [first, second] = [event(1), event(2, { waitedMs: 7 })];
    expect(eventsOf([5, 32, JSON.stringify(first)])).toEqual([
      { historyId: 5, place: 32, event: first },
    ]);
    const body = JSON.stringify([
      [5, 0, first],
      [6, 32, second],
    ]);
    expect(eventsOf([6, 33, body])).toEqual([
      { historyId: 5, place: 0, event: first },
      { historyId: 6, place: 32, event: second },
    ]);
  });

  it('are the same with and without their texts in the commit, for locks and counters', () => {
    const step = (rev: number, value: number) => ({
      ...{ kind: 'added' as const, at: START, rev, service: 'orders', delta: 1, value },
    });
    const lock = { key: { namespace: 'n', name: 'a' }, rev: 5, events: [event(4), event(5)] };
    const counterKey = { namespace: 'n', name: 'c', kind: 'counter' as const };
    const counters = [
      { key: counterKey, rev: 2, events: [step(2, 8)] },
      { key: { ...counterKey, name: 'd' }, rev: 3, events: [step(2, 8), step(3, 9)] },
    ];
    const changes = [lock, ...counters];
    const withTexts = changes.map((change) => ({
      ...change,
      eventTexts: encodeEventTexts(change.events, change.rev),
    }));
    const read = (of: HistoryRow['changes']) =>
      eventRows('default', [{ id: 9, at: START, changes: of }])
        .flatMap(([, historyId, place, , , , , body]) =>
          eventsOf<RecordEvent>([historyId, place, body]),
        )
        .map(({ event: found }) => found);
    const all = [lock, ...counters].flatMap(({ events }): RecordEvent[] => events);
    expect(read(changes)).toEqual(expect.arrayContaining(all));
    expect(read(changes)).toHaveLength(all.length);
    expect(read(withTexts)).toEqual(read(changes));
  });
});
