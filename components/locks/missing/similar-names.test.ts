import { expect, test } from 'vitest';
import { mostAlike, searchedParts } from './similar-names';

const named = (...names: string[]) => names.map((name) => ({ name }));

test('a name with one mistake is found by a part without the mistake', () => {
  const name = 'cron:nightly-report';
  for (let at = 0; at < name.length - 1; at++) {
    const swapped = name.slice(0, at) + name[at + 1] + name[at] + name.slice(at + 2);
    const shorter = name.slice(0, at) + name.slice(at + 1);
    for (const typed of [swapped, shorter]) {
      expect(searchedParts(typed).some((part) => name.includes(part))).toBe(true);
    }
  }
  expect(searchedParts('job')).toEqual(['job']);
});

test('the most similar names come first, and those that are not similar are left out', () => {
  const all = named('cron:nightly-repair', 'cron:nightly-report', 'nightly', 'shop:sku-1');
  expect(mostAlike('cron:nightly-reprot', all, 2)).toEqual(
    named('cron:nightly-report', 'cron:nightly-repair'),
  );
  expect(mostAlike('CRON:nightly-report', all, 1)).toEqual(named('cron:nightly-report'));
  expect(mostAlike('x', all, 5)).toEqual([]);
});
