import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { BackendHealth } from '@/server/contract/console/backend-health';
import { BackendFacts } from './backend-facts';

function skewOf(clockOffsetMs: number, reachable = true): string {
  const backend = { kind: 'mysql', reachable, latencyMs: 2, silentForMs: 0, clockOffsetMs };
  const html = renderToString(
    createElement(BackendFacts, { backend: backend as BackendHealth, namespaces: null }),
  );
  const [, skew = ''] = /Clock skew<\/dt><dd>(.*?)<\/dd>/.exec(html) ?? [];
  return skew.replaceAll(/<[^>]*>/g, '').replaceAll('\u00a0', ' ');
}

test('a clock skew that is shown is never said to be 0 s', () => {
  expect(skewOf(240)).toBe('in sync');
  expect(skewOf(400)).toBe('400 ms ahead of the server');
  expect(skewOf(-12_000)).toBe('12 s behind the server');
});

test('the clock skew of a backend that does not respond is that of its last response', () => {
  expect(skewOf(0, false)).toBe('in sync at the last response');
});
