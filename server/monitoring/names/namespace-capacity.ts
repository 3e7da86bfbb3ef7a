import { eq, isNull } from 'drizzle-orm';
import { allOf, type Database } from '@/db/database';
import { DEFAULT_POLICY } from '../../contract/namespace-policy';
import { IDLE_WHERE_FILLING_MS, lastUsedAt, lockDeletion } from '../../core/deletion/deletion';
import { isFilling } from '../../core/filling-namespaces';
import type { NameCount } from '../../engine/names/name-count';
import type { Clock } from '../../platform/clock';
import type { Log } from '../../platform/log';
import type { ShouldContinue } from '../../platform/periodic';
import type { RecordKey } from '../../storage/record-store';
import type { TimeSlice } from '../lock-list/order/time-slice';
import type { LockProjection } from '../projection/lock-projection';
import {
  type MonitoredBackend,
  type NamespaceLookup,
  publicId,
} from '../projection/monitored-backend';
import type { ProjectionRow } from '../projection/projection-row';
import { TopN } from '../projection/top-n';
import { deleteRecords } from './delete-records';

/** Below this share of `maxLocks` a namespace can be warned about again. */
const WARN_AGAIN_BELOW = 0.75;

/** How many names one run deletes, and how many at a time; other work runs in between. */
const DELETED_PER_RUN = 5_000;
const AT_ONCE = 200;
const PAUSE_MS = 10;

/** How often a full namespace is recounted, since another process may have deleted names. */
const RECOUNT_EVERY_MS = 60_000;

interface NamespaceCapacityOptions {
  backends: MonitoredBackend[];
  projection: LockProjection;
  names: NameCount;
  namespaces: NamespaceLookup;
  database: Database;
  clock: Clock;
  log: Log;
}

/**
 * Makes room for names: deletes idle free locks where a namespace is over half full, and logs a
 * warning where one is nearly full.
 */
export class NamespaceCapacity {
  private readonly warned = new Set<string>();
  private recountedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly parts: NamespaceCapacityOptions) {}

  /**
   * One run over all namespaces, in the one process that runs maintenance. A namespace that fails
   * does not stop the others.
   *
   * @throws AggregateError of those that failed
   */
  run(shouldContinue?: ShouldContinue): Promise<void> {
    const { names, namespaces } = this.parts;
    return forEachNamespace(
      names.namespaces(),
      async (namespace) => {
        const { maxLocks } = namespaces.policyOf(namespace);
        this.warn(namespace, maxLocks);
        const surplus = names.total(namespace) - Math.floor(maxLocks / 2);
        if (surplus > 0) await this.deleteIdle(namespace, Math.min(surplus, DELETED_PER_RUN));
      },
      shouldContinue,
    );
  }

  /** Reads names of full namespaces again: another process's deletions leave no history. */
  async recount(): Promise<void> {
    const { names, namespaces, clock, projection, backends } = this.parts;
    const now = clock.monotonic();
    if (now - this.recountedAt < RECOUNT_EVERY_MS) return;
    const isFull = (namespace: string) =>
      names.total(namespace) >= namespaces.policyOf(namespace).maxLocks;
    await forEachNamespace(names.namespaces().filter(isFull), async (namespace) => {
      this.recountedAt = now;
      const id = (await namespaces.get(namespace))?.backend;
      for (const backend of backends) {
        if (publicId(backend) === id) await projection.resyncNamespace(backend, namespace);
      }
    });
  }

  /** See `setLegacyNameLimits`. */
  setLegacyLimits(): Promise<void> {
    const { database, names, projection } = this.parts;
    return setLegacyNameLimits(database, names, (backend) => projection.isRead(backend));
  }

  private warn(namespace: string, maxLocks: number): void {
    const { names, log } = this.parts;
    const total = names.total(namespace);
    if (total < maxLocks * WARN_AGAIN_BELOW) this.warned.delete(namespace);
    if (!isFilling(total, maxLocks) || this.warned.has(namespace)) return;
    this.warned.add(namespace);
    log.warn(
      { namespace, names: total, maxLocks },
      'A namespace is nearly full: at maxLocks, new locks and counters are refused',
    );
  }

  private async deleteIdle(namespace: string, most: number): Promise<void> {
    const { backends, projection, clock, log } = this.parts;
    const byId = new Map(backends.map((backend) => [backend.id, backend]));
    const nowOf = (id: string) => {
      const backend = byId.get(id);
      const health = backend?.engine.health();
      if (!backend || !health?.reachable) return null;
      return { now: clock.now() + health.clockOffsetMs, epoch: backend.epochOf() };
    };
    const asked = { idleMs: IDLE_WHERE_FILLING_MS, most };
    const slice = projection.table.slice();
    const idle = await idleNames(projection.table.all(), namespace, asked, nowOf, slice);
    let deleted = 0;
    for (let i = 0; i < idle.length; i += AT_ONCE) {
      const batch = idle.slice(i, i + AT_ONCE);
      for (const backend of backends) {
        const keys = batch.filter((one) => one.backend === backend.id).map(({ key }) => key);
        if (keys.length === 0) continue;
        const fates = await deleteRecords(backend, keys, IDLE_WHERE_FILLING_MS);
        const gone = fates.filter(({ outcome }) => outcome !== 'kept' && outcome !== 'changed');
        projection.remove(
          backend,
          gone.map(({ key }) => key),
        );
        deleted += gone.length;
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    if (deleted > 0)
      log.info({ namespace, deleted }, 'Deleted idle locks of a namespace that is filling up');
  }
}

/** @throws AggregateError of those that failed, after all have been tried */
async function forEachNamespace(
  namespaces: readonly string[],
  work: (namespace: string) => Promise<void>,
  shouldContinue: ShouldContinue = () => true,
): Promise<void> {
  const failures: unknown[] = [];
  for (const namespace of namespaces) {
    if (!shouldContinue()) break;
    await work(namespace).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) {
    const [cause] = failures;
    throw new AggregateError(failures, 'some namespaces failed', { cause });
  }
}

/** A free lock, and when it was held last. */
interface IdleLock {
  backend: string;
  key: RecordKey;
  usedAt: number;
}

/**
 * Deletable locks of one namespace that have not been held for a while, as they were last read: the
 * `most` that have been idle longest, the oldest first. Works in slices, and never sorts more than
 * `most`.
 *
 * @param nowOf the clock of a backend, and its epoch; null while it does not respond
 */
export async function idleNames(
  rows: Iterable<ProjectionRow>,
  namespace: string,
  { idleMs, most }: { idleMs: number; most: number },
  nowOf: (backend: string) => { now: number; epoch: number } | null,
  slice: TimeSlice,
): Promise<IdleLock[]> {
  const idle = new TopN<IdleLock>(most, (a, b) => a.usedAt - b.usedAt);
  await slice.forEach(rows, ({ backend, key, record, isReadable }) => {
    if (key.namespace !== namespace || !isReadable || record.holds.length > 0) return;
    const usedAt = lastUsedAt(record);
    const clock = nowOf(backend);
    if (!clock || usedAt + idleMs > clock.now) return;
    if (lockDeletion(record, clock.epoch, clock.now).keptBecause === null) {
      idle.add({ backend, key, usedAt });
    }
  });
  return idle.items;
}

/**
 * Sets the limit of names for each namespace that is older than `maxLocks`, used unless its policy
 * has one: the default, or twice what it has if it has more than that. Each is set once, when all
 * of its backend has been read.
 *
 * @param isRead whether a backend, with all its shards, has been read
 */
export async function setLegacyNameLimits(
  database: Database,
  names: Pick<NameCount, 'total'>,
  isRead: (backend: string) => boolean,
): Promise<void> {
  const { namespaces } = database.tables;
  const open = await database.db.select().from(namespaces).where(isNull(namespaces.grownMaxLocks));
  for (const { id, backend } of open) {
    if (!isRead(backend)) continue;
    const total = names.total(id);
    const grownMaxLocks = total > DEFAULT_POLICY.maxLocks ? 2 * total : 0;
    await database.db
      .update(namespaces)
      .set({ grownMaxLocks })
      .where(allOf(eq(namespaces.id, id), isNull(namespaces.grownMaxLocks)));
  }
}
