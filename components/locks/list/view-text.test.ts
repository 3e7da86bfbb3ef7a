import { expect, test } from 'vitest';
import { readListQuery } from './list-query';
import { viewText } from './view-text';

const textOf = (query: string) => viewText(readListQuery(new URLSearchParams(query)));

test('a view is described by its filters and its order', () => {
  expect(textOf('view=all')).toBe('all locks; by severity');
  expect(textOf('view=attention&sort=held&order=descending')).toBe(
    'needs attention; longest held, reversed',
  );
  expect(textOf('state=stuck&namespace=shop&backend=redis-eu&q=cart%09&sort=name')).toBe(
    'state stuck, namespace shop, backend redis-eu, contains “cart[TAB]”; name',
  );
});
