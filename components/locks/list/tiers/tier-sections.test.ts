import { expect, test } from 'vitest';
import type { LockStatus } from '@/server/contract/console/console-terms';
import type { LockRow } from '@/server/contract/console/lock-row';
import { headsUntil, tierSections } from './tier-sections';

const rowsOf = (...statuses: LockStatus[]) =>
  statuses.map((status, i) => ({ id: String(i), status }) as LockRow);

const brief = (...statuses: LockStatus[]) =>
  tierSections(rowsOf(...statuses)).map(({ tier, first, rows }) => [tier, first, rows.length]);

test('each tier of what needs attention begins where its first row is', () => {
  expect(brief('stuck', 'expired', 'unknown', 'contended', 'expiring')).toEqual([
    [0, 0, 2],
    [1, 2, 1],
    [2, 3, 2],
  ]);
  expect(brief()).toEqual([]);
});

test('a row that has calmed down stays in the section that it is in', () => {
  expect(brief('stuck', 'held', 'orphaned', 'contended', 'free')).toEqual([
    [0, 0, 3],
    [2, 3, 2],
  ]);
});

test('every row has the heads of its own section and of those before above it', () => {
  const sections = tierSections(rowsOf('stuck', 'unknown', 'unknown', 'expiring'));
  expect([0, 1, 2, 3].map((place) => headsUntil(sections, place))).toEqual([1, 2, 2, 3]);
});
