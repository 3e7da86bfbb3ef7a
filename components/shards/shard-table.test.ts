import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { ShardsPage } from '@/server/contract/console/shard-row';
import { ShardTable } from './shard-table';

const shard = { id: 'a', name: 'a', latencyMs: 7, silentForMs: 20_000, locks: 1, counters: 0 };

const tableOf = (part: object, closed: string | null = null) => {
  const shards = [{ ...shard, reachable: true, ...part }] as ShardsPage['shards'];
  return renderToString(createElement(ShardTable, { shards, closed, only: null, onOnly() {} }));
};

test('a shard that does not respond has no latency', () => {
  expect(tableOf({})).toContain('7.0\u00a0ms');
  expect(tableOf({ reachable: false })).not.toContain('7.0\u00a0ms');
});

test('a shard that does not respond, and was never read, is not shown as having no names', () => {
  expect(tableOf({ locks: 0 })).not.toContain('?');
  const silent = tableOf({ reachable: false, locks: 12 });
  expect(silent).toContain('title="Last known">12<');
  expect(silent).toContain('title="Unknown">?<');
});

test('a shard that grants nothing is not shown as healthy', () => {
  expect(tableOf({})).toContain('healthy');
  const pausedTable = tableOf({ loss: { quietForMs: 5_000 } });
  expect(pausedTable).toContain('grants paused');
  expect(pausedTable).not.toContain('healthy');
  expect(tableOf({}, 'grants disabled')).toContain('grants disabled');
  expect(tableOf({}, 'grants disabled')).not.toContain('healthy');
});

test('the share of a shard is of the names of all shards, and unknown while one is silent', () => {
  const shareOf = (...parts: object[]) => {
    const shards = parts.map((part, place) => ({
      ...shard,
      id: `${place}`,
      reachable: true,
      ...part,
    })) as ShardsPage['shards'];
    return renderToString(
      createElement(ShardTable, { shards, closed: null, only: null, onOnly() {} }),
    );
  };
  expect(shareOf({ locks: 3 }, { locks: 1 })).toContain('75\u202f%');
  expect(shareOf({ locks: 3 }, { locks: 1, reachable: false })).not.toContain('\u202f%');
  expect(shareOf({ locks: 0 })).not.toContain('NaN');
});
