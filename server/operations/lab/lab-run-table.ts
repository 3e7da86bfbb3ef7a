import { desc, eq, lt, sql } from 'drizzle-orm';
import { allOf, type Database, type Db } from '@/db/database';
import type { Schema } from '@/db/schema';
import type { LabSettings } from '../../contract/console/lab/lab-race';
import {
  isOfWrongWay,
  LAB_RUNS_MAX,
  type LabEnd,
  type LabResult,
  type LabRun,
  type LabRunSummary,
} from '../../contract/console/lab/lab-run';
import { LockyardError } from '../../contract/errors';
import type { Clock } from '../../platform/clock';

/** A run whose process has not written for this long has ended with its server. */
export const LAB_SILENT_MS = 15_000;

const RUNNING = 'running';

/** The progress of a run. */
export type RunProgress = Pick<LabRun, 'entries' | 'rows' | 'courses' | 'current'>;

type StoredRun = Schema['labRuns']['$inferSelect'];

/** The stored runs of the Lab, shared by all processes on one control database. */
export class LabRunTable {
  constructor(private readonly from: { database: Database; clock: Clock }) {}

  /**
   * Adds a run, and deletes the oldest beyond the number that is kept.
   *
   * @param tx the transaction of the audited change
   * @throws LockyardError `CONFLICT` while another one runs
   */
  async open(
    tx: Db,
    run: { id: string; startedBy: string; settings: LabSettings },
    progress: RunProgress,
  ): Promise<void> {
    const { database, clock } = this.from;
    const { labRuns } = database.tables;
    const now = clock.now();
    await this.endSilent(tx);
    try {
      await tx.insert(labRuns).values({
        id: run.id,
        slot: RUNNING,
        startedAt: now,
        startedBy: run.startedBy,
        seenAt: now,
        settings: JSON.stringify(run.settings),
        result: JSON.stringify(resultOf(progress)),
        progress: JSON.stringify(progress),
      });
    } catch (error) {
      if (!database.isDuplicateKey(error)) throw error;
      throw new LockyardError('CONFLICT', 'Another race is running.');
    }
    const [oldest] = await tx
      .select({ startedAt: labRuns.startedAt })
      .from(labRuns)
      .orderBy(desc(labRuns.startedAt), desc(labRuns.id))
      .limit(1)
      .offset(LAB_RUNS_MAX - 1);
    if (oldest) await tx.delete(labRuns).where(lt(labRuns.startedAt, oldest.startedAt));
  }

  /**
   * Writes the progress of a run.
   *
   * @returns whether it must stop: it was asked to, or counts as ended
   */
  async write(id: string, progress: RunProgress): Promise<boolean> {
    const { database, clock } = this.from;
    const { labRuns } = database.tables;
    const written = await database.db
      .update(labRuns)
      .set({
        seenAt: clock.now(),
        result: JSON.stringify(resultOf(progress)),
        progress: JSON.stringify(progress),
      })
      .where(isRunning(labRuns, id));
    if (database.affectedRows(written) === 0) return true;
    const [row] = await database.db
      .select({ stoppedBy: labRuns.stoppedBy })
      .from(labRuns)
      .where(eq(labRuns.id, id))
      .limit(1);
    return (row?.stoppedBy ?? null) !== null;
  }

  /** Writes the end of a run, unless it has one. */
  async end(id: string, progress: RunProgress, { endedBy, message }: RunEnd): Promise<void> {
    const { database, clock } = this.from;
    const { labRuns } = database.tables;
    const now = clock.now();
    await database.db
      .update(labRuns)
      .set({
        slot: null,
        seenAt: now,
        endedAt: now,
        endedBy,
        message,
        result: JSON.stringify(resultOf(progress)),
        progress: JSON.stringify({ ...progress, current: null }),
      })
      .where(isRunning(labRuns, id));
  }

  /** Marks a run as asked to stop; returns whether it is running. */
  async askToStop(tx: Db, id: string, by: string): Promise<boolean> {
    const { database } = this.from;
    const { labRuns } = database.tables;
    const written = await tx.update(labRuns).set({ stoppedBy: by }).where(isRunning(labRuns, id));
    return database.affectedRows(written) === 1;
  }

  /**
   * Ends the runs whose server has stopped writing.
   *
   * @param all includes runs that were written a moment ago: at the start of the only process on
   *   this database
   */
  async endSilent(db: Db = this.from.database.db, { all = false } = {}): Promise<void> {
    const { clock, database } = this.from;
    const { labRuns } = database.tables;
    const isStale = allOf(
      eq(labRuns.slot, RUNNING),
      all ? undefined : lt(labRuns.seenAt, clock.now() - LAB_SILENT_MS),
    );
    await db
      .update(labRuns)
      .set({ slot: null, endedAt: sql`${labRuns.seenAt}`, endedBy: 'restart' })
      .where(isStale);
  }

  /** The runs, newest first. */
  async list(limit: number): Promise<LabRunSummary[]> {
    const rows = await this.newest(limit);
    if (!rows.some((row) => this.isSilent(row))) return rows.map(summaryOf);
    await this.endSilent();
    return (await this.newest(limit)).map(summaryOf);
  }

  /** @throws LockyardError `NOT_FOUND` */
  async get(id: string): Promise<LabRun> {
    const row = await this.find(id);
    if (!this.isSilent(row)) return this.toRun(row);
    await this.endSilent();
    return this.toRun(await this.find(id));
  }

  /** Which race runs now, and who started it; null if none does. */
  async running(): Promise<Pick<LabRunSummary, 'id' | 'startedBy' | 'startedAt'> | null> {
    const { db, tables } = this.from.database;
    const { labRuns } = tables;
    const { id, startedBy, startedAt } = labRuns;
    const [row] = await db
      .select({ id, startedBy, startedAt })
      .from(labRuns)
      .where(eq(labRuns.slot, RUNNING))
      .limit(1);
    return row ?? null;
  }

  private newest(limit: number) {
    const { db, tables } = this.from.database;
    const { labRuns } = tables;
    const { id, slot, startedAt, startedBy, seenAt, stoppedBy } = labRuns;
    const { endedAt, endedBy, settings, result } = labRuns;
    const begun = { id, slot, startedAt, startedBy, seenAt, stoppedBy };
    return db
      .select({ ...begun, endedAt, endedBy, settings, result })
      .from(labRuns)
      .orderBy(desc(startedAt), desc(id))
      .limit(limit);
  }

  private async find(id: string): Promise<StoredRun> {
    const { db, tables } = this.from.database;
    const [row] = await db.select().from(tables.labRuns).where(eq(tables.labRuns.id, id)).limit(1);
    if (!row) throw new LockyardError('NOT_FOUND', 'There is no such run; the oldest are deleted.');
    return row;
  }

  private isSilent({ slot, seenAt }: Pick<StoredRun, 'slot' | 'seenAt'>): boolean {
    return slot !== null && seenAt < this.from.clock.now() - LAB_SILENT_MS;
  }

  private toRun(row: StoredRun): LabRun {
    return {
      ...summaryOf(row),
      message: row.message,
      ...(JSON.parse(row.progress) as RunProgress),
      asOf: this.from.clock.now(),
    };
  }
}

/** How a run ended; `message` says why it failed. */
export interface RunEnd {
  endedBy: LabEnd;
  message: string | null;
}

const isRunning = (labRuns: Schema['labRuns'], id: string) =>
  allOf(eq(labRuns.id, id), eq(labRuns.slot, RUNNING));

function summaryOf(row: Omit<StoredRun, 'progress' | 'message'>): LabRunSummary {
  const { id, startedAt, endedAt, startedBy, stoppedBy, endedBy } = row;
  return {
    id,
    startedAt,
    endedAt,
    startedBy,
    stoppedBy,
    endedBy: endedBy as LabEnd | null,
    settings: JSON.parse(row.settings) as LabSettings,
    result: JSON.parse(row.result) as LabResult,
  };
}

function resultOf({ rows, entries }: Pick<RunProgress, 'rows' | 'entries'>): LabResult {
  const held = rows.filter(({ verdict }) => verdict === 'holds');
  return {
    finished: rows.length,
    held: held.filter(({ id }) => !isOfWrongWay(id, entries)).length,
    oversold: rows.filter(({ verdict }) => verdict === 'oversells').length,
    oversoldUnits: rows.reduce((sum, row) => sum + row.oversold, 0),
  };
}
