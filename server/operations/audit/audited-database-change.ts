import type { Db } from '@/db/database';
import { databaseFailure } from '@/db/database-failure';
import { LockyardError } from '../../contract/errors';
import { confirmRole } from '../confirm-role';
import type { ControlContext } from '../operation-context';
import type { AuditActor } from './audit-actor';
import { closeIntent, openIntent, tryToClose } from './audit-log';
import type { AuditedAct } from './audited-act';
import type { PermittedActor } from './permit';

/** The answer of a change to its caller, and the details for the audit log: never a secret. */
export interface ChangeResult<A> {
  answer: A;
  result?: Record<string, unknown>;
  /** Nothing had to be changed: the outcome is `not_applied`. */
  isUnchanged?: boolean;
}

/**
 * Changes the control database: first the intent, then the change and its outcome in one
 * transaction. So if an entry stays pending, certainly nothing was done. The caller must have
 * checked permission: see `permit`. A role is checked again in the transaction.
 *
 * @throws LockyardError what `change` and `confirmRole` refuse; `BACKEND_DOWN`: nothing was done;
 *   `UNKNOWN`
 */
export async function auditedDatabaseChange<A>(
  ctx: ControlContext,
  who: AuditActor | PermittedActor,
  what: AuditedAct,
  change: (tx: Db) => Promise<ChangeResult<A>>,
): Promise<A> {
  const { runtime } = ctx;
  const intent = await openIntent(ctx, who, what);
  let isConfirmed = false;
  try {
    return await runtime.database.transaction(async (tx) => {
      isConfirmed = false;
      if ('role' in who) await confirmRole(ctx, tx, who.role);
      isConfirmed = true;
      const { answer, result = {}, isUnchanged = false } = await change(tx);
      const outcome = isUnchanged ? 'not_applied' : 'done';
      await closeIntent(runtime, intent, { outcome, result }, tx);
      return answer;
    });
  } catch (error) {
    if (error instanceof LockyardError) {
      const { reason, message } = error;
      const outcome = isConfirmed ? 'failed' : 'refused';
      const result = { reason, message };
      await tryToClose(runtime, intent, () => closeIntent(runtime, intent, { outcome, result }));
    }
    throw databaseFailure(error, 'no') ?? error;
  }
}
