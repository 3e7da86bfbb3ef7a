import { LOCK_STATUSES } from '../../../contract/console/console-terms';
import type { LockRow } from '../../../contract/console/lock-row';
import { TIERS } from '../../../core/status/lock-status';
import type { NameCount } from '../../../engine/names/name-count';
import type { Clock } from '../../../platform/clock';
import type { BackendState, NamespaceLookup } from '../../projection/monitored-backend';
import { holdInTheWay, type ProjectionRow, toLockRow } from '../../projection/projection-row';
import type { KnownBaselines } from '../../rollups/known-baselines';
import type { WatchJournals } from '../../watch/watch-journals';
import { byKey, byName, NameOrder } from '../order/name-order';
import type { TimeSlice } from '../order/time-slice';
import { AttentionRows } from './attention-rows';
import { BackendFrames } from './backend-frames';
import { ChangeLog } from './change-log';
import { currentStatus } from './current-status';
import { hasTurned, hasTurnedSinceRead } from './has-turned';
import { LockColumns } from './lock-columns';
import { LockGroups } from './lock-groups';
import { LockTimes } from './lock-times';
import { ReadTimes } from './read-times';
import { RowFacts, setBlocked } from './row-facts';
import { SearchTexts } from './search-texts';

/** Why a status must be computed again: time or baselines can affect it, or the record changed. */
const [RECHECK, REPLACED] = [1, 2];

const NEW_AT_ONCE = 250;

export interface LockTableOptions {
  backends: readonly BackendState[];
  clock: Clock;
  baselines: Pick<KnownBaselines, 'of' | 'complete'>;
  namespaces: Pick<NamespaceLookup, 'policyOf'>;
  /** A slice for work that starts now. */
  slice: () => TimeSlice;
  /** Notified of every name that is added or removed. */
  names: Pick<NameCount, 'appeared' | 'vanished'>;
  /** Notified of every change of a lock. */
  journals?: Pick<WatchJournals, 'replaced' | 'turned'>;
}

type DueRow = { row: ProjectionRow; expired: boolean };

/**
 * Every known lock, each in a slot, with its status. A status is computed again only when the
 * record, its backend or its baselines have changed, or at an instant at which it can change.
 * `refresh` brings everything up to date.
 */
export class LockTable {
  readonly log = new ChangeLog();
  readonly columns = new LockColumns();
  readonly groups = new LockGroups();
  readonly facts = new RowFacts();
  readonly attention = new AttentionRows();
  /** Rises with every change that can affect an order. */
  moves = 0;
  readonly names = new NameOrder<ProjectionRow>((slot) => this.at(slot), byName);
  /** In the order of `lock.list`. */
  readonly listing = new NameOrder<ProjectionRow>((slot) => this.at(slot), byKey);
  private readonly rows: (ProjectionRow | null)[] = [];
  private readonly slots = new Map<string, number>();
  private readonly freed: number[] = [];
  private readonly times = new LockTimes();
  private pending: number[] = [];
  private readonly texts = new SearchTexts();
  private mark = 0;
  private readonly frames: BackendFrames;
  readonly reads = new ReadTimes();
  private refreshing: Promise<void> | null = null;

  constructor(private readonly parts: LockTableOptions) {
    const { backends, clock, namespaces } = parts;
    this.frames = new BackendFrames(backends, clock, namespaces);
  }

  /** All slots are below it. */
  get slotsEnd(): number {
    return this.rows.length;
  }

  at(slot: number): ProjectionRow | null {
    return this.rows[slot] ?? null;
  }

  /** Whether this slot has a lock whose status has been computed. */
  hasStatus(slot: number): boolean {
    return this.columns.groups[slot] !== 0;
  }

  byId(id: string): ProjectionRow | null {
    const slot = this.slots.get(id);
    return slot === undefined ? null : this.at(slot);
  }

  /** The lock as pages show it, with its last computed status. */
  lockRow(slot: number): LockRow | null {
    if (this.columns.pending[slot]) this.computeStatus(slot);
    const row = this.at(slot);
    if (!row) return null;
    const bare = toLockRow(row, this.columns.statusOf(slot), this.facts.of(slot));
    const shown = this.parts.baselines.complete(bare);
    return shown.status === 'unknown' ? { ...shown, readAt: this.reads.of(row) } : shown;
  }

  /** The trend of a lock's queue, if any. @param id of its row */
  queueTrend(id: string): Pick<LockRow, 'queueTrend'> {
    const slot = this.slots.get(id);
    const queueTrend = slot === undefined ? 0 : this.facts.trends.of(slot);
    return queueTrend === 0 ? {} : { queueTrend };
  }

  /** Notes that a lock was read again and has not changed; false: it must be stored. */
  confirm(id: string, backend: string, rev: number): boolean {
    const slot = this.slots.get(id);
    const stored = slot === undefined ? null : this.at(slot);
    if (slot === undefined || !stored?.isReadable) return false;
    if (stored.backend !== backend || stored.rev !== rev) return false;
    this.columns.marks[slot] = this.mark;
    return true;
  }

  /** Stores a reading, unless it is known already or older than the stored one. */
  store(row: ProjectionRow): void {
    const { id, backend } = row;
    const known = this.slots.get(id);
    const stored = known === undefined ? null : this.at(known);
    if (known !== undefined && stored) {
      const isSame = stored.rev === row.rev && stored.isReadable === row.isReadable;
      const isKnown = stored.backend === backend && isSame;
      // What this process wrote itself may have been deleted since: see `confirm`.
      if (!isKnown || !row.isReadable) this.columns.marks[known] = this.mark;
      // A record that cannot be read has no meaningful rev.
      if (isKnown || (stored.isReadable && stored.rev > row.rev)) return;
      if (stored.backend !== backend) this.remove(id);
    }
    const slot = this.slots.get(id) ?? this.newSlot(row);
    this.parts.journals?.replaced(this.at(slot), row);
    this.rows[slot] = row;
    this.times.read(slot, row);
    this.markPending(slot, REPLACED);
  }

  remove(id: string): void {
    const slot = this.slots.get(id);
    const row = slot === undefined ? null : this.at(slot);
    if (slot === undefined || !row) return;
    this.groups.remove(slot, this.columns);
    this.facts.remove(slot);
    this.attention.remove(slot);
    this.times.remove(slot, row);
    this.rows[slot] = null;
    this.slots.delete(id);
    this.parts.names.vanished(row.key);
    this.freed.push(slot);
    this.columns.free(slot);
    this.names.remove(slot);
    this.listing.remove(slot);
    this.logChange(slot);
    this.moves += 1;
    this.parts.journals?.replaced(row, null);
  }

  /** Marks a lock whose baselines have changed. */
  recheck(id: string): void {
    const slot = this.slots.get(id);
    if (slot !== undefined) this.markPending(slot, RECHECK);
  }

  /** Starts a full read of a backend or namespace. The result removes locks not read since. */
  beginResync(backend: string, namespace?: string): () => Promise<void> {
    this.mark += 1;
    const { mark } = this;
    return () =>
      this.slice().times(this.rows.length, (slot) => {
        const row = this.at(slot);
        if (row?.backend !== backend || (this.columns.marks[slot] as number) >= mark) return;
        if (namespace === undefined || row.key.namespace === namespace) this.remove(row.id);
      });
  }

  /** Locks whose lease has expired by the instant of their backend, then those with waiters. */
  *dueForExpiry(instants: ReadonlyMap<string, number>): Generator<DueRow> {
    for (const slot of this.times.expired(instants)) {
      const row = this.at(slot);
      if (row) yield { row, expired: true };
    }
    for (const slot of this.times.queued()) {
      const row = this.at(slot);
      const now = (row && instants.get(row.backend)) ?? 0;
      if (row && row.firstExpiryAt > now) yield { row, expired: false };
    }
  }

  /** Every lock, in no order; may miss locks that are added or removed meanwhile. */
  *all(): Generator<ProjectionRow> {
    for (const row of this.rows) if (row) yield row;
  }

  /** Computes every status that may have changed, in slices. */
  refresh(): Promise<void> {
    this.refreshing ??= this.refreshNow().finally(() => {
      this.refreshing = null;
    });
    return this.refreshing;
  }

  slice(): TimeSlice {
    return this.parts.slice();
  }

  private async refreshNow(): Promise<void> {
    const slice = this.slice();
    const backends = this.frames.advance();
    const namespaces = this.frames.changedPolicies(this.groups.namespaces);
    if (backends.size + namespaces.size > 0) {
      for (const [slot, row] of this.rows.entries()) {
        if (!row) continue;
        if (backends.has(row.backend) || namespaces.has(row.key.namespace))
          this.markPending(slot, RECHECK);
      }
    }
    for (const slot of this.times.takeDue((backend) => this.frames.of(backend).now)) {
      this.markPending(slot, RECHECK);
    }
    for (const slot of await this.sampleQueues(slice)) this.markPending(slot, RECHECK);
    for (const slot of this.attention.takeDue(this.parts.clock.monotonic())) this.logChange(slot);
    while (this.pending.length > 0) {
      const slots = this.pending.splice(0, NEW_AT_ONCE);
      this.orderNew(slots);
      await slice.forEach(slots, (slot) => this.computeStatus(slot));
    }
    this.texts.prepareSome(this.rows, slice);
  }

  private sampleQueues(slice: TimeSlice): Promise<number[]> {
    const now = this.parts.clock.monotonic();
    const waiting = (slot: number) => this.columns.waiting[slot] as number;
    return this.facts.trends.sample(now, this.times.queued(), waiting, slice);
  }

  /** New locks get a position in the name orders before any reader sees them. */
  private orderNew(slots: number[]): void {
    const fresh = this.columns.takeUnordered(slots.filter((slot) => this.at(slot) !== null));
    if (fresh.length === 0) return;
    this.names.add([...fresh]);
    this.listing.add(fresh);
  }

  private computeStatus(slot: number): void {
    const { columns } = this;
    const why = columns.pending[slot];
    columns.pending[slot] = 0;
    const row = this.at(slot);
    if (!row || !why) return;
    const isNew = columns.groups[slot] === 0;
    if (isNew) this.frames.notePolicy(row.key.namespace);
    const baselines = this.parts.baselines.of(row.id, row.key);
    const frame = this.frames.of(row.backend);
    const current = currentStatus(row, baselines, frame);
    const { status, tier, reason, isHeld, pressure, until } = current;
    const before = columns.statusOf(slot);
    const wasHeld = columns.isHeld[slot] === 1;
    const facts = { reason, ownHold: baselines.ownHold, pressure };
    const isNewState = why === REPLACED || before.status !== status || before.tier !== tier;
    const hasChanged = this.facts.set(slot, facts, isNewState);
    this.groups.remove(slot, columns);
    columns.statuses[slot] = LOCK_STATUSES.indexOf(status);
    columns.tiers[slot] = TIERS.indexOf(tier);
    columns.readHolds(slot, current);
    if (hasChanged) columns.read(slot, row, holdInTheWay(row, status, reason));
    setBlocked(columns, slot, pressure, frame.offsetMs);
    this.groups.add(slot, columns, row);
    this.times.setDeadline(slot, row, until);
    this.attention.note(slot, tier, this.parts.clock.monotonic());
    if (hasChanged) this.logChange(slot);
    if (isNew) columns.addedAt[slot] = columns.versions[slot] as number;
    const turned = why === REPLACED ? hasTurnedSinceRead(row, frame.now) : wasHeld !== isHeld;
    if (hasTurned(before.status, status, turned)) this.parts.journals?.turned(row);
    if (hasChanged) this.moves += 1;
  }

  private markPending(slot: number, why: number): void {
    const { pending } = this.columns;
    if (pending[slot] === 0) this.pending.push(slot);
    if ((pending[slot] as number) < why) pending[slot] = why;
  }

  private logChange(slot: number): void {
    this.columns.versions[slot] = this.log.add(slot);
  }

  private newSlot({ id, key }: ProjectionRow): number {
    const slot = this.freed.pop() ?? this.rows.length;
    this.columns.ensureCapacity(slot + 1);
    this.columns.marks[slot] = this.mark;
    this.slots.set(id, slot);
    this.parts.names.appeared(key);
    return slot;
  }
}
