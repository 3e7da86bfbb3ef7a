import type { PastChangeInput, PastMinuteInput } from '../../contract/console/past/past-inputs';
import type { ChangeOf } from '../../monitoring/past/past-range';
import { askDatabase } from '../ask-database';
import type { OperationContext } from '../operation-context';
import { requireRole } from '../require-role';

/** Since when the past can be shown, on this server's clock; null: nothing is recorded. */
export async function getPastRange(ctx: OperationContext) {
  await requireRole(ctx, 'viewer');
  const { pastView, clock } = ctx.runtime;
  return askDatabase(async () => ({ ...(await pastView.range.since()), asOf: clock.now() }));
}

/** The roll-ups of the minute around an instant; null: there are none. */
export async function getPastMinute(ctx: OperationContext, { at }: PastMinuteInput) {
  await requireRole(ctx, 'viewer');
  return askDatabase(() => ctx.runtime.pastView.minute(at));
}

/** The nearest recorded change before or after an instant; null if there is none nearby. */
export async function findPastChange(
  ctx: OperationContext,
  { at, direction, of, namespace, name }: PastChangeInput,
): Promise<{ at: number | null }> {
  await requireRole(ctx, 'viewer');
  let changeOf: ChangeOf = of;
  if (namespace !== undefined && name !== undefined) {
    const kind = of === 'counters' ? ({ kind: 'counter' } as const) : {};
    changeOf = { namespace, name, ...kind };
  }
  const { range } = ctx.runtime.pastView;
  return askDatabase(async () => ({ at: await range.change(changeOf, at, direction) }));
}
