import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { WaitTotals } from './wait-totals';

const textOf = (waiting: number, blockingMs: number, isFiltered = false) =>
  renderToString(createElement(WaitTotals, { graph: { waiting, blockingMs }, isFiltered }))
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('\u00a0', ' ');

const statusOf = (waiting: number, blockingMs: number, isFiltered = false) =>
  renderToString(createElement(WaitTotals, { graph: { waiting, blockingMs }, isFiltered })).match(
    /<span role="status">(.*?)<\/span>/,
  )?.[1];

it('a screen reader announces how many wait, but not the time, which changes every second', () => {
  expect(statusOf(3, 61_000)).toBe('3\u00a0callers waiting');
  expect(statusOf(3, 62_000)).toBe('3\u00a0callers waiting');
  expect(statusOf(0, 0)).toBe('');
});

it('the time is as exact as in the list of locks, and never rounded down to 0 s', () => {
  expect(textOf(3, 61_900)).toBe('3 callers waiting, 1m 01s in total');
  expect(textOf(3, 2_940)).toBe('3 callers waiting, 2.9s in total');
  expect(textOf(1, 440)).toBe('1 caller waiting, 400ms in total');
});

it('beside a filter it says that the totals are those of all locks', () => {
  expect(textOf(3, 61_900, true)).toBe('3 callers waiting on all locks, 1m 01s in total');
});
