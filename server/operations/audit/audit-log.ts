import { and, eq, or } from 'drizzle-orm';
import { allOf, type Db } from '@/db/database';
import { databaseFailure } from '@/db/database-failure';
import { auditSubject } from '@/db/recorded/audit-subject';
import { randomText } from '../../auth/random-text';
import type { AuditEntry } from '../../contract/console/audit-entry';
import type { ControlContext, ControlRuntime } from '../operation-context';
import { type AuditActor, auditActor } from './audit-actor';
import type { AuditedAct } from './audited-act';

/** How an act ended, and details of it: never a secret. */
export interface ActOutcome {
  outcome: AuditEntry['outcome'];
  result: Record<string, unknown>;
}

const INTENT_CHARS = 22;

/**
 * Records what is about to be done, and returns the intent's id: 22 unguessable letters and digits.
 * If this fails, nothing must be done; throws `BACKEND_DOWN` when the database is not responding.
 */
export async function openIntent(
  ctx: ControlContext,
  who: AuditActor,
  what: AuditedAct,
): Promise<string> {
  return writeEntry(ctx, who, what, { outcome: 'pending', result: {}, closedAt: null });
}

/**
 * Records an attempt that was refused before anything was done; for `RefusedActs`, which counts
 * further attempts. Returns the entry's id.
 */
export async function writeRefusal(
  ctx: ControlContext,
  who: AuditActor,
  what: AuditedAct,
  why: string,
): Promise<string> {
  const closedAt = ctx.runtime.clock.now();
  return writeEntry(ctx, who, what, { outcome: 'refused', result: { message: why }, closedAt });
}

/** Records an event that this server has noticed. */
export async function recordSystemEvent(
  ctx: ControlContext,
  what: AuditedAct,
  result: Record<string, unknown>,
): Promise<void> {
  const closedAt = ctx.runtime.clock.now();
  await writeEntry(ctx, auditActor({ kind: 'system' }), what, {
    outcome: 'done',
    result,
    closedAt,
  });
}

/**
 * Writes the known outcome of an intent. Only the first outcome is kept, but a known outcome
 * replaces an assumed one.
 *
 * @param db the transaction that the write is part of, if any
 */
export async function closeIntent(
  { database, clock }: Pick<ControlRuntime, 'database' | 'clock'>,
  intent: string,
  { outcome, result }: ActOutcome,
  db: Db = database.db,
): Promise<boolean> {
  const { audit } = database.tables;
  const isOpen = or(
    eq(audit.outcome, 'pending'),
    ...Object.values(ASSUMPTIONS).map((assumed) =>
      and(eq(audit.outcome, assumed.outcome), eq(audit.result, assumed.result)),
    ),
  );
  const written = await db
    .update(audit)
    .set({ outcome, result: JSON.stringify(result), closedAt: clock.now() })
    .where(allOf(eq(audit.intent, intent), isOpen));
  return database.affectedRows(written) === 1;
}

/**
 * Runs a write of an intent's known outcome. Never rejects: the act has ended, so its caller is
 * answered even if its outcome can only be written later, by `resolveAuditIntents`.
 */
export async function tryToClose(
  { log }: Pick<ControlRuntime, 'log'>,
  intent: string,
  close: () => Promise<unknown>,
): Promise<void> {
  try {
    await close();
  } catch (err) {
    const text = 'could not write the outcome of an audited action; it is resolved later';
    log.warn({ err, intent }, text);
  }
}

/**
 * What another process assumes of an act; the process that ran it may still write the real outcome.
 */
const ASSUMPTIONS = {
  noTrace: assumed('not_applied', 'No trace of it was found.'),
  /** There is no trace, but one might have been deleted by now. */
  traceExpired: assumed('unknown', 'Its trace may have expired before it was looked for.'),
  /** Only the process that runs the act knows its outcome, and the act may take long. */
  unfinished: assumed('unknown', 'Not finished yet, or interrupted.'),
} as const;

function assumed(outcome: 'not_applied' | 'unknown', message: string) {
  return { outcome, result: JSON.stringify({ message }) };
}

/** Closes an open intent of another process with an outcome that is assumed. */
export async function assumeOutcome(
  { database, clock }: Pick<ControlRuntime, 'database' | 'clock'>,
  intent: string,
  assumption: keyof typeof ASSUMPTIONS,
): Promise<boolean> {
  const { audit } = database.tables;
  const written = await database.db
    .update(audit)
    .set({ ...ASSUMPTIONS[assumption], closedAt: clock.now() })
    .where(allOf(eq(audit.intent, intent), eq(audit.outcome, 'pending')));
  return database.affectedRows(written) === 1;
}

async function writeEntry(
  ctx: ControlContext,
  who: AuditActor,
  what: AuditedAct,
  state: ActOutcome & { closedAt: number | null },
): Promise<string> {
  const { database, clock } = ctx.runtime;
  const intent = randomText(INTENT_CHARS);
  try {
    await database.db.insert(database.tables.audit).values({
      intent,
      at: clock.now(),
      actor: who.name,
      actorKind: who.kind,
      address: ctx.address.slice(0, 64),
      act: what.act,
      namespace: what.namespace ?? null,
      // A longer subject is cut; its parts are in `seen` too.
      subject: auditSubject(what.subject),
      reason: what.reason ?? '',
      seen: JSON.stringify({ ...what.seen, requestId: what.requestId }),
      ...state,
      result: JSON.stringify(state.result),
    });
    return intent;
  } catch (error) {
    // Nothing has been done yet, whether or not the entry was written.
    throw databaseFailure(error, 'no') ?? error;
  }
}
