import { expect, test } from 'vitest';
import type { LockRow } from '@/server/contract/console/lock-row';
import type { LockTier } from '@/server/core/status/lock-status';
import { blockingOf, countOf, headsUntil, tierSections } from './tier-sections';

const rowsOf = (...tiers: LockTier[]) =>
  tiers.map((tier, i) => ({ id: String(i), ...(tier !== 'normal' && { tier }) }) as LockRow);

const brief = (...tiers: LockTier[]) =>
  tierSections(rowsOf(...tiers)).map(({ tier, first, rows }) => [tier, first, rows.length]);

test('each tier of what needs attention begins where its first row is', () => {
  expect(brief('actNow', 'actNow', 'unknown', 'watch', 'watch')).toEqual([
    [0, 0, 2],
    [1, 2, 1],
    [2, 3, 2],
  ]);
  expect(brief()).toEqual([]);
});

test('a row that has calmed down stays in the section that it is in', () => {
  expect(brief('actNow', 'normal', 'actNow', 'watch', 'normal')).toEqual([
    [0, 0, 3],
    [2, 3, 2],
  ]);
});

test('the sections together count all locks that need attention, none that has calmed down', () => {
  const sections = tierSections(rowsOf('actNow', 'normal', 'unknown', 'watch', 'normal', 'normal'));
  expect(sections.map(countOf)).toEqual([1, 1, 1]);
});

test('every row has the heads of its own section and of those before above it', () => {
  const sections = tierSections(rowsOf('actNow', 'unknown', 'unknown', 'watch'));
  expect([0, 1, 2, 3].map((place) => headsUntil(sections, place))).toEqual([1, 2, 2, 3]);
});

test('the total of a section is the sum of what its rows show', () => {
  const blockedFor = (ms: number) => ({ blocked: { callers: 1, sinceSum: -ms } }) as LockRow;
  const rows = [blockedFor(12_900), blockedFor(64_900), blockedFor(30_700)];
  expect(blockingOf(rows, () => 0)).toBe(12_000 + 64_000 + 30_000);
});
