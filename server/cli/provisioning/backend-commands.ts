import { refusalText } from '../../contract/console/backend-health';
import { listBackends } from '../../operations/backends/list-backends';
import type { ControlContext } from '../../operations/operation-context';
import type { CliAnswer } from '../cli-answer';
import { requireServer } from '../require-server';
import { textTable } from './text-table';

/** The state of each backend, as the running server last saw it. */
export async function listAllBackends(ctx: ControlContext): Promise<CliAnswer> {
  const health = await listBackends(requireServer(ctx));
  const backends = health.map(({ id, kind, reachable, latencyMs, silentForMs, ...more }) => ({
    id,
    kind,
    reachable,
    latencyMs: latencyMs === null ? null : Math.round(latencyMs * 10) / 10,
    silentForMs,
    refusal: more.refusal ?? null,
    shards: (more.shards ?? []).map((shard) => ({
      name: shard.name,
      reachable: shard.reachable,
      refusal: shard.refusal ?? null,
    })),
  }));
  const reasons = health.map(refusalText);
  const rows = backends.map(({ shards, ...row }, place) => ({
    ...row,
    refusal: reasons[place] || null,
    shards: shards.map(({ name }) => name),
  }));
  return { text: textTable(rows), data: { backends } };
}
