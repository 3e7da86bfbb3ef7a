import type { AsOfInput } from '../../contract/console/past/past-inputs';
import type {
  DeadlockedLock,
  DeadlockRow,
  WaitGraph,
} from '../../contract/console/waits/wait-graph';
import { askDatabase } from '../ask-database';
import { throttledChanges } from '../live-updates';
import type { OperationContext } from '../operation-context';
import { requireRole } from '../require-role';

/** Slower than other pages: this is often enough to see the graph change. */
const GRAPH_UPDATES = { minMs: 1_000, maxMs: 2_000 };

const DEADLOCKS_SHOWN = 50;

/** Who waits for whom, as this process last read the locks; with `at`, as it was then. */
export async function getWaitGraph(ctx: OperationContext, { at }: AsOfInput): Promise<WaitGraph> {
  await requireRole(ctx, 'viewer');
  if (at !== undefined) return askDatabase(() => ctx.runtime.pastView.waits(at));
  return ctx.runtime.waits.read();
}

/** The wait graph whenever locks have changed, and at least every two seconds. */
export async function* watchWaits(ctx: OperationContext): AsyncGenerator<WaitGraph, void> {
  await requireRole(ctx, 'viewer');
  const { projection, waits, clock } = ctx.runtime;
  const changes = throttledChanges((on) => projection.subscribe(on), GRAPH_UPDATES, ctx.signal);
  for await (const _ of changes) yield { ...(await waits.read()), asOf: clock.now() };
}

/** The latest deadlocks, newest first, including those that have not ended. */
export async function listDeadlocks(ctx: OperationContext): Promise<DeadlockRow[]> {
  await requireRole(ctx, 'viewer');
  return askDatabase(() => ctx.runtime.deadlocks.list(DEADLOCKS_SHOWN));
}

/** The locks that are part of a deadlock now, for lists that mark them. */
export async function listDeadlockedLocks(ctx: OperationContext): Promise<DeadlockedLock[]> {
  await requireRole(ctx, 'viewer');
  return ctx.runtime.waits.deadlocked();
}
