import type { Role } from '../../contract/console/console-terms';
import { LockyardError } from '../../contract/errors';
import type { ControlContext } from '../operation-context';
import { requireRole } from '../require-role';
import { type AuditActor, auditActor } from './audit-actor';
import type { AuditedAct } from './audited-act';

/** An actor whose role was checked. */
export interface PermittedActor extends AuditActor {
  /** The least role for the act, to be checked again where the act happens. */
  role: Role;
}

/** The actor, if permitted. A refused attempt is recorded too. Throws as `requireRole`. */
export async function permit(
  ctx: ControlContext,
  role: Role,
  what: AuditedAct,
): Promise<PermittedActor> {
  try {
    return { ...auditActor(await requireRole(ctx, role)), role };
  } catch (refusal) {
    const { actor } = ctx;
    if (actor?.kind === 'user' && refusal instanceof LockyardError) {
      await ctx.runtime.refusedActs.record(ctx, auditActor(actor), what, refusal.message);
    }
    throw refusal;
  }
}
