import { and, asc, eq, gt, lte, or } from 'drizzle-orm';
import { allOf } from '@/db/database';
import { LockyardError } from '../../contract/errors';
import { MINUTE_MS } from '../../core/time-units';
import { ANSWER_RETENTION_MS, INTENT_FINAL_AFTER_MS } from '../../core/timing';
import { engineOf } from '../locks/resolve-lock';
import type { Runtime } from '../operation-context';
import { type AuditRow, isRecordAct, requestOfIntent } from './act-identity';
import { assumeOutcome, closeIntent } from './audit-log';
import { readSeen } from './audited-act';
import { closeDone } from './close-done';

const AT_ONCE = 100;

/** How long an applied act certainly leaves its answer, also where two clocks differ a little. */
const TRACE_KEPT_MS = ANSWER_RETENTION_MS - MINUTE_MS;

/** Acts that may take long, in the process of their command: only that knows their outcome. */
const LONG_ACTS = ['backup.make', 'config.apply'];

type ResolverRuntime = Pick<Runtime, 'database' | 'clock' | 'log' | 'engines' | 'namespaces'>;

/**
 * Finds out the outcome of acts that have none in the audit log, for example because their process
 * was killed: an act on a lock or a counter left its answer under the intent's id, and its outcome
 * is unknown once that may have expired; a change of the control database is written together with
 * its outcome, so one without it never happened; deletions and reconciliations leave no trace, and
 * a backup or an applied file may still be under way, so their outcome is unknown. A process that
 * reports the real outcome of its act later still overrides this, except for acts without a trace.
 *
 * Run at least every 30 s by one process, this closes every intent within 60 s of its act, the
 * oldest first, unless its backend is not responding. Such a backend is tried once in a run, and
 * its intents wait for the next run; those of other backends continue. Returns how many were
 * closed.
 */
export async function resolveAuditIntents(runtime: ResolverRuntime): Promise<number> {
  const settledAt = runtime.clock.now() - INTENT_FINAL_AFTER_MS;
  const unresponsive = new Set<string>();
  let closed = 0;
  let last: AuditRow | undefined;
  do {
    const page = await openIntents(runtime, settledAt, last);
    const byBackend = new Map<string, AuditRow[]>();
    for (const intent of page) {
      const backend = await backendOf(runtime, intent);
      byBackend.set(backend, [...(byBackend.get(backend) ?? []), intent]);
    }
    const counts = [...byBackend].map(([backend, intents]) =>
      resolveOfBackend(runtime, intents, backend, unresponsive),
    );
    for (const count of await Promise.all(counts)) closed += count;
    last = page.length < AT_ONCE ? undefined : page.at(-1);
  } while (last);
  return closed;
}

/** Intents without an outcome whose act can no longer be applied, the oldest first. */
function openIntents(
  { database }: ResolverRuntime,
  settledAt: number,
  after: AuditRow | undefined,
): Promise<AuditRow[]> {
  const { audit } = database.tables;
  const isOpen = allOf(eq(audit.outcome, 'pending'), lte(audit.at, settledAt));
  const isLater =
    after && or(gt(audit.at, after.at), and(eq(audit.at, after.at), gt(audit.id, after.id)));
  return database.db
    .select()
    .from(audit)
    .where(allOf(isOpen, isLater))
    .orderBy(asc(audit.at), asc(audit.id))
    .limit(AT_ONCE);
}

/** The backend that must be asked about an act; empty where none needs to be. */
async function backendOf(
  { namespaces }: ResolverRuntime,
  { act, namespace }: AuditRow,
): Promise<string> {
  if (!namespace || !isRecordAct(act)) return '';
  const entry = namespaces.cached(namespace) ?? (await namespaces.get(namespace));
  return entry?.backend ?? '';
}

/** Resolves intents one by one until their backend fails to respond; returns how many it closed. */
async function resolveOfBackend(
  runtime: ResolverRuntime,
  intents: AuditRow[],
  backend: string,
  unresponsive: Set<string>,
): Promise<number> {
  let closed = 0;
  for (const intent of intents) {
    if (unresponsive.has(backend)) break;
    try {
      if (await resolve(runtime, intent)) closed++;
    } catch (err) {
      const { log } = runtime;
      log.warn({ err, intent: intent.intent }, 'the outcome of an audited action is not known yet');
      if (backend !== '' && isOfBackend(err)) unresponsive.add(backend);
    }
  }
  return closed;
}

/** Text that cannot be parsed is a problem of one intent, not of its backend. */
const isOfBackend = (error: unknown) => !(error instanceof SyntaxError);

async function resolve(runtime: ResolverRuntime, intent: AuditRow): Promise<boolean> {
  const interrupted = INTERRUPTED[intent.act];
  if (interrupted) {
    const result = { message: interrupted };
    return closeIntent(runtime, intent.intent, { outcome: 'unknown', result });
  }
  if (LONG_ACTS.includes(intent.act)) return assumeOutcome(runtime, intent.intent, 'unfinished');
  const answer = await readOutcome(runtime, intent);
  if (answer === null) {
    const mayBeGone = isRecordAct(intent.act) && runtime.clock.now() >= intent.at + TRACE_KEPT_MS;
    return assumeOutcome(runtime, intent.intent, mayBeGone ? 'traceExpired' : 'noTrace');
  }
  const { requestId } = readSeen(intent.seen);
  return closeDone(runtime, { intent: intent.intent, requestId }, answer);
}

const DELETION = 'Interrupted: any of them may have been deleted.';

/** Acts that leave no trace, and what may have happened if their process died meanwhile. */
const INTERRUPTED: Record<string, string | undefined> = {
  'lock.delete': DELETION,
  'counter.delete': DELETION,
  'counter.reconcile': 'Interrupted: the gate may have the value, and will read it again.',
};

/** The stored answer of the act; null if it was not applied: only changes have stored answers. */
async function readOutcome(
  runtime: ResolverRuntime,
  intent: AuditRow,
): Promise<Record<string, unknown> | null> {
  const { namespace } = intent;
  const request = requestOfIntent(intent);
  if (!namespace || !request) return null;
  try {
    const engine = await engineOf({ runtime }, namespace);
    return (await engine.rememberedAnswer(request)) as Record<string, unknown> | null;
  } catch (error) {
    if (error instanceof LockyardError && error.reason === 'NOT_FOUND') return null;
    throw error;
  }
}
