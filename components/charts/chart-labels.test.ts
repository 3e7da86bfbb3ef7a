import { expect, test } from 'vitest';
import type { LockRow } from '@/server/contract/console/lock-row';
import { abnormalEndsLabel, chartsSummary, hasHistory, isHistoryBehind } from './chart-labels';

const total = {
  grants: 1_204,
  timeouts: 0,
  expiries: 0,
  forced: 0,
  refused: 0,
  waitP50Ms: 0,
  waitP99Ms: 48_000,
  holdP50Ms: 18_000,
  holdP99Ms: null,
};
const plain = (text: string | null) => text?.replaceAll(/[\u202f\u00a0]/g, ' ');

test('a sentence summarises the charts', () => {
  expect(plain(chartsSummary({ range: '24h', total }))).toBe(
    'In the last 24 hours: 1,204 grants; wait p50 0 ms, p99 48 s; hold p50 18 s, p99 –; ' +
      'no abnormal ends.',
  );
  expect(plain(chartsSummary({ range: '24h', total: { ...total, refused: 1 } }))).toContain(
    '; no abnormal ends; 1 attempt refused.',
  );
  expect(abnormalEndsLabel({ ...total, expiries: 2, forced: 1, timeouts: 1 })).toBe(
    '2 leases expired, 1 hold force-released, 1 waiter timed out',
  );
});

test('a lock that only timed out, only released or only refused has a history', () => {
  const none = { ...total, grants: 0 };
  expect(hasHistory({ total: none, holds: [] })).toBe(false);
  expect(hasHistory({ total: { ...none, timeouts: 1 }, holds: [] })).toBe(true);
  expect(hasHistory({ total: { ...none, refused: 1 }, holds: [] })).toBe(true);
  expect(hasHistory({ total: none, holds: [{ fromMs: 1, toMs: 2, count: 1 }] })).toBe(true);
});

test('an empty history is older than a lock that was granted or released in the range', () => {
  const none = { total: { ...total, grants: 0 }, holds: [], points: [{ at: 1_000 }] as never };
  const held = (grantedAt: number) => ({ hold: { grantedAt } as LockRow['hold'], ended: null });
  const ended = (at: number) => ({ hold: null, ended: { at } as LockRow['ended'] });
  expect(isHistoryBehind(held(1_000), none)).toBe(true);
  expect(isHistoryBehind(ended(4_000), none)).toBe(true);
  expect(isHistoryBehind(held(999), none)).toBe(false);
  expect(isHistoryBehind(ended(999), none)).toBe(false);
  expect(isHistoryBehind({ hold: null, ended: null }, none)).toBe(false);
  expect(isHistoryBehind(held(1_000), { ...none, total })).toBe(false);
});
