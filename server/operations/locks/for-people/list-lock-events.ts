import type { z } from 'zod';
import type { lockEventsInput } from '../../../contract/console/console-inputs';
import type { EventRow } from '../../../contract/console/lock-row';
import type { OperationContext } from '../../operation-context';
import { requireRole } from '../../require-role';

/** A lock's history, newest first; `older` is the `before` of the next page, or null at the end. */
export async function listLockEvents(
  ctx: OperationContext,
  input: z.output<typeof lockEventsInput>,
): Promise<{ rows: EventRow[]; older: string | null }> {
  await requireRole(ctx, 'viewer');
  return ctx.runtime.events.list(input);
}
