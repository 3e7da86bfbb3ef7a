import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { WaitTotals } from './wait-totals';

const statusOf = (waiting: number, blockingMs: number) =>
  renderToString(createElement(WaitTotals, { graph: { waiting, blockingMs } })).match(
    /<span role="status">(.*?)<\/span>/,
  )?.[1];

it('a screen reader announces how many wait, but not the time, which changes every second', () => {
  expect(statusOf(3, 61_000)).toBe('3\u00a0callers waiting');
  expect(statusOf(3, 62_000)).toBe('3\u00a0callers waiting');
  expect(statusOf(0, 0)).toBe('');
});
