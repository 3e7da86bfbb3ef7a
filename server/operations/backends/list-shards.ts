import type { BackendHealth } from '../../contract/console/backend-health';
import type {
  ShardHome,
  ShardHomeInput,
  ShardNamesInput,
  ShardsPage,
} from '../../contract/console/shard-row';
import { LockyardError } from '../../contract/errors';
import { namesOnShards } from '../../monitoring/projection/names-on-shards';
import type { OperationContext } from '../operation-context';
import { requireRole } from '../require-role';

/**
 * The shards of a backend and the names on them, as this process last read them.
 *
 * @throws LockyardError `NOT_FOUND` for a backend without shards
 */
export async function listShards(
  ctx: OperationContext,
  input: ShardNamesInput,
): Promise<ShardsPage> {
  await requireRole(ctx, 'viewer');
  return namesOnShards(ctx.runtime.projection, shardedHealth(ctx, input.backend), input);
}

/**
 * Which shard a name belongs to, by the list of shards that this process has. Reads no shard.
 *
 * @throws LockyardError `NOT_FOUND` for a backend without shards
 */
export async function findShardOfName(
  ctx: OperationContext,
  { backend, namespace, name }: ShardHomeInput,
): Promise<ShardHome> {
  await requireRole(ctx, 'viewer');
  const { shards = [] } = shardedHealth(ctx, backend);
  const homeOf = (kind?: 'counter') => {
    const id = ctx.runtime.projection.storeIdOf(backend, {
      namespace,
      name,
      ...(kind && { kind }),
    });
    return shards.find((shard) => shard.id === id)?.name ?? '';
  };
  return { lock: homeOf(), counter: homeOf('counter') };
}

function shardedHealth({ runtime }: OperationContext, backend: string): BackendHealth {
  const health = runtime.engines.get(backend)?.health();
  if (health?.shards) return health;
  throw new LockyardError('NOT_FOUND', `There is no backend "${backend}" with shards.`);
}
