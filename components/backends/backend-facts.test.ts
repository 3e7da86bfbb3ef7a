import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { BackendHealth } from '@/server/contract/console/backend-health';
import type { GuaranteeRow } from '@/server/contract/console/guarantee-row';
import type { NamespaceRow } from '@/server/contract/console/namespace-row';
import { BackendFacts } from './backend-facts';

const OPEN = { closedBecause: null } as GuaranteeRow;

function factOf(
  label: string,
  part: Partial<BackendHealth>,
  row: GuaranteeRow | null = OPEN,
  locks: number | null = null,
) {
  const healthy = {
    kind: 'mysql',
    reachable: true,
    latencyMs: 2,
    silentForMs: 0,
    clockOffsetMs: 0,
  };
  const backend = { ...healthy, ...part } as BackendHealth;
  const namespaces = locks === null ? null : [{ name: 'shop', locks } as NamespaceRow];
  const html = renderToString(createElement(BackendFacts, { backend, row, namespaces }));
  const [, fact = ''] = new RegExp(`${label}</dt><dd>(.*?)</dd>`).exec(html) ?? [];
  return fact.replaceAll(/<[^>]*>/g, '').replaceAll('\u00a0', ' ');
}

const skewOf = (clockOffsetMs: number, reachable = true) =>
  factOf('Clock skew', { clockOffsetMs, reachable });

test('a displayed clock skew is never 0 s', () => {
  expect(skewOf(240)).toBe('in sync');
  expect(skewOf(400)).toBe('400 ms ahead of the server');
  expect(skewOf(-12_000)).toBe('12 s behind the server');
});

test('the clock skew of a backend that does not serve is the last known one', () => {
  expect(skewOf(0, false)).toBe('in sync, last known');
});

test('a responding backend is not shown as healthy while a data loss prevents grants', () => {
  const lossOf = (quietForMs: number) => {
    return { loss: { at: 1, what: 'restarted' as const, agoMs: 5_000, quietForMs } };
  };
  expect(factOf('Status', {})).toBe('healthy');
  expect(factOf('Status', lossOf(0))).toBe('healthy');
  expect(factOf('Status', lossOf(549_000))).toBe('responding, grants paused');
});

test('a backend whose guarantees forbid grants is not shown as healthy', () => {
  const closed = { closedBecause: 'It evicts keys.' } as GuaranteeRow;
  expect(factOf('Status', {}, closed)).toBe('responding, grants disabled');
  expect(factOf('Status', {}, null)).toBe('responding');
  expect(factOf('Status', { reachable: false, silentForMs: 9_000 }, closed)).toBe(
    'no response for 9 s',
  );
});

test('a sharded backend has the state of its worst shard, and a disabled one is not silent', () => {
  const shards = [{ loss: { quietForMs: 9_000 } }, {}] as NonNullable<BackendHealth['shards']>;
  expect(factOf('Status', { shards })).toBe('responding, grants paused');
  const disabled = { shards, reachable: false, refusal: 'Another shard list is in force.' };
  expect(factOf('Status', disabled)).toBe('disabled on this server');
  const [good, silent] = [{ reachable: true }, { reachable: false }];
  const out = (...parts: object[]) => ({
    ...{ shards: parts as typeof shards, reachable: false, silentForMs: 9_000 },
  });
  const rejecting = { ...silent, refusal: 'It is read-only.' };
  expect(factOf('Status', out(good, rejecting))).toBe('rejects requests');
  expect(factOf('Status', out(rejecting, silent))).toBe('no response for 9 s');
});

test('why a store rejects requests is said once, by the verdict or else by the status', () => {
  const refusal = 'This Redis is a replica.';
  const rejecting = { reachable: false, refusal };
  const row = { closedBecause: null, reading: { reasons: [refusal] } } as GuaranteeRow;
  expect(factOf('Status', rejecting, row)).toBe('rejects requests');
  expect(factOf('Status', rejecting)).toBe(refusal);
});

test('a backend that does not respond, and was never read, is not shown as having no locks', () => {
  expect(factOf('Locks', {}, OPEN, 0)).toBe('0');
  expect(factOf('Locks', { reachable: false }, OPEN, 0)).toBe('unknown');
  expect(factOf('Locks', { reachable: false }, OPEN, 3)).toMatch(/^3, shown as unknown/);
});
