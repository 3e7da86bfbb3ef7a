import type { BulkChange } from '@/db/bulk-change';
import { auditSubject } from '@/db/recorded/audit-subject';
import type { Cell } from '@/db/snapshot';
import { StartError } from '@/server/platform/start-error';
import { EPOCH_MAX } from '../core/fencing-token';
import type { LockEvent } from '../core/lock/lock-event';
import { type Restore, restoredCounter, restoredLock } from '../core/restored-record';
import { newWriter } from '../engine/new-writer';
import { decodeCounter, encodeCounter } from '../storage/codec/counter-codec';
import { encodeHistory } from '../storage/codec/history-codec';
import { decodeRecord, encodeRecord } from '../storage/codec/record-codec';
import { recordKey } from '../storage/record-id';
import type { Change } from '../storage/record-store';
import { continueHistoryAfter, lastRecorded } from '../storage/recorded-position';
import type { BackupHeader } from './backup-header';
import { restoredBackend } from './restored-backend';

type Table = BackupHeader['tables'][number];
type Row = Record<string, Cell>;

const HOME = 'default';
const ROWS_AT_ONCE = 200;
/** Characters have up to three bytes: a server may accept no more than 1 MB in one packet. */
const CHARS_AT_ONCE = 250_000;

/** The state before the restore, and the times used in it. */
interface RestoreTarget {
  /** The rows of backends and namespaces before the restore, by id. */
  backends: Map<string, Row>;
  namespaces: Map<string, Row>;
  now: number;
  grantsFrom: number;
}

/** Inserts a backup's rows into an empty database as they are read, adapted for a restore. */
export class BackupLoad {
  private readonly restored: RestoredRows;
  private readonly backends = new Map<string, Row>();
  private readonly namespaces = new Set<string>();
  private table: Table | null = null;
  private buffer: Cell[][] = [];
  private bufferChars = 0;
  private rows = 0;

  constructor(
    private readonly change: BulkChange,
    private readonly header: BackupHeader,
    private readonly at: RestoreTarget,
  ) {
    const reason = `Restored from the backup of ${new Date(header.madeAt).toISOString()}.`;
    const { now, grantsFrom } = at;
    const epoch = this.nextEpoch(HOME);
    this.restored = new RestoredRows({ epoch, now, grantsFrom, by: 'restore', reason });
  }

  async row(table: Table, cells: Cell[]): Promise<void> {
    this.rows += 1;
    if (table.name === 'backends') {
      const row = rowOf(table, cells);
      this.backends.set(String(row.id), row);
      return;
    }
    if (table.name === 'namespaces') this.namespaces.add(String(rowOf(table, cells).id));
    if (table !== this.table) await this.insertBuffer();
    this.table = table;
    this.buffer.push(this.loadedCells(table, cells));
    this.bufferChars += cells.reduce<number>((sum, cell) => sum + String(cell).length, 0);
    const isFull = this.buffer.length === ROWS_AT_ONCE || this.bufferChars > CHARS_AT_ONCE;
    if (isFull) await this.insertBuffer();
  }

  /** Writes the remaining rows and the restore's own history. */
  async finish(): Promise<{ rows: number; epoch: number; grantsFrom: number }> {
    await this.insertBuffer();
    await this.continueHistory();
    for (const row of this.restored.history()) await this.insert('lock_history', row);
    const { backends: before, now, grantsFrom } = this.at;
    for (const id of new Set([HOME, ...Object.keys(this.header.epochs), ...before.keys()])) {
      const known = restoredBackend(this.backends.get(id), before.get(id));
      const row = { created_at: now, ...known, id, epoch: this.nextEpoch(id) };
      await this.insert('backends', id === HOME ? { ...row, grants_from: grantsFrom } : row);
    }
    await this.removeLaterNamespaces();
    return { rows: this.rows, epoch: this.nextEpoch(HOME), grantsFrom };
  }

  /**
   * Commits that were recorded long before the backup are not in it. An empty database would give
   * their ids to new ones, which would count as recorded.
   */
  private async continueHistory(): Promise<void> {
    const rows = await this.change.select('select id, position from cursors');
    const cursors = rows.map((row) => ({ id: String(row.id), position: Number(row.position) }));
    await this.change.run(continueHistoryAfter(lastRecorded(cursors, HOME), this.at.now));
  }

  /**
   * Marks a namespace that is not in the backup as removed. It stays bound to its backend: on
   * another one its tokens could begin below earlier ones.
   */
  private async removeLaterNamespaces(): Promise<void> {
    for (const [id, row] of this.at.namespaces) {
      if (this.namespaces.has(id)) continue;
      const removedAt = row.removed_at ?? this.at.now;
      await this.insert('namespaces', { ...row, id, removed_at: removedAt });
    }
  }

  /** Higher than every known epoch: that of the backup, and that of the database it replaces. */
  private nextEpoch(backend: string): number {
    const before = Number(this.at.backends.get(backend)?.epoch ?? 0);
    const known = Math.max(this.header.epochs[backend] ?? 0, before);
    if (known < EPOCH_MAX) return known + 1;
    throw new StartError(`The backend "${backend}" has used up its ${EPOCH_MAX} epochs.`);
  }

  private loadedCells(table: Table, cells: Cell[]): Cell[] {
    if (table.name === 'locks') return this.restoredCells(table, cells);
    return table.name === 'audit' ? fittingEntry(table, cells) : cells;
  }

  private restoredCells(table: Table, cells: Cell[]): Cell[] {
    const row = this.restored.record(rowOf(table, cells));
    return table.columns.map((name) => row[name] ?? null);
  }

  private async insertBuffer(): Promise<void> {
    const { table, buffer } = this;
    this.buffer = [];
    this.bufferChars = 0;
    if (table && buffer.length > 0) await this.change.insert(table.name, table.columns, buffer);
  }

  private insert(table: string, row: Row): Promise<void> {
    return this.change.insert(table, Object.keys(row), [Object.values(row)]);
  }
}

function rowOf({ columns }: Table, cells: Cell[]): Row {
  return Object.fromEntries(columns.map((name, i) => [name, cells[i] ?? null]));
}

/** MySQL limits the length of subjects that SQLite, and earlier versions, store at any length. */
function fittingEntry({ columns }: Table, cells: Cell[]): Cell[] {
  return cells.map((cell, i) => (columns[i] === 'subject' ? auditSubject(String(cell)) : cell));
}

/** Converts the rows of records to their state after a restore, and collects its history. */
class RestoredRows {
  private readonly changes: { id: string; rev: number; writer: string; events: LockEvent[] }[] = [];

  constructor(private readonly restoration: Restore) {}

  /** A row of the table `locks`. A row that no version of ours wrote stays unchanged. */
  record(row: Row): Row {
    const stored = {
      rev: Number(row.rev),
      writer: String(row.writer),
      head: String(row.head),
      queue: String(row.queue),
    };
    const id = String(row.id);
    try {
      return { ...row, ...this.next(id, stored), changed_at: this.restoration.now };
    } catch {
      return row;
    }
  }

  /** Rows of the table `lock_history`, each with up to `LOCKS_PER_ROW` locks. */
  history(): Row[] {
    const rows: Row[] = [];
    for (let from = 0; from < this.changes.length; from += LOCKS_PER_ROW) {
      const locks = this.changes.slice(from, from + LOCKS_PER_ROW);
      const changes = locks.map(({ id, ...change }) => ({
        ...UNUSED,
        ...change,
        key: recordKey(id),
      }));
      rows.push({
        at: this.restoration.now,
        changes: encodeHistory(changes),
        took: locks.map(({ writer }) => writer).join(','),
      });
    }
    return rows;
  }

  private next(id: string, stored: Parameters<typeof decodeRecord>[0]): Row {
    const writer = newWriter();
    if (recordKey(id).kind === 'counter') {
      const next = restoredCounter(decodeCounter(stored).record, this.restoration.now);
      return { rev: next.rev, writer, head: encodeCounter(next).head };
    }
    const { next, events } = restoredLock(decodeRecord(stored).record, this.restoration);
    if (events.length > 0) this.changes.push({ id, rev: next.rev, writer, events });
    const { head, queue } = encodeRecord(next, null);
    return { rev: next.rev, writer, head, queue: queue ?? '' };
  }
}

const LOCKS_PER_ROW = 100;

/** The parts of a change that its history text does not need. */
const UNUSED: Omit<Change, 'key' | 'rev' | 'writer' | 'events'> = {
  expect: null,
  clock: { past: 0, ahead: Number.POSITIVE_INFINITY },
  head: '',
  queue: null,
  storedAnswers: [],
  extensions: [],
};
