import type { Database } from '@/db/database';
import { holdLimitMs, longestHold } from '../../core/status/stuck-reason';
import type { Clock } from '../../platform/clock';
import { recordId } from '../../storage/record-id';
import { lastTimeout } from '../history/last-timeout';
import type { LockProjection } from './lock-projection';
import { type MonitoredBackend, publicId } from './monitored-backend';
import type { ProjectionRow } from './projection-row';

/** How many locks one run looks up. */
const LOOKED_INTO_MAX = 20;

/** For how long after this process began, earlier events can still be recorded. */
const RECORDED_AFTER_MS = 30_000;

/** How soon a lock that is not stuck in this way now is checked again. */
const SOON_MS = 5_000;

/** How long the limit of a hold counts as unchanged. */
const LIMIT_LASTS_MS = 10 * 60_000;

/** A lock that was held when this process began. Instants are its backend's clock. */
interface EarlierHold {
  heldAt: number;
  checkAt: number;
}

/**
 * Waiters that timed out before this process followed the history: a lock whose hold is renewed
 * again and again can be stuck because of them. They are looked up in the recorded events once the
 * hold is beyond its limit.
 */
export class EarlierTimeouts {
  /** By backend or shard: when it was first read, on the monotonic clock. */
  private readonly begunAt = new Map<string, number>();
  /** By the id of the lock's row. */
  private readonly holds = new Map<string, EarlierHold>();

  constructor(
    private readonly database: Database,
    private readonly backends: readonly MonitoredBackend[],
    private readonly projection: Pick<LockProjection, 'table' | 'baselines' | 'isRead'>,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    for (const backend of this.backends) {
      const isNew = !this.begunAt.has(backend.id);
      if (isNew && this.projection.isRead(publicId(backend))) await this.begin(backend);
    }
    for (const row of await this.due()) await this.check(row);
  }

  private async begin({ id }: MonitoredBackend): Promise<void> {
    const { table } = this.projection;
    this.begunAt.set(id, this.clock.monotonic());
    const heldAt = this.nowOf(id);
    await table.slice().forEach(table.all(), ({ id: rowId, backend, record }) => {
      if (backend !== id || record.holds.length === 0) return;
      this.holds.set(rowId, { heldAt, checkAt: heldAt });
    });
  }

  /** Some of the locks that may be stuck because of such a waiter. */
  private async due(): Promise<ProjectionRow[]> {
    const due: ProjectionRow[] = [];
    const { table } = this.projection;
    const instants = new Map(this.backends.map(({ id }) => [id, this.nowOf(id)]));
    await table.slice().forEach(this.holds, ([rowId, earlier]) => {
      const row = table.byId(rowId);
      const now = (row && instants.get(row.backend)) ?? earlier.checkAt;
      if (now < earlier.checkAt) return true;
      const checkAt = row && this.checkAt(row, earlier, now);
      if (checkAt === null) this.holds.delete(rowId);
      else earlier.checkAt = checkAt;
      if (row && checkAt !== null && checkAt <= now) due.push(row);
      return due.length < LOOKED_INTO_MAX;
    });
    return due;
  }

  /** When to check the lock next; null: never again. */
  private checkAt(row: ProjectionRow, { heldAt }: EarlierHold, now: number): number | null {
    const hold = longestHold(row.record.holds, now);
    if (!hold || hold.grantedAt > heldAt) return null;
    const baselines = this.projection.baselines.of(row.id, row.key);
    if (baselines.gaveUp && baselines.gaveUp.rev > hold.rev) return null;
    const beyondAt = hold.grantedAt + holdLimitMs(baselines) + 1;
    if (beyondAt > now) return Math.min(beyondAt, now + LIMIT_LASTS_MS);
    return hold.renewals > 0 && row.waiters === 0 ? now : now + SOON_MS;
  }

  private async check(row: ProjectionRow): Promise<void> {
    const { id, key, backend } = row;
    const { table, baselines } = this.projection;
    const now = this.nowOf(backend);
    const hold = longestHold(row.record.holds, now);
    if (!hold) return;
    const gaveUp = await lastTimeout(this.database, recordId(key), hold.grantedAt, now);
    const recordedAt = (this.begunAt.get(backend) ?? 0) + RECORDED_AFTER_MS;
    if (gaveUp) {
      baselines.note(id, [{ kind: 'timeout', ...gaveUp }]);
      table.recheck(id);
    }
    const earlier = this.holds.get(id);
    if (gaveUp || this.clock.monotonic() >= recordedAt) this.holds.delete(id);
    else if (earlier) earlier.checkAt = now + SOON_MS;
  }

  private nowOf(backend: string): number {
    const engine = this.backends.find(({ id }) => id === backend)?.engine;
    return this.clock.now() + (engine?.health().clockOffsetMs ?? 0);
  }
}
