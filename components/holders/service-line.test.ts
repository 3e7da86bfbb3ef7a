import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { ProcessRow } from '@/server/contract/console/waits/holder-rows';
import { ServiceLine } from './service-line';

const process = (part: Partial<ProcessRow>) =>
  ({
    verdict: null,
    holds: 0,
    waits: 0,
    blocked: 0,
    blockingMs: 0,
    oldest: null,
    ...part,
  }) as ProcessRow;

/** A service with one holder and two waiting processes listed, and more holders in all. */
function textOf(holders: number, isCut: boolean): string {
  const rows = [process({ holds: 1 }), process({ waits: 1 }), process({ waits: 1 })];
  const all = { service: 'orders', processes: holders, holds: holders };
  const options = { isFolded: false, onToggle: () => {} };
  return renderToString(
    createElement(ServiceLine, { service: 'orders', rows, all, isCut, ...options }),
  )
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('\u00a0', ' ');
}

it('counts the processes that are not listed', () => {
  expect(textOf(1, false)).toMatch(/^orders 3 processes–.*2 waiting/);
  expect(textOf(5, false)).toContain('7 processes, 4 not listed');
});

it('counts only the least where more may be waiting than are listed', () => {
  expect(textOf(1, true)).toMatch(/^orders ≥ 3 processes.*≥ 2 waiting/);
  expect(textOf(5, true)).toContain('≥ 7 processes, 3 listed');
});
