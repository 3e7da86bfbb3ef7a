import type { LabRunsInput } from '../../contract/console/lab/lab-inputs';
import type {
  LabPreflightView,
  LabRun,
  LabRunSummary,
  LabSource,
} from '../../contract/console/lab/lab-run';
import { LockyardError } from '../../contract/errors';
import { askDatabase } from '../ask-database';
import { requireRole } from '../require-role';
import type { LabContext } from './lab-races';

/** The servers of the Lab, and which strategies can run on them. Can take seconds. */
export async function getLabPreflight(
  ctx: LabContext,
  { again }: { again: boolean },
): Promise<LabPreflightView> {
  await requireRole(ctx, 'viewer');
  return ctx.runtime.lab.preflight(again);
}

/** The stored runs, newest first. */
export async function listLabRuns(
  ctx: LabContext,
  { limit }: LabRunsInput,
): Promise<{ runs: LabRunSummary[]; asOf: number }> {
  await requireRole(ctx, 'viewer');
  const { lab, clock } = ctx.runtime;
  return { runs: await askDatabase(() => lab.table.list(limit)), asOf: clock.now() };
}

/** @throws LockyardError `NOT_FOUND` */
export async function getLabRun(ctx: LabContext, { id }: { id: string }): Promise<LabRun> {
  await requireRole(ctx, 'viewer');
  return askDatabase(() => ctx.runtime.lab.table.get(id));
}

/** @throws LockyardError `NOT_FOUND` for a strategy that the catalogue does not have */
export async function getLabSource(ctx: LabContext, { id }: { id: string }): Promise<LabSource> {
  await requireRole(ctx, 'viewer');
  const source = await ctx.runtime.lab.readSource(id);
  if (!source) throw new LockyardError('NOT_FOUND', `There is no strategy "${id}".`);
  return source;
}
