import { expect, test } from 'vitest';
import type { ShardHealth } from '@/server/contract/console/backend-health';
import { outShards } from './out-shards';

test('shards that reject requests are counted apart from those that do not respond', () => {
  const good = { reachable: true } as ShardHealth;
  const silent = { reachable: false } as ShardHealth;
  const full = { ...silent, refusal: 'It is full.' };
  expect(outShards([good])).toBe('');
  expect(outShards([good, silent])).toBe('1 not responding');
  expect(outShards([full, good, silent, full])).toBe('1 not responding, 2 rejecting requests');
});
