import { expect, test } from 'vitest';
import { findNote, namesWith } from './find-note';

const answered = { isPending: false, error: null };
const pending = { isPending: true, error: null };
const failed = { isPending: false, error: new Error('fetch failed') };

test('“nothing found” is shown only once every query was answered', () => {
  expect(findNote([answered, answered], false, true)).toBe('Nothing found.');
  expect(findNote([answered, pending], false, true)).toBe('Searching…');
  expect(findNote([answered, answered], true, true)).toBe('Searching…');
  expect(findNote([answered, pending], true, false)).toBeNull();
});

test('a query that failed is reported, also beside the results of others', () => {
  const note = 'Search incomplete: Server not responding.';
  expect(findNote([failed, answered], false, true)).toBe(note);
  expect(findNote([answered, failed], false, false)).toBe(note);
});

test('a namespace is found whatever the case, as locks are', () => {
  expect(namesWith(['billing', 'media'], 'Bill')).toEqual(['billing']);
});
