import type { HoldRow, LockDetail, LockRow } from '../../contract/console/lock-row';
import { inspectRecord } from '../../core/lock/lock-answers';
import { type Hold, isReleased, liveHolds, unwrittenRecord } from '../../core/lock/lock-record';
import { shownRefusals } from '../../core/status/refused-attempts';
import type { Clock } from '../../platform/clock';
import { recordId } from '../../storage/record-id';
import { type ReadRecord, type RecordKey, StoreError } from '../../storage/record-store';
import type { HolderEvidence } from '../liveness/holder-evidence';
import type { KnownBaselines } from '../rollups/known-baselines';
import type { LockProjection } from './lock-projection';
import {
  type MonitoredBackend,
  type NamespaceLookup,
  notServing,
  publicId,
  recordHealth,
  requireStore,
} from './monitored-backend';
import { ProjectionRow, rowId, toLockRowAt, tracedHoldRow, waiterRows } from './projection-row';

const REMEMBERED_MAX = 200;

/** Reads single locks from their backend; remembers good readings for when it is silent. */
export class LockDetails {
  private readonly last = new Map<string, LockDetail>();

  constructor(
    private readonly backends: MonitoredBackend[],
    private readonly clock: Clock,
    private readonly namespaces: NamespaceLookup,
    private readonly baselines: KnownBaselines,
    private readonly evidence: Pick<HolderEvidence, 'verdictOn' | 'holders'>,
    private readonly projection: Pick<LockProjection, 'table'>,
  ) {}

  /** See `LockProjection.detail`. */
  async read(namespace: string, name: string): Promise<LockDetail> {
    const id = (await this.namespaces.get(namespace))?.backend ?? null;
    const key = { namespace, name };
    const backend = requireStore(this.backends, id, key);
    try {
      const detail = this.fresh(backend, await readOne(backend, key));
      const hasExpired = detail.row.hold !== null && detail.row.holders === 0;
      if (!hasExpired) return this.remember(detail);
      // A hold shown as expired must stay expired, so that is written first where possible.
      await backend.engine.run(key, { verb: 'expireAndPromote' }).catch(() => undefined);
      return this.remember(this.fresh(backend, await readOne(backend, key)));
    } catch (cause) {
      return this.lastKnown(backend, key, cause);
    }
  }

  private fresh(backend: MonitoredBackend, read: ReadRecord): LockDetail {
    const { id, epochOf, grantsFromOf } = backend;
    const { key, now } = read;
    const keeper = { id, publicId: publicId(backend) };
    const entry = read.record
      ? ProjectionRow.read(keeper, read)
      : ProjectionRow.of(keeper, key, now, unwrittenRecord(now, grantsFromOf?.()));
    const record = read.record && entry.record;
    const baselines = this.baselines.of(entry.id, key);
    const refusals = shownRefusals(baselines.refusals, entry.facts.holds, now);
    const trend = this.projection.table.queueTrend(entry.id);
    const row = this.baselines.complete(toLockRowAt(entry, baselines, now, true));
    const holds = liveHolds(record, now).map((hold) => this.holder(entry.id, hold, now));
    return {
      row: { ...row, hold: shownHold(row, holds), ...trend, rev: record?.rev ?? 0 },
      holds,
      waiters: waiterRows(record, now),
      ...(refusals ? { refusals } : {}),
      lastToken: record?.lastToken ?? 0,
      minValidToken: inspectRecord(record, read.now, epochOf()).minValidToken,
      backend: recordHealth(backend),
      policy: this.namespaces.policyOf(read.key.namespace),
      asOf: this.clock.now(),
      fresh: true,
    };
  }

  private holder(rowId: string, hold: Hold, now: number): HoldRow {
    if (isReleased(hold)) return tracedHoldRow(hold);
    const liveness = this.evidence.verdictOn(rowId, hold, now);
    const holder = this.evidence.holders.of(rowId, hold);
    if (!holder?.process) return { ...tracedHoldRow(hold), liveness };
    const others = holder.rows.size - (holder.rows.has(rowId) ? 1 : 0);
    return { ...tracedHoldRow(hold), liveness, alsoHolds: others };
  }

  private remember(detail: LockDetail): LockDetail {
    const { id } = detail.row;
    this.last.delete(id);
    this.last.set(id, detail);
    const [oldest] = this.last.keys();
    if (this.last.size > REMEMBERED_MAX && oldest) this.last.delete(oldest);
    return detail;
  }

  /** The last reading: mostly that of the projection, which follows the whole history. */
  private lastKnown(backend: MonitoredBackend, key: RecordKey, cause: unknown): LockDetail {
    const id = publicId(backend);
    const refusal = refusalIn(cause);
    const health = { ...recordHealth(backend), reachable: false, ...(refusal && { refusal }) };
    const last = this.last.get(rowId(id, recordId(key)));
    const row = this.projection.table.byId(rowId(id, recordId(key)));
    const isFollowed = row !== null && row.rev >= (last?.row.rev ?? 0);
    const known = isFollowed ? this.followed(backend, row) : last && asUnknown(last);
    if (!known) throw notServing(health, 'and this lock was not read before.', cause);
    return { ...known, backend: health, policy: this.namespaces.policyOf(key.namespace) };
  }

  /** A lock of a backend that does not respond, as it was followed until then. */
  private followed({ engine, epochOf }: MonitoredBackend, entry: ProjectionRow) {
    const { record, key } = entry;
    const { silentForMs, clockOffsetMs } = engine.health();
    const readAt = this.projection.table.reads.of(entry);
    const now = this.clock.now() + clockOffsetMs;
    const baselines = this.baselines.of(entry.id, key);
    const row = this.baselines.complete(toLockRowAt(entry, baselines, readAt, false));
    const holds = liveHolds(record, readAt).map((hold) => this.holder(entry.id, hold, now));
    return {
      row: { ...row, hold: shownHold(row, holds), readAt },
      holds,
      waiters: waiterRows(record, readAt),
      lastToken: record.lastToken,
      minValidToken: inspectRecord(record, readAt, epochOf()).minValidToken,
      asOf: this.clock.now() - silentForMs,
      fresh: false,
    };
  }
}

async function readOne({ store }: MonitoredBackend, key: RecordKey): Promise<ReadRecord> {
  const { records } = await store.read([key], []);
  const [read] = records;
  if (!read) throw new Error('The store answered nothing.');
  return read;
}

/** Why a store rejected a read; null: it did not, but failed. */
const refusalIn = (cause: unknown): string | null =>
  cause instanceof StoreError ? cause.refusal : null;

/** The hold that the row is shown with, and what only the page of the lock shows of it. */
const shownHold = ({ hold }: LockRow, holds: readonly HoldRow[]): HoldRow | null =>
  holds.find(({ token }) => token === hold?.token) ?? hold;

function asUnknown({ row, ...detail }: LockDetail): LockDetail {
  const { orphaned: _, ...kept } = row;
  return { ...detail, row: { ...kept, status: 'unknown', stuck: null }, fresh: false };
}
