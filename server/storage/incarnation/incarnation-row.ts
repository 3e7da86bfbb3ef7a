import { eq } from 'drizzle-orm';
import type { Database } from '@/db/database';
import type { BackendLoss, LossKind } from '../../contract/console/backend-health';
import { StoreError } from '../record-store';
import type { BackendPast } from './backend-past';

/** One run of a store's server, from start to stop. */
export interface ServerRun {
  runId: string;
  /** The id of the write history that the server continues: see `RedisGuard`. */
  replicationId?: string;
  /**
   * Whether, since the run's first use, every write was flushed before its answer and no replica
   * copied it.
   */
  isDurable?: boolean;
  /** How many keys the server has evicted to make room. */
  evictedKeys?: number;
}

/** What the control database knows of a store that can lose data. Null: never recorded. */
export interface IncarnationRow extends BackendPast {
  /** The current incarnation of the store; null before the first. */
  incarnation: string | null;
  /** The run in which that incarnation was found complete; null during recovery. */
  runId: string | null;
  replicationId: string | null;
  isDurable: boolean | null;
  evictedKeys: number | null;
  heartbeat: number;
  longestLeaseMs: number;
  loss: BackendLoss | null;
}

/** What a store knows of its own incarnation. */
export interface FoundIncarnation {
  /** The incarnation that its mark names; null without a mark. */
  incarnation: string | null;
  /** The last heartbeat in it. */
  heartbeat: number;
  hasRecords: boolean;
}

/**
 * The kind of data loss that shows when a store is compared with the control database; null if they
 * agree.
 *
 * @param row read before the store was inspected: a heartbeat is written to the store first
 */
export function dataLoss(
  row: IncarnationRow,
  { incarnation, heartbeat, hasRecords }: FoundIncarnation,
): LossKind | null {
  if (row.incarnation === null) return incarnation !== null || hasRecords ? 'stranger' : null;
  if (incarnation === null) return 'empty';
  if (incarnation !== row.incarnation) return 'stranger';
  return heartbeat < row.heartbeat ? 'older' : null;
}

/** A clock that is set back by less than this only makes a pause longer by as much. */
const STEP_MIN_MS = 60_000;

/**
 * Whether the store's clock was ahead at its last data loss and was set back since. The pause of
 * that loss would end too late by as much, so this counts as another loss, whose pause begins now.
 *
 * @param now the store's clock
 */
export function isClockSetBack({ loss }: Pick<IncarnationRow, 'loss'>, now: number): boolean {
  return loss !== null && now < loss.at - STEP_MIN_MS;
}

/**
 * Runs a query of the control database that a store's guard depends on.
 *
 * @param store the store's name for people
 * @throws StoreError if the database does not answer: then no connection may be admitted
 */
export async function askControlDatabase<T>(store: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    throw new StoreError(
      `The control database is not responding, so a data loss of ${store} would go unnoticed.`,
      'no',
      {
        cause,
      },
    );
  }
}

/** The columns of a run. */
export function columnsOf({ runId, replicationId, isDurable, evictedKeys }: ServerRun) {
  const durable = isDurable === undefined ? null : Number(isDurable);
  return {
    runId,
    replicationId: replicationId ?? null,
    isDurable: durable,
    evictedKeys: evictedKeys ?? null,
  };
}

export async function readIncarnation(
  { db, tables }: Database,
  backend: string,
): Promise<IncarnationRow> {
  const { backends } = tables;
  const [row] = await db.select().from(backends).where(eq(backends.id, backend));
  if (!row) throw new Error('A backend has vanished from the control database.');
  const grantsFrom = row.grantsFrom ?? 0;
  const longestLeaseMs = row.longestLeaseMs ?? 0;
  return {
    epoch: row.epoch,
    grantsFrom,
    incarnation: row.life,
    runId: row.runId,
    heartbeat: row.beat ?? 0,
    replicationId: row.replicationId,
    isDurable: row.isDurable === null ? null : row.isDurable === 1,
    evictedKeys: row.evictedKeys,
    longestLeaseMs,
    loss: lossIn({ ...row, grantsFrom, longestLeaseMs }),
  };
}

/** During recovery `grantsFrom` is not known yet: at least the longest lease after the loss. */
function lossIn(row: {
  lossAt: number | null;
  lossWhat: LossKind | null;
  runId: string | null;
  grantsFrom: number;
  longestLeaseMs: number;
}): BackendLoss | null {
  if (row.lossAt === null || row.lossWhat === null) return null;
  const soonest = row.runId === null ? row.lossAt + row.longestLeaseMs : 0;
  const grantsFrom = Math.max(row.grantsFrom, soonest);
  return { at: row.lossAt, what: row.lossWhat, grantsFrom };
}
