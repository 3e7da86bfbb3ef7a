import type { WatchHoldersInput } from '../../contract/console/console-inputs';
import type { PastHoldersInput, PastProcessRef } from '../../contract/console/past/past-inputs';
import type { HoldersPage, ProcessDetail } from '../../contract/console/waits/holder-rows';
import { askDatabase } from '../ask-database';
import { throttledChanges } from '../live-updates';
import type { OperationContext } from '../operation-context';
import { requireRole } from '../require-role';

const PAGE_UPDATES = { minMs: 1_500, maxMs: 2_000 };

/**
 * The holders of locks, by service and process, as this process last read the locks; with `at`, as
 * they were then.
 */
export async function listHolders(
  ctx: OperationContext,
  { at, search }: PastHoldersInput,
): Promise<HoldersPage> {
  await requireRole(ctx, 'viewer');
  if (at !== undefined) return askDatabase(() => ctx.runtime.pastView.holders(at, search));
  return ctx.runtime.holders.page(search);
}

/** The holders whenever locks have changed, and at least every two seconds. */
export async function* watchHolders(
  ctx: OperationContext,
  { search }: WatchHoldersInput,
): AsyncGenerator<HoldersPage, void> {
  await requireRole(ctx, 'viewer');
  const { projection, holders } = ctx.runtime;
  const changes = throttledChanges((on) => projection.subscribe(on), PAGE_UPDATES, ctx.signal);
  for await (const _ of changes) yield await holders.page(search);
}

/**
 * Everything that a process holds and waits for.
 *
 * @throws LockyardError `NOT_FOUND` for a process that neither holds a lock nor waits for one
 */
export async function getProcess(
  ctx: OperationContext,
  { process, at }: PastProcessRef,
): Promise<ProcessDetail> {
  await requireRole(ctx, 'viewer');
  if (at !== undefined) return askDatabase(() => ctx.runtime.pastView.process(at, process));
  return ctx.runtime.holders.process(process);
}
