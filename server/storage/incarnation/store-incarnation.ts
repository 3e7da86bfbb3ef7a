import { randomBytes } from 'node:crypto';
import { and, eq, inArray, isNull, lt, or } from 'drizzle-orm';
import { type Database, databaseNow } from '@/db/database';
import type { BackendLoss, LossKind } from '../../contract/console/backend-health';
import { type Change, StoreError } from '../record-store';
import { type BackendPast, backendPast } from './backend-past';
import {
  columnsOf,
  type IncarnationRow,
  isClockSetBack,
  readIncarnation,
  type ServerRun,
} from './incarnation-row';

/** Leases are rounded to whole seconds, so that the longest one rarely changes. */
const LEASE_GRAIN_MS = 1_000;

/**
 * What the control database knows of a store that can lose its data; shared by all processes.
 *
 * `epoch` and `grantsFrom`, for decisions, are as this process last read them; it reads them again
 * before it uses a connection. During a recovery both keep their values from before it: the new
 * `grantsFrom` is not known yet, and the store refuses what was decided in an earlier epoch.
 */
export class StoreIncarnation implements BackendPast {
  /** The other backend whose incarnation was found in the store; null if none was. */
  duplicate: string | null = null;
  /** Called once for each data loss that is found or read while this process runs. */
  onLoss: (loss: BackendLoss) => void = () => {};
  /** Called once for each data loss, in the process that recorded it. */
  onOwnLoss: (loss: BackendLoss) => void = () => {};
  /** How many readings have begun, and the number of the latest one in `row`. */
  private begun = 0;
  private latest = 0;
  private inForce: Pick<BackendPast, 'epoch' | 'grantsFrom'>;

  private constructor(
    private readonly database: Database,
    private readonly backend: string,
    private readonly others: string[],
    private row: IncarnationRow,
  ) {
    this.inForce = isInRecovery(row) ? { ...row, epoch: row.epoch - 1 } : row;
  }

  /** @param others the other backends in use: their incarnations are not taken over */
  static async open(
    database: Database,
    backend: string,
    now: number,
    others: string[] = [],
  ): Promise<StoreIncarnation> {
    await backendPast(database, backend, now);
    return new StoreIncarnation(
      database,
      backend,
      others,
      await readIncarnation(database, backend),
    );
  }

  get epoch(): number {
    return this.inForce.epoch;
  }

  get grantsFrom(): number {
    return this.inForce.grantsFrom;
  }

  /** False: a restart of the store's server may lose answered writes of this run. Null: unknown. */
  get isDurable(): boolean | null {
    return this.row.isDurable;
  }

  /** Whether the store's clock shows that it counts as lost: see `isClockSetBack`. */
  isClockSetBack(now: number): boolean {
    return isClockSetBack(this.row, now);
  }

  /** The last data loss. */
  get loss(): BackendLoss | null {
    return this.row.loss;
  }

  async read(): Promise<IncarnationRow> {
    this.begun += 1;
    const own = this.begun;
    const row = await readIncarnation(this.database, this.backend);
    // A reading that a later one has overtaken may be from before a data loss.
    if (own > this.latest) {
      this.latest = own;
      const { loss: earlier } = this.row;
      this.row = row;
      if (row.loss && row.loss.at !== earlier?.at) this.onLoss(row.loss);
      if (!isInRecovery(row)) this.inForce = row;
    }
    return row;
  }

  /**
   * Replaces the incarnation that was read by a new one, unless another process already has. A
   * store that was never seen before gets its first incarnation this way, which is not a loss.
   *
   * @param seen what was lost, and which incarnation was found instead; null for a first
   *   incarnation
   * @returns the current row, to be recovered
   * @throws StoreError if that incarnation belongs to another backend
   */
  async begin(
    from: IncarnationRow,
    seen: { what: LossKind; now: number; epochAbove: number; incarnation: string | null } | null,
  ): Promise<IncarnationRow> {
    const { backends } = this.database.tables;
    await this.refuseDuplicate(seen?.incarnation ?? null);
    const incarnation = randomBytes(12).toString('base64url');
    const first = { life: incarnation, runId: null, beat: 0 };
    const loss = seen && {
      epoch: Math.max(from.epoch, seen.epochAbove) + 1,
      lossAt: seen.now,
      lossWhat: seen.what,
      // That of an earlier loss may be by a clock that was set back since.
      grantsFrom: null,
    };
    const { incarnation: ended } = from;
    const same = ended === null ? isNull(backends.life) : eq(backends.life, ended);
    const isOurs = await this.update(
      { ...first, ...loss },
      and(same, eq(backends.epoch, from.epoch)),
    );
    const row = await this.read();
    if (isOurs && seen && row.loss) this.onOwnLoss(row.loss);
    return row;
  }

  /**
   * Blocks grants in this incarnation until every hold of an earlier one has expired. Call it once
   * no process can write in an earlier incarnation: until then a longer lease may still be
   * recorded. If several processes call it, the first result is kept.
   *
   * After a restore of the control database the longest lease may be as old as the backup, so this
   * lasts at least as long as the pause of that restore.
   */
  async startQuietPeriod(incarnation: string, now: number): Promise<IncarnationRow> {
    const { backends } = this.database.tables;
    const row = await this.read();
    const { loss, longestLeaseMs } = row;
    if (!loss) return row;
    const grantsFrom = now + Math.max(longestLeaseMs, await this.restorePauseMs());
    const isSooner = lt(backends.grantsFrom, loss.at + longestLeaseMs);
    const isUnset = or(isNull(backends.grantsFrom), isSooner);
    const isInRecovery = and(eq(backends.life, incarnation), isNull(backends.runId));
    await this.update({ grantsFrom }, and(isInRecovery, isUnset));
    return this.read();
  }

  /**
   * Records that this incarnation was found complete in this run of the server.
   *
   * @param from the run that was known before; null during recovery
   * @returns false if another incarnation is current, or another process has recorded its finding
   *   since `from` was read. What this process saw may have been lost again, so the caller must
   *   check everything again.
   */
  async recordRun(incarnation: string, run: ServerRun, from: string | null): Promise<boolean> {
    const { backends } = this.database.tables;
    const isAsRead = from === null ? isNull(backends.runId) : eq(backends.runId, from);
    const isOurs = await this.update(columnsOf(run), and(eq(backends.life, incarnation), isAsRead));
    await this.read();
    return isOurs;
  }

  /** Fills in the details of a run of which an earlier version stored only the id. */
  async describeRun(incarnation: string, run: ServerRun): Promise<void> {
    const { backends } = this.database.tables;
    const isThatRun = and(eq(backends.life, incarnation), eq(backends.runId, run.runId));
    await this.update(columnsOf(run), and(isThatRun, isNull(backends.replicationId)));
  }

  /**
   * Records permanently that a crash of the server may lose writes of this run. Await it before any
   * such write is answered.
   *
   * @throws StoreError if that incarnation or run is no longer current
   */
  async markRunNotDurable(incarnation: string, runId: string): Promise<void> {
    const { backends } = this.database.tables;
    const isThatRun = and(eq(backends.life, incarnation), eq(backends.runId, runId));
    const isKnown = await this.update({ isDurable: 0 }, isThatRun);
    await this.read();
    if (!isKnown) throw new StoreError('The store no longer has its earlier data.', 'unknown');
  }

  /**
   * Records a heartbeat, unless another process has recorded a later one. Returns whether that
   * incarnation is still current.
   */
  async recordHeartbeat(incarnation: string, heartbeat: number): Promise<boolean> {
    const { backends } = this.database.tables;
    const isLater = and(eq(backends.life, incarnation), lt(backends.beat, heartbeat));
    this.duplicate = null;
    if (await this.update({ beat: heartbeat }, isLater)) return true;
    return (await this.read()).incarnation === incarnation;
  }

  /**
   * Records permanently how long the holds may last that these changes grant or renew. Await it
   * before the first such change is written.
   *
   * @throws StoreError if the control database does not answer: then nothing may be written
   */
  async recordMaxLease(changes: Change[]): Promise<void> {
    const leaseMs = longestLeaseMs(changes);
    if (this.hasRecordedLease(leaseMs)) return;
    await this.recordLease(leaseMs).catch((cause) => {
      throw new StoreError('The control database is not responding.', 'no', { cause });
    });
  }

  /**
   * Records permanently that the store has holds this long, unless longer ones are recorded.
   *
   * @returns the longest lease, as it is recorded now
   */
  async recordFoundLease(leaseMs: number): Promise<number> {
    const { longestLeaseMs } = await this.read();
    if (leaseMs > longestLeaseMs) await this.recordLease(leaseMs);
    return this.row.longestLeaseMs;
  }

  /** Whether leases this long are recorded. */
  hasRecordedLease(leaseMs: number): boolean {
    return leaseMs <= this.row.longestLeaseMs;
  }

  /** Records permanently that holds may last this long. */
  async recordLease(leaseMs: number): Promise<void> {
    const { backends } = this.database.tables;
    const longestLeaseMs = Math.ceil(leaseMs / LEASE_GRAIN_MS) * LEASE_GRAIN_MS;
    const isShorter = or(
      isNull(backends.longestLeaseMs),
      lt(backends.longestLeaseMs, longestLeaseMs),
    );
    await this.update({ longestLeaseMs }, isShorter);
    await this.read();
  }

  /** How much longer holds may last that a restore of the control database has lost; often 0. */
  private async restorePauseMs(): Promise<number> {
    const { db, tables } = this.database;
    const { id, grantsFrom } = tables.backends;
    const [home] = await db.select({ grantsFrom }).from(tables.backends).where(eq(id, 'default'));
    if (!home?.grantsFrom) return 0;
    return Math.max(0, home.grantsFrom - (await databaseNow(this.database)));
  }

  private async refuseDuplicate(incarnation: string | null): Promise<void> {
    if (incarnation === null || this.others.length === 0) return;
    const { db, tables } = this.database;
    const { id, life } = tables.backends;
    const marks = [incarnation, incarnation.replace(/~$/, '')];
    const [other] = await db
      .select({ id })
      .from(tables.backends)
      .where(and(inArray(life, marks), inArray(id, this.others)));
    if (!other) return;
    this.duplicate = other.id;
    throw new StoreError(`It is the store of the backend "${other.id}", by another name.`, 'no');
  }

  private async update(
    values: Partial<Database['tables']['backends']['$inferInsert']>,
    which: ReturnType<typeof and>,
  ): Promise<boolean> {
    const { db, tables } = this.database;
    const own = eq(tables.backends.id, this.backend);
    const result = await db
      .update(tables.backends)
      .set(values)
      .where(and(own, which) ?? own);
    return this.database.affectedRows(result) === 1;
  }
}

/** Whether the records left after a data loss have yet to be brought into a new incarnation. */
const isInRecovery = ({ loss, runId }: IncarnationRow): boolean => loss !== null && runId === null;

function longestLeaseMs(changes: Change[]): number {
  let longest = 0;
  for (const { events } of changes) {
    for (const event of events) {
      if ('expiresAt' in event && event.expiresAt !== undefined) {
        longest = Math.max(longest, event.expiresAt - event.at);
      }
    }
  }
  return longest;
}
