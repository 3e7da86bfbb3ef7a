import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { CounterRow } from '@/server/contract/console/counter-row';
import { CounterTable } from './counter-table';

const ROW = {
  ...{ id: 'default/shop/stock', namespace: 'shop', name: 'stock', backend: 'default' },
  ...{ value: 7, floor: 0, ceiling: null, isKnown: true, lastMove: null },
} as CounterRow;

const cellsOf = (courses: Record<string, never> | undefined | null) => {
  const html = renderToStaticMarkup(
    createElement(CounterTable, { rows: [ROW], courses, selecting: null }),
  );
  return { heads: html.match(/<th\b/g)?.length, cells: html.match(/<td\b/g)?.length, html };
};

test('counters without a course, as in the past, have no empty column for it', () => {
  const live = cellsOf(undefined);
  expect(live.html).toContain('Last hour');
  const past = cellsOf(null);
  expect(past.html).not.toContain('Last hour');
  expect(past.heads).toBe(6);
  expect(past.cells).toBe(6);
});
