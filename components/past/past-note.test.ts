import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { PastNote, PastProblem } from './past-note';

test('the first recorded event, before which nothing is shown, is named in local time', () => {
  const since = Date.parse('2024-11-19T13:21:54.362Z');
  const page = renderToStaticMarkup(createElement(PastProblem, { since, live: '/' }));
  expect(page).toContain('<time dateTime="2024-11-19T13:21:54.362Z"');
  expect(page.replace(/<[^>]+>/g, '')).toMatch(
    /^This instant is before the first recorded event, at 19 Nov 2024\s13:21\. Back to live$/,
  );
});

test('only what is being recorded comes with a reload, not what an unread backend has', () => {
  const noteOf = (part: { isLagging: boolean; unread?: string[] }) =>
    renderToStaticMarkup(
      createElement(PastNote, { past: { at: 1, since: 0, isCut: false, ...part } }),
    );
  expect(noteOf({ isLagging: true })).toContain('reload in a few seconds');
  const unread = noteOf({ isLagging: false, unread: ['cache'] });
  expect(unread).toContain('Not read since then: cache. Changes there may be missing.');
  expect(unread).not.toContain('reload');
  expect(noteOf({ isLagging: false })).toBe('');
});
