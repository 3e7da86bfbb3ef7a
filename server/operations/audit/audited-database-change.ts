import type { Db } from '@/db/database';
import { databaseFailure } from '@/db/database-failure';
import { LockyardError } from '../../contract/errors';
import type { ControlContext } from '../operation-context';
import { type AuditActor, type AuditedAct, closeIntent, openIntent } from './audit-log';

/** The answer of a change to its caller, and the details for the audit log: never a secret. */
export interface ChangeResult<A> {
  answer: A;
  result?: Record<string, unknown>;
  /** Everything was so already: the outcome is `not_applied`. */
  isUnchanged?: boolean;
}

/**
 * Changes the control database: intent first, then the change and its outcome in one transaction,
 * so that an entry that stayed pending tells for certain that nothing was done. The caller has
 * checked permission: see `permit`.
 *
 * @throws LockyardError what `change` refuses; `BACKEND_DOWN`: nothing was done; `UNKNOWN`
 */
export async function auditedDatabaseChange<A>(
  ctx: ControlContext,
  who: AuditActor,
  what: AuditedAct,
  change: (tx: Db) => Promise<ChangeResult<A>>,
): Promise<A> {
  const { runtime } = ctx;
  const intent = await openIntent(ctx, who, what);
  try {
    return await runtime.database.transaction(async (tx) => {
      const { answer, result = {}, isUnchanged = false } = await change(tx);
      const outcome = isUnchanged ? 'not_applied' : 'done';
      await closeIntent(runtime, tx, intent, outcome, result);
      return answer;
    });
  } catch (error) {
    if (error instanceof LockyardError) {
      const { reason, message } = error;
      await closeIntent(runtime, runtime.database.db, intent, 'failed', { reason, message }).catch(
        (err) =>
          runtime.log.warn(
            { err, intent },
            'could not write the outcome of an audited action; it is resolved later',
          ),
      );
    }
    throw databaseFailure(error, 'no') ?? error;
  }
}
