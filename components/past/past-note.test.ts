import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { PastProblem } from './past-note';

test('the first recorded event, before which nothing is shown, is named in local time', () => {
  const since = Date.parse('2024-11-19T13:21:54.362Z');
  const page = renderToStaticMarkup(createElement(PastProblem, { since, live: '/' }));
  expect(page).toContain('<time dateTime="2024-11-19T13:21:54.362Z"');
  expect(page.replace(/<[^>]+>/g, '')).toMatch(
    /^This instant is before the first recorded event, at 19 Nov 2024\s13:21\. Back to live$/,
  );
});
