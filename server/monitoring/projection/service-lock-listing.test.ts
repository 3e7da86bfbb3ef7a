import { describe, expect, it } from 'vitest';
import { listInput } from '../../contract/lock/inputs';
import { type Hold, unwrittenRecord } from '../../core/lock/lock-record';
import { compareBytes } from '../lock-list/order/compare-bytes';
import { NameOrder } from '../lock-list/order/name-order';
import { TimeSlice } from '../lock-list/order/time-slice';
import { ProjectionRow } from './projection-row';
import { buildServiceLockListing } from './service-lock-listing';

const NOW = 1_000_000;
const FRAME = { now: NOW, reachable: true, ageMs: 7 };

const hold: Hold = {
  token: 9,
  mode: 'exclusive',
  service: 'orders',
  owner: 'w1',
  count: 1,
  leaseMs: 2_000,
  grantedAt: NOW - 500,
  renewedAt: NOW - 500,
  renewals: 0,
  expiresAt: NOW + 1_500,
  waitedMs: 0,
  meta: {},
} as Hold;

function rowOf(name: string, holds: Hold[] = [], namespace = 'default'): ProjectionRow {
  const key = { namespace, name };
  const record = { ...unwrittenRecord(NOW), rev: 3, holds };
  return ProjectionRow.of(KEEPER, key, NOW, record);
}

const KEEPER = { id: 'default', publicId: 'default' };

function list(rows: ProjectionRow[], input: object = {}, frame = FRAME) {
  const order = new NameOrder<ProjectionRow>(
    (slot) => rows[slot] ?? null,
    (a, b) =>
      compareBytes(a.key.namespace, b.key.namespace) || compareBytes(a.key.name, b.key.name),
  );
  order.add([...rows.keys()]);
  const frames = new Map([['default', frame]]);
  // Always over, so that it pauses after every single row.
  let now = 0;
  const slice = new TimeSlice(
    () => (now += 10),
    () => now,
    () => Promise.resolve(),
  );
  return buildServiceLockListing(
    (isBefore) => order.from(isBefore),
    listInput.parse(input),
    { frame: { frames, ageMs: frame.ageMs }, viewer: 'orders' },
    slice,
  );
}

const namesIn = async (rows: ProjectionRow[], input: object = {}) =>
  (await list(rows, input)).locks.map(({ name }) => name);

describe('a listing', () => {
  it('has the holder, queue and state of every lock of its namespace, and its age', async () => {
    const rows = [rowOf('held', [hold]), rowOf('free'), rowOf('other', [hold], 'billing')];
    expect(await list(rows)).toEqual({
      locks: [
        { name: 'free', state: 'free', rev: 3, holders: [], queueLength: 0 },
        {
          name: 'held',
          state: 'held',
          rev: 3,
          holders: [
            {
              owner: 'w1',
              service: 'orders',
              token: 9,
              mode: 'exclusive',
              holdCount: 1,
              grantedAt: NOW - 500,
              expiresAt: NOW + 1_500,
              expiresInMs: 1_500,
            },
          ],
          queueLength: 0,
        },
      ],
      next: null,
      ageMs: 7,
    });
  });

  it('is in the order of bytes, whatever order the rows come in', async () => {
    const names = ['a', 'a ', 'aa', 'b', 'job', 'jób', '\u{e000}', '\u{ffff}', '\u{10000}'];
    const byBytes = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const rows = [...names].reverse().map((name) => rowOf(name));
    expect(await namesIn(rows)).toEqual(byBytes);
    const limited = { limit: 3 };
    expect(await namesIn(rows, limited)).toEqual(byBytes.slice(0, 3));
  });

  it('is paged by name: every lock once, in order, and no page after the last', async () => {
    const names = Array.from(
      { length: 25 },
      (_, i) => `job-${String((i * 7) % 25).padStart(2, '0')}`,
    );
    const rows = names.map((name) => rowOf(name));
    const pages: string[][] = [];
    let after: string | undefined;
    do {
      const page = await list(rows, { limit: 5, after });
      pages.push(page.locks.map(({ name }) => name));
      after = page.next ?? undefined;
    } while (after !== undefined);
    expect(pages.map(({ length }) => length)).toEqual([5, 5, 5, 5, 5]);
    expect(pages.flat()).toEqual([...names].sort());
  });

  it('can be limited by prefix, and to locks that are not free', async () => {
    const rows = [rowOf('a:1', [hold]), rowOf('a:2'), rowOf('b:1', [hold]), rowOf('A:1', [hold])];
    expect(await namesIn(rows, { prefix: 'a:' })).toEqual(['a:1', 'a:2']);
    expect(await namesIn(rows, { prefix: 'a:', busy: true })).toEqual(['a:1']);
  });

  it('never shows an expired hold as held, or an unknown lock as free', async () => {
    const lapsed = rowOf('lapsed', [{ ...hold, expiresAt: NOW }]);
    expect((await list([lapsed])).locks).toMatchObject([{ state: 'expired', holders: [] }]);
    const away = await list(
      [rowOf('free'), rowOf('held', [hold])],
      {},
      { ...FRAME, reachable: false },
    );
    expect(away.locks).toMatchObject([
      { state: 'unknown', holders: [] },
      { state: 'unknown', holders: [{ token: 9 }] },
    ]);
    const key = { namespace: 'default', name: 'torn' };
    const torn = ProjectionRow.read(KEEPER, { key, now: NOW, record: null });
    expect((await list([torn], { busy: true })).locks).toMatchObject([{ state: 'unknown' }]);
  });
});
