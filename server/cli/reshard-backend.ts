import { eq } from 'drizzle-orm';
import type { Database, Db } from '@/db/database';
import { LockyardError } from '../contract/errors';
import { EPOCH_MAX } from '../core/fencing-token';
import { auditedDatabaseChange } from '../operations/audit/audited-database-change';
import { permit } from '../operations/audit/permit';
import type { ControlContext } from '../operations/operation-context';
import { backendPast } from '../storage/incarnation/backend-past';
import { recordedPosition } from '../storage/recorded-position';
import { Resharding } from '../storage/sharding/resharding';

/** The backend, and the shard list that the calling command expects this process to have. */
export interface ReshardInput {
  backend: string;
  /** The names of its shards. */
  shards: string[];
}

/**
 * Applies this process's list of shards, and returns what to report about it. Records move to
 * their new shards with their values, freezes and tokens. Holds of moved locks end, the backend's
 * epoch rises, and moved locks are not granted before the longest remaining lease has expired.
 * Meanwhile the backend serves no requests: only then does its epoch rise, so that no two processes
 * ever grant in two epochs.
 *
 * If interrupted at any moment, the backend stays closed and nothing is lost: the next run resumes.
 * The audit log records the start before any change, and the outcome before it serves again.
 *
 * @throws LockyardError `FORBIDDEN`; `NOT_FOUND` for a backend without shards; `CONFLICT` if data
 * might be lost, there is nothing to do, another reshard has begun, or this process has a different
 * list from the calling command; `BACKEND_DOWN` if a shard does not respond; `UNKNOWN` if it was
 * interrupted
 */
export async function reshardBackend(
  ctx: ControlContext,
  { backend, shards: expected }: ReshardInput,
): Promise<string> {
  const { config, database, clock } = ctx.runtime;
  const what = { act: 'backend.reshard', subject: backend } as const;
  const who = await permit(ctx, 'admin', what);
  const list = config.backends.find(({ id }) => id === backend)?.shards;
  if (!list) throw new LockyardError('NOT_FOUND', `There is no backend "${backend}" with shards.`);
  const to = list.shards.map(({ name }) => name);
  if (to.join() !== expected.join()) {
    throw new LockyardError(
      'CONFLICT',
      `The running server has another list of shards for "${backend}": ${to.join(', ')}. ` +
        'Restart it with this one, then run this again. Nothing was changed.',
    );
  }
  const resharding = await Resharding.begin(backend, list);
  try {
    const past = await backendPast(database, backend, clock.now());
    const epoch = Math.max(past.epoch, resharding.inspection.generation) + 1;
    if (epoch > EPOCH_MAX) {
      throw new LockyardError('CONFLICT', `The backend "${backend}" has used up its epochs.`);
    }
    const seen = { from: resharding.inspection.members, to };
    await auditedDatabaseChange(
      ctx,
      who,
      { ...what, seen: { step: 'begin', ...seen } },
      async () => ({ answer: undefined, result: { epoch } }),
    );
    const done = await reportingInterruption(backend, () =>
      resharding.move(epoch, (shard) => recordedPosition(database, shard)),
    );
    const grantsFrom = await auditedDatabaseChange(
      ctx,
      who,
      { ...what, seen: { step: 'end', ...seen } },
      async (tx) => {
        const raised = { epoch, grantsFrom: done.grantsFrom };
        const answer = await raiseEpoch(database, tx, backend, raised);
        return { answer, result: { epoch, ...done } };
      },
    );
    await reportingInterruption(backend, () => resharding.serve(epoch, grantsFrom));
    const until =
      done.grantsFrom === 0
        ? 'No locks were held: grants resume immediately.'
        : 'Moved and never used names are granted from ' +
          `${new Date(done.grantsFrom).toISOString()}: until then, earlier leases may still be ` +
          'in use.';
    return (
      `The backend "${backend}" now uses ${to.length} shards: ${to.join(', ')}. ${done.moved} ` +
      `of ${done.records} locks and counters were moved. The epoch is ${epoch}. ${until}`
    );
  } finally {
    await resharding.close();
  }
}

/**
 * Records the backend's new epoch, and the instant from which it grants, unless it already grants
 * only later. Returns that instant, or 0.
 *
 * @throws LockyardError `CONFLICT` if it has reached that epoch meanwhile
 */
async function raiseEpoch(
  database: Database,
  tx: Db,
  backend: string,
  { epoch, grantsFrom }: { epoch: number; grantsFrom: number },
): Promise<number> {
  const { backends } = database.tables;
  const isBackend = eq(backends.id, backend);
  const [row] = await database.forUpdate(tx.select().from(backends).where(isBackend));
  if (!row || row.epoch >= epoch) {
    throw new LockyardError(
      'CONFLICT',
      `Another reshard or a restore has raised the epoch of the backend "${backend}", so this ` +
        'reshard has ended. No data is lost. Once neither is running, run this again.',
    );
  }
  const later = Math.max(grantsFrom, row.grantsFrom ?? 0);
  await tx
    .update(backends)
    .set({ epoch, grantsFrom: later || null })
    .where(isBackend);
  return later;
}

async function reportingInterruption<T>(backend: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (cause) {
    if (cause instanceof LockyardError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new LockyardError(
      'UNKNOWN',
      `The reshard was interrupted: ${why} No data is lost; run it again. Until then the ` +
        `backend "${backend}" is out of service.`,
      { cause },
    );
  }
}
