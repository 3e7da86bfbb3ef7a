import { eq, gt } from 'drizzle-orm';
import { allOf, type Db } from '@/db/database';
import { ANSWER_RETENTION_MS } from '../../core/timing';
import type { ControlRuntime } from '../operation-context';
import { type AuditRow, requestOfIntent } from './act-identity';
import { type ActOutcome, closeIntent } from './audit-log';

/** The audit log's note on an act that was applied before, under the same request id. */
export const REPEATED = 'Repeated: this request was applied before.';

/**
 * Records that an act was done. If another entry records that for the same request, this one was a
 * repeat: the request was applied only once, and two processes that receive it at the same time do
 * not know which of them applied it.
 *
 * @param act `requestId`: the one that the caller sent, if any
 */
export async function closeDone(
  runtime: Pick<ControlRuntime, 'database' | 'clock'>,
  { intent, requestId }: { intent: string; requestId?: string | undefined },
  result: Record<string, unknown>,
): Promise<boolean> {
  const { database } = runtime;
  const { audit, namespaces } = database.tables;
  if (requestId === undefined) return closeIntent(runtime, intent, { outcome: 'done', result });
  return database.transaction(async (tx) => {
    const isOfIntent = eq(audit.intent, intent);
    const [entry] = await database.forUpdate(tx.select().from(audit).where(isOfIntent));
    // Both requests lock the same row here, so that they take turns.
    const isOfEntry = eq(namespaces.id, entry?.namespace ?? '');
    await database.forUpdate(tx.select().from(namespaces).where(isOfEntry));
    const outcome: ActOutcome =
      entry && (await isRepeat(runtime, tx, entry))
        ? { outcome: 'not_applied', result: { message: REPEATED } }
        : { outcome: 'done', result };
    return closeIntent(runtime, intent, outcome, tx);
  });
}

/** Whether another entry already records that this request was applied. */
async function isRepeat(
  { database }: Pick<ControlRuntime, 'database'>,
  tx: Db,
  entry: AuditRow,
): Promise<boolean> {
  const { audit } = database.tables;
  const request = requestOfIntent(entry);
  if (!request) return false;
  const isSame = allOf(
    eq(audit.outcome, 'done'),
    gt(audit.at, entry.at - ANSWER_RETENTION_MS),
    eq(audit.act, entry.act),
    eq(audit.subject, entry.subject),
  );
  const others = await tx.select().from(audit).where(isSame);
  return others.some((other) => {
    const theirs = requestOfIntent(other);
    return theirs?.key === request.key && theirs.inputHash === request.inputHash;
  });
}
