import { formatDuration } from '../../../client/command/terminal/duration';
import { outagesOf, refusalText } from '../../contract/console/backend-health';
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
    latencyMs: latencyMs === null ? null : tenths(latencyMs),
    silentForMs,
    refusal: more.refusal ?? null,
    shards: (more.shards ?? []).map((shard) => ({
      name: shard.name,
      reachable: shard.reachable,
      refusal: shard.refusal ?? null,
    })),
  }));
  const rows = health.map((each) => ({
    id: each.id,
    kind: each.kind,
    status: outagesOf(each).join(' or ') || 'responding',
    latency: each.latencyMs === null ? null : `${tenths(each.latencyMs)} ms`,
    'last response': `${formatDuration(each.silentForMs)} ago`,
    shards: (each.shards ?? []).map(({ name }) => name),
    reason: refusalText(each) || null,
  }));
  return { text: textTable(rows), data: { backends } };
}

const tenths = (ms: number) => Math.round(ms * 10) / 10;
