import { expect, test } from 'vitest';
import { type LockRecord, unwrittenRecord } from '../../core/lock/lock-record';
import { MINUTE_MS } from '../../core/time-units';
import { TimeSlice } from '../lock-list/order/time-slice';
import { ProjectionRow } from '../projection/projection-row';
import { idleNames } from './namespace-capacity';

const NOW = Date.UTC(2026, 4, 1);
const ROWS = 5_000;
const MOST = 40;

/** A lock that was released `idleMs` ago. */
function rowOf(name: string, idleMs: number, namespace = 'jobs'): ProjectionRow {
  const at = NOW - idleMs;
  const facts = { token: 1, service: 'orders', owner: 'w1', grantedAt: at, at };
  const record: LockRecord = {
    ...unwrittenRecord(at),
    rev: 3,
    lastToken: 1,
    answersUntil: 0,
    ended: { ...facts, cause: 'released' },
  };
  return ProjectionRow.of({ id: 'default', publicId: 'default' }, { namespace, name }, NOW, record);
}

test('the longest idle locks are found in order, without blocking other work', async () => {
  // 2,399 and 5,000 have no common divisor: every age once, in no order.
  const ages = Array.from({ length: ROWS }, (_, i) => (i * 2_399) % ROWS);
  const rows = [
    ...ages.map((age) => rowOf(`n${age}`, 20 * MINUTE_MS + age)),
    rowOf('used lately', 4 * MINUTE_MS),
    rowOf('elsewhere', 60 * MINUTE_MS, 'default'),
  ];
  // Always past the end of the slice, so that it pauses at each read of the clock.
  let now = 0;
  const slice = new TimeSlice(() => (now += 10));
  let turns = 0;
  let others = setImmediate(takeTurn);
  function takeTurn() {
    turns += 1;
    others = setImmediate(takeTurn);
  }
  const asked = { idleMs: 5 * MINUTE_MS, most: MOST };
  const found = await idleNames(rows, 'jobs', asked, () => ({ now: NOW, epoch: 1 }), slice);
  clearImmediate(others);
  const oldest = Array.from({ length: MOST }, (_, i) => `n${ROWS - 1 - i}`);
  expect(found.map(({ key }) => key.name)).toEqual(oldest);
  expect(turns).toBeGreaterThan(ROWS / 100);
});
