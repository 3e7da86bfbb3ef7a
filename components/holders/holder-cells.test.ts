import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { OldestHold } from './holder-cells';

/** Without a reading, it is 0 by the clock of the server. */
const textOf = (grantedAt: number, knownUntil: number | null) =>
  renderToString(createElement(OldestHold, { hold: { grantedAt, knownUntil } }))
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('\u00a0', ' ');

it('the age of a hold is as exact as in the list of locks', () => {
  expect(textOf(-6_940, null)).toBe('6.9s');
  expect(textOf(-440, null)).toBe('400ms');
  expect(textOf(-6_940, -500)).toBe('≥ 6.4s');
});
