import { expect, test } from 'vitest';
import { mostAlike, searchedHalves } from './similar-names';

const named = (...names: string[]) => names.map((name) => ({ name }));

test('a name with one mistake is found by the half without it', () => {
  for (const typed of ['cron:nightly-reprot', 'corn:nightly-report', 'cron:nightly-repor']) {
    expect(searchedHalves(typed).some((half) => 'cron:nightly-report'.includes(half))).toBe(true);
  }
  expect(searchedHalves('job')).toEqual(['job']);
});

test('the names that are most alike come first, and those that are not alike are left out', () => {
  const all = named('cron:nightly-repair', 'cron:nightly-report', 'nightly', 'shop:sku-1');
  expect(mostAlike('cron:nightly-reprot', all, 2)).toEqual(
    named('cron:nightly-report', 'cron:nightly-repair'),
  );
  expect(mostAlike('CRON:nightly-report', all, 1)).toEqual(named('cron:nightly-report'));
  expect(mostAlike('x', all, 5)).toEqual([]);
});
