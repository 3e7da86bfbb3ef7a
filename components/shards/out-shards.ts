import { outagesOf, type ShardHealth } from '@/server/contract/console/backend-health';
import { exactCount } from '@/server/core/format/numbers';

/** How many shards do not serve, and how: `1 not responding, 2 rejecting requests`; empty: none. */
export function outShards(shards: readonly ShardHealth[]): string {
  const outages = shards.flatMap((shard) => outagesOf(shard));
  return (['not responding', 'rejecting requests'] as const)
    .map((outage) => ({ outage, count: outages.filter((one) => one === outage).length }))
    .filter(({ count }) => count > 0)
    .map(({ outage, count }) => `${exactCount(count)} ${outage}`)
    .join(', ');
}
