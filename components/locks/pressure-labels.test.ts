import { expect, test } from 'vitest';
import type { LockRow } from '@/server/contract/console/lock-row';
import { pressureLabel, refusedSentence, trendLabel } from './pressure-labels';

const now = 10_000_000;
const plain = (text: string) => text.replaceAll(/[\u202f\u00a0]/g, ' ');

const refused = { attempts: 214, owners: 6, areMore: false, lastAt: now - 6_000 };
const hold = { grantedAt: now - 42_000 } as LockRow['hold'];
const blocked = { callers: 3, sinceSum: 3 * now };
const ownHold = { p50Ms: 1_000, p99Ms: 20_000, count: 90 };

test('a row shows what is unusual about the demand for its lock, at most two facts', () => {
  const row = { hold, ownHold, waiters: 3, blocked, queueTrend: 5, refused };
  expect(plain(pressureLabel(row, now))).toBe('2.1 × p99, rising, +5 a minute');
  expect(plain(pressureLabel({ ...row, queueTrend: 0 }, now))).toBe(
    '2.1 × p99, 214 attempts refused',
  );
  expect(plain(pressureLabel({ ...row, ownHold: null }, now))).toBe(
    'rising, +5 a minute, 214 attempts refused',
  );
});

test('a long hold of a lock that no caller wants is not unusual', () => {
  expect(pressureLabel({ hold, ownHold, waiters: 0 }, now)).toBe('');
  expect(plain(pressureLabel({ hold, ownHold, waiters: 1 }, now))).toBe('2.1 × p99');
});

test('only a queue that blocks callers has a trend', () => {
  const queue = { hold, ownHold: null, queueTrend: 2 };
  expect(pressureLabel({ ...queue, waiters: 2, blocked }, now)).toBe('rising, +2 a minute');
  expect(pressureLabel({ ...queue, waiters: 2 }, now)).toBe('');
  expect(pressureLabel({ ...queue, waiters: 0, blocked, queueTrend: -1 }, now)).toBe('');
});

test('a steady queue has no trend, a shrinking one has a true minus sign', () => {
  expect(trendLabel()).toBe('');
  expect(trendLabel(0)).toBe('');
  expect(trendLabel(-12)).toBe('falling, −12 a minute');
});

test('refused attempts come with their owners and the last one', () => {
  expect(plain(refusedSentence(refused, now))).toBe(
    '214 attempts of 6 owners refused, last 6 s ago',
  );
  const one = { attempts: 1, owners: 1, areMore: false, lastAt: now };
  expect(plain(refusedSentence(one, now))).toBe('1 attempt of 1 owner refused, last just now');
  expect(plain(refusedSentence({ ...refused, owners: 20, areMore: true }, now))).toContain(
    'of over 20 owners',
  );
});
