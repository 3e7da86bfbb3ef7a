import { desc, eq, inArray, isNull, lt, notInArray, type SQL, sql } from 'drizzle-orm';
import { allOf, anyOf, type Database } from '@/db/database';
import type { Schema } from '@/db/schema';
import {
  DEADLOCK_ENDS,
  DEADLOCKS_MAX,
  type DeadlockRow,
} from '../../contract/console/waits/wait-graph';
import { DEFAULT_RETENTION } from '../../core/retention';
import { CLOCKS_APART_MAX_MS, type Clock } from '../../platform/clock';
import type { Log } from '../../platform/log';
import { removalInstant } from '../history/removal-instant';
import type { DeadlockNews, WaitWatch } from './wait-watch';

/** How often deadlocks that ended while no process was watching are looked for. */
const CHECK_EVERY_MS = 30_000;

/** How long a process keeps the end of a deadlock in case it takes over maintenance. */
const ENDS_KEPT_MS = 60_000;

/** How much news is kept until it can be written. */
const PENDING_MAX = 200;

/**
 * The latest deadlocks in the control database, at most `DEADLOCKS_MAX`. Every process finds them;
 * the one that runs maintenance records them.
 */
export class DeadlockHistory {
  /** How many this process has written since its start. */
  written = 0;
  private found: DeadlockRow[] = [];
  private ended: DeadlockNews['ended'] = [];
  /** Those that last and have been recorded: also if their rows were pruned since. */
  private recorded = new Set<string>();
  /** When it last checked, on the monotonic clock; null: this process did not run maintenance. */
  private checkedAt: number | null = null;

  constructor(
    private readonly parts: {
      database: Database;
      clock: Clock;
      log: Pick<Log, 'warn'>;
      watch: Pick<WaitWatch, 'examine' | 'rows'>;
      isRunner: () => boolean;
      /** How long deadlocks are kept; absent: the default. */
      historyMs?: number;
    },
  ) {}

  /** Looks for deadlocks, and records what is new. */
  async run(): Promise<void> {
    const { watch, isRunner, clock } = this.parts;
    const { found, ended } = watch.examine();
    if (!isRunner()) {
      this.found = [];
      // The process that ran maintenance may have died before it noticed them.
      const isRecent = (end: { endedAt: number }) => clock.now() - end.endedAt < ENDS_KEPT_MS;
      this.ended = [...this.ended, ...ended].filter(isRecent).slice(-PENDING_MAX);
      this.recorded.clear();
      this.checkedAt = null;
      return;
    }
    this.found = [...this.found, ...found].slice(-PENDING_MAX);
    this.ended = [...this.ended, ...ended].slice(-PENDING_MAX);
    for (let row = this.found[0]; row; row = this.found[0]) {
      await this.add(row);
      this.found.shift();
    }
    for (let end = this.ended[0]; end; end = this.ended[0]) {
      await this.close(end);
      this.ended.shift();
    }
    const now = clock.monotonic();
    if (this.checkedAt === null) {
      for (const row of watch.rows()) await this.add(row);
      await this.prune(clock.now());
      // A process that has just started does not know yet which deadlocks last: it closes none.
      this.checkedAt = now;
    }
    if (now - this.checkedAt < CHECK_EVERY_MS) return;
    await this.check();
    await this.prune(clock.now());
    this.checkedAt = now;
  }

  /** The latest deadlocks, newest first; last those from before the clock was set back. */
  async list(limit: number): Promise<DeadlockRow[]> {
    const { database } = this.parts;
    const { deadlocks } = database.tables;
    const rows = await database.db
      .select()
      .from(deadlocks)
      .orderBy(this.isFormer, desc(deadlocks.foundAt), desc(deadlocks.id))
      .limit(limit);
    return rows.map(deadlockRow);
  }

  /** 1 for a deadlock from before the clock was set back, else 0. */
  private get isFormer(): SQL {
    const { database, clock } = this.parts;
    return sql`${database.tables.deadlocks.foundAt} > ${clock.now() + CLOCKS_APART_MAX_MS}`;
  }

  private async add(row: DeadlockRow): Promise<void> {
    if (this.recorded.has(row.id)) await this.reopen(row.id);
    else await this.insert(row);
    this.recorded.add(row.id);
  }

  private async insert(row: DeadlockRow): Promise<void> {
    const { database, clock, log } = this.parts;
    const { deadlocks } = database.tables;
    const { id, since, foundAt, waiting, steps } = row;
    try {
      const open = { endedAt: null, endedBy: null, operator: null };
      const text = JSON.stringify(steps);
      await database.db
        .insert(deadlocks)
        .values({ id, since, foundAt, ...open, waiting, steps: text });
    } catch (error) {
      // Another process that ran maintenance until now has written it.
      if (!database.isDuplicateKey(error)) throw error;
      await this.reopen(id);
      return;
    }
    this.written += 1;
    log.warn({ deadlock: id, steps, waiting }, 'Deadlock: these owners wait for one another');
    await this.prune(clock.now());
  }

  /** Reopens a deadlock that continues although it was not seen for a while, as in an outage. */
  private async reopen(id: string): Promise<void> {
    const { database } = this.parts;
    const { deadlocks } = database.tables;
    await database.db
      .update(deadlocks)
      .set({ endedAt: null, endedBy: null })
      .where(allOf(eq(deadlocks.id, id), eq(deadlocks.endedBy, 'unseen')));
  }

  private async close({ id, endedAt, end, by }: DeadlockNews['ended'][number]): Promise<void> {
    const { database } = this.parts;
    const { deadlocks } = database.tables;
    await database.db
      .update(deadlocks)
      .set({ endedAt, endedBy: end, operator: by })
      .where(allOf(eq(deadlocks.id, id), isNull(deadlocks.endedAt)));
  }

  /** Closes deadlocks that have ended, and records those that are missing. */
  private async check(): Promise<void> {
    const { database, clock, watch } = this.parts;
    const { deadlocks } = database.tables;
    const rows = watch.rows();
    for (const row of rows) await this.add(row);
    const ids = rows.map(({ id }) => id);
    this.recorded = new Set(ids);
    const isOpen = isNull(deadlocks.endedAt);
    const isStale = ids.length > 0 ? allOf(isOpen, notInArray(deadlocks.id, ids)) : isOpen;
    const { foundAt } = deadlocks;
    const now = clock.now();
    await database.db
      .update(deadlocks)
      .set({
        endedAt: sql`CASE WHEN ${foundAt} > ${now} THEN ${foundAt} ELSE ${now} END`,
        endedBy: 'unseen',
      })
      .where(isStale);
  }

  private async prune(instant: number): Promise<void> {
    const { database, historyMs = DEFAULT_RETENTION.historyMs } = this.parts;
    const { deadlocks } = database.tables;
    const now = await removalInstant(database, instant);
    const tooMany = await database.db
      .select({ id: deadlocks.id })
      .from(deadlocks)
      .orderBy(this.isFormer, desc(deadlocks.foundAt), desc(deadlocks.id))
      .limit(DEADLOCKS_MAX)
      .offset(DEADLOCKS_MAX);
    const ids = tooMany.map(({ id }) => id);
    const isOld = lt(deadlocks.foundAt, now - historyMs);
    const isRemoved = ids.length > 0 ? anyOf(isOld, inArray(deadlocks.id, ids)) : isOld;
    await database.db.delete(deadlocks).where(isRemoved);
  }
}

function deadlockRow(stored: Schema['deadlocks']['$inferSelect']): DeadlockRow {
  const { id, since, foundAt, endedAt, endedBy, operator, waiting, steps } = stored;
  const end = DEADLOCK_ENDS.find((each) => each === endedBy) ?? null;
  return { id, since, foundAt, endedAt, end, by: operator, waiting, steps: JSON.parse(steps) };
}
