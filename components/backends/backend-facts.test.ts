import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { BackendHealth } from '@/server/contract/console/backend-health';
import { BackendFacts } from './backend-facts';

function skewOf(clockOffsetMs: number): string {
  const backend = { kind: 'mysql', reachable: true, latencyMs: 2, clockOffsetMs };
  const html = renderToString(
    createElement(BackendFacts, { backend: backend as BackendHealth, namespaces: null }),
  );
  return /Clock skew<\/dt><dd>([^<]*)/.exec(html)?.[1]?.replaceAll('\u00a0', ' ') ?? '';
}

test('a clock skew that is shown is never said to be 0 s', () => {
  expect(skewOf(240)).toBe('in sync');
  expect(skewOf(400)).toBe('400 ms ahead of the server');
  expect(skewOf(-12_000)).toBe('12 s behind the server');
});
