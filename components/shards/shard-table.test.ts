import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { ShardsPage } from '@/server/contract/console/shard-row';
import { ShardTable } from './shard-table';

test('a shard that does not respond has no latency', () => {
  const shard = { id: 'a', name: 'a', latencyMs: 7, silentForMs: 20_000, locks: 1, counters: 0 };
  const tableOf = (reachable: boolean) => {
    const shards = [{ ...shard, reachable }] as ShardsPage['shards'];
    return renderToString(createElement(ShardTable, { shards, only: null, onOnly: () => {} }));
  };
  expect(tableOf(true)).toContain('7.0\u00a0ms');
  expect(tableOf(false)).not.toContain('7.0\u00a0ms');
});
