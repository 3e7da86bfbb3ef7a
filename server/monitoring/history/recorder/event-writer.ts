import { setImmediate } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import type { Database, RawStatement, RunSql, SqlValue } from '@/db/database';
import { aheadCursor, recordedCursor } from '../../../storage/recorded-position';
import { deleteRows } from '../delete-rows';
import { bodyLength, insertionsOf } from './event-rows';

/** The most that is written in one transaction. */
const PER_TRANSACTION = { rows: 200, chars: 256 * 1_024 };

/** Smaller for an SQLite file that also holds the locks, which wait during the transaction. */
const PER_TRANSACTION_EMBEDDED = { rows: 200, chars: 64 * 1_024 };

/**
 * Larger for an SQLite file without locks. More rows at a time mean fewer writes, as most rows
 * change another page of the index by lock.
 */
const PER_TRANSACTION_SEPARATE = { rows: 1_000, chars: 1_024 * 1_024 };

/** A cursor, and the position that it moves to. */
type CursorMove = [id: string, position: number];

/** Rows of events, and the id of the last commit that they cover. */
export interface RowsUpTo {
  position: number;
  rows: Iterable<SqlValue[]>;
}

/**
 * Writes rows of one backend's events, and the cursors up to which they are written. Only one
 * process at a time can: the one that took over last.
 */
export class EventWriter {
  private saved = 0;
  /** How often a process had taken over this backend when this one did, itself included. */
  private turn = 0;
  private readonly cursorId: string;
  private readonly aheadId: string;
  private readonly turnId: string;

  /** @param isEmbedded whether locks and events share the queue for writes */
  constructor(
    private readonly database: Database,
    private readonly backend: string,
    private readonly isEmbedded: boolean,
  ) {
    this.cursorId = recordedCursor(backend);
    this.aheadId = aheadCursor(backend);
    this.turnId = `opener/${backend}`;
  }

  /** The cursor: all events of commits up to here are written. */
  get position(): number {
    return this.saved;
  }

  /**
   * Takes over from the process that recorded last, which can then no longer write. What it wrote
   * after the cursor is removed and recorded again, because other events belong in the same rows.
   */
  async takeOver(): Promise<void> {
    const { database, backend, cursorId, aheadId, turnId } = this;
    const { cursors } = database.tables;
    this.saved = await database.transaction(async (tx) => {
      const stored = async (id: string) => {
        const matchesId = eq(cursors.id, id);
        const [row] = await database.forUpdate(tx.select().from(cursors).where(matchesId));
        if (!row) await tx.insert(cursors).values({ id, position: 0 });
        return row?.position ?? 0;
      };
      const move = (id: string, to: number) =>
        tx.update(cursors).set({ position: to }).where(eq(cursors.id, id));
      this.turn = (await stored(turnId)) + 1;
      await move(turnId, this.turn);
      await stored(aheadId);
      await move(aheadId, 0);
      return stored(cursorId);
    });
    const ours = { kind: database.kind, raw: { ask: this.askInTurn } };
    await deleteRows(ours, 'lock_events', 'backend = ? AND history_id > ?', [backend, this.saved]);
  }

  /** Runs a statement unless another process has taken over, whose rows it might remove. */
  private readonly askInTurn: RunSql = (sql, values) =>
    this.database.raw.transaction(async (ask) => {
      const guard = this.whileItsTurn();
      await ask(guard.sql, guard.values);
      return ask(sql, values);
    });

  /** A statement that fails, on a duplicate id, once another process has taken over. */
  whileItsTurn(): RawStatement {
    const sql = 'UPDATE cursors SET id = CASE WHEN position = ? THEN id ELSE ? END WHERE id = ?';
    return { sql, values: [this.turn, this.cursorId, this.turnId] };
  }

  /**
   * Writes rows in short transactions; the last of those with settled rows moves the cursor.
   *
   * @param settled rows of all commits up to a position, except those that were written before
   * @param ahead rows of commits behind a gap; null: there are none
   */
  async write(settled: RowsUpTo, ahead: RowsUpTo | null): Promise<void> {
    const { position } = settled;
    const isFurther = position > this.saved;
    await this.writeRows(settled.rows, isFurther ? [this.cursorId, position] : null);
    this.saved = Math.max(this.saved, position);
    if (ahead) await this.writeRows(ahead.rows, [this.aheadId, ahead.position]);
  }

  /** @param cursor is moved with the last of the rows */
  private async writeRows(rows: Iterable<SqlValue[]>, cursor: CursorMove | null): Promise<void> {
    const limits = this.perTransaction;
    let batch: SqlValue[][] = [];
    let chars = 0;
    for (const row of rows) {
      if (batch.length >= limits.rows || chars >= limits.chars) {
        await this.writeBatch(batch, null);
        batch = [];
        chars = 0;
      }
      batch.push(row);
      chars += bodyLength(row);
    }
    if (batch.length > 0 || cursor) await this.writeBatch(batch, cursor);
  }

  private get perTransaction(): typeof PER_TRANSACTION {
    if (this.database.kind === 'mysql') return PER_TRANSACTION;
    return this.isEmbedded ? PER_TRANSACTION_EMBEDDED : PER_TRANSACTION_SEPARATE;
  }

  private async writeBatch(rows: SqlValue[][], cursor: CursorMove | null): Promise<void> {
    const { raw, kind } = this.database;
    const statements = [this.whileItsTurn(), ...insertionsOf(kind, rows)];
    if (cursor) {
      const [id, position] = cursor;
      const sql = 'UPDATE cursors SET position = ? WHERE id = ? AND position < ?';
      statements.push({ sql, values: [position, id, position] });
    }
    // Off the event loop this takes longer, and the locks of an embedded store wait for it.
    await raw.batch(statements, !this.isEmbedded);
    await setImmediate();
  }
}
