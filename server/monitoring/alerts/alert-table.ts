import type { Database, RunSql, SqlValue } from '@/db/database';
import type { AlertRow } from '../../contract/console/alerts/alert-row';
import type { AlertKind } from '../../contract/console/alerts/alert-rules';
import { type Alert, alertKey } from '../../core/alerts/alert';
import type { SentAlert } from '../../core/alerts/alert-message';
import { deleteRows } from '../history/delete-rows';

/** Of the resolved ones only so many are kept, the latest. */
const KEPT_MAX = 20_000;

/** Resolved alerts that receivers are still to be sent: of more only the latest are. */
const UNSENT_MAX = 1_000;

const CURSOR = 'alerts';

const COLUMNS =
  'id, kind, backend, namespace, name, since, fired_at, announced_at, resolved_at, position, sentence';

/** An alert as it is stored. */
export type StoredAlert = SentAlert & Alert;

/** A change of an alert, to be written. */
export interface AlertChange {
  alert: StoredAlert;
  /** It is not stored yet, and its `id` is set when it is. */
  isNew: boolean;
  /** Whether receivers must be sent something of it. */
  hasNews: boolean;
}

/** The stored alerts. */
export class AlertTable {
  constructor(private readonly database: Database) {}

  /** The position of the latest news. */
  async position(): Promise<number> {
    const { rows } = await this.database.raw.ask('SELECT position FROM cursors WHERE id = ?', [
      CURSOR,
    ]);
    if (rows[0]) return Number(rows[0][0]);
    // Another process may be as quick.
    const { db, tables } = this.database;
    await db
      .insert(tables.cursors)
      .values({ id: CURSOR, position: 0 })
      .catch((error: unknown) => {
        if (!this.database.isDuplicateKey(error)) throw error;
      });
    return 0;
  }

  /** Those that fire, and the resolved ones with news after a position. */
  async load(after: number): Promise<StoredAlert[]> {
    const { raw } = this.database;
    const open = await raw.ask(`SELECT ${COLUMNS} FROM alerts WHERE open_for IS NOT NULL`, []);
    const unsent = await raw.ask(
      `SELECT ${COLUMNS} FROM alerts WHERE resolved_at IS NOT NULL AND position > ? ` +
        `ORDER BY position DESC LIMIT ${UNSENT_MAX}`,
      [after],
    );
    return [...open.rows, ...unsent.rows].map(toAlert);
  }

  /**
   * Writes changes, all or none, and moves the position of the latest news.
   *
   * @param from the position before
   * @throws where another process has moved it meanwhile
   */
  async write(changes: readonly AlertChange[], from: number, to: number): Promise<void> {
    const ids = await this.database.raw.transaction(async (ask) => {
      const moved = await ask('UPDATE cursors SET position = ? WHERE id = ? AND position = ?', [
        to,
        CURSOR,
        from,
      ]);
      if (moved.affected === 0) throw new Error('Another process writes the alerts.');
      for (const { alert, isNew } of changes)
        await (isNew ? insert(ask, alert) : update(ask, alert));
      return idsOf(ask, changes);
    });
    for (const { alert, isNew } of changes) {
      if (isNew) alert.id = ids.get(alertKey(alert)) ?? 0;
    }
  }

  /** The newest firing ones. */
  async firing(limit: number): Promise<AlertRow[]> {
    const sql =
      `SELECT ${COLUMNS} FROM alerts WHERE open_for IS NOT NULL ` +
      'ORDER BY fired_at DESC, id DESC LIMIT ?';
    return this.rows(sql, [limit]);
  }

  /** The latest that were resolved. */
  async resolved(limit: number): Promise<AlertRow[]> {
    const sql =
      `SELECT ${COLUMNS} FROM alerts WHERE resolved_at IS NOT NULL ` +
      'ORDER BY resolved_at DESC, id DESC LIMIT ?';
    return this.rows(sql, [limit]);
  }

  async countFiring(): Promise<number> {
    const { rows } = await this.database.raw.ask(
      'SELECT COUNT(*) FROM alerts WHERE open_for IS NOT NULL',
      [],
    );
    return Number(rows[0]?.[0] ?? 0);
  }

  /** Removes those resolved before an instant, and the oldest of too many, a few at a time. */
  async prune(before: number): Promise<void> {
    const { rows } = await this.database.raw.ask(
      'SELECT resolved_at FROM alerts WHERE resolved_at IS NOT NULL ' +
        'ORDER BY resolved_at DESC LIMIT 1 OFFSET ?',
      [KEPT_MAX],
    );
    const oldest = Math.max(before, Number(rows[0]?.[0] ?? 0));
    await deleteRows(this.database, 'alerts', 'resolved_at < ?', [oldest]);
  }

  private async rows(sql: string, values: SqlValue[]): Promise<AlertRow[]> {
    const { rows } = await this.database.raw.ask(sql, values);
    return rows.map((columns) => {
      const { position: _, clearedAt: __, ...row } = toAlert(columns);
      return row;
    });
  }
}

async function insert(ask: RunSql, alert: StoredAlert): Promise<void> {
  const { kind, backend, namespace, name, since, firedAt, position, sentence } = alert;
  const { announcedAt } = alert;
  const columns: [string, SqlValue | null][] = [
    ['open_for', alertKey(alert)],
    ['kind', kind],
    ['backend', backend],
    ['namespace', namespace],
    ['name', name],
    ['since', since],
    ['fired_at', firedAt],
    ['announced_at', announcedAt],
    ['position', position],
    ['sentence', sentence],
  ];
  const given = columns.filter((column): column is [string, SqlValue] => column[1] !== null);
  await ask(
    `INSERT INTO alerts (${given.map(([column]) => column)}) VALUES (${given.map(() => '?')})`,
    given.map(([, value]) => value),
  );
}

async function update(ask: RunSql, alert: StoredAlert): Promise<void> {
  const { id, announcedAt, resolvedAt, position } = alert;
  const ends = resolvedAt === null ? '' : ', resolved_at = ?, open_for = NULL';
  const announces = announcedAt === null ? '' : ', announced_at = ?';
  const instants = [resolvedAt, announcedAt].filter((at) => at !== null);
  await ask(`UPDATE alerts SET position = ?${ends}${announces} WHERE id = ?`, [
    position,
    ...instants,
    id,
  ]);
}

/** The ids of those that were added, by what they are about. */
async function idsOf(ask: RunSql, changes: readonly AlertChange[]): Promise<Map<string, number>> {
  const keys = changes.filter(({ isNew }) => isNew).map(({ alert }) => alertKey(alert));
  if (keys.length === 0) return new Map();
  const marks = keys.map(() => '?').join(',');
  const { rows } = await ask(`SELECT open_for, id FROM alerts WHERE open_for IN (${marks})`, keys);
  return new Map(rows.map(([key, id]) => [String(key), Number(id)]));
}

function toAlert(columns: unknown[]): StoredAlert {
  const [id, kind, backend, namespace, name, since, firedAt, ...rest] = columns;
  const [announcedAt, resolvedAt, position, sentence] = rest;
  return {
    id: Number(id),
    kind: String(kind) as AlertKind,
    backend: String(backend),
    namespace: String(namespace),
    name: name === null ? null : String(name),
    since: Number(since),
    firedAt: Number(firedAt),
    announcedAt: instantOf(announcedAt),
    resolvedAt: instantOf(resolvedAt),
    clearedAt: instantOf(resolvedAt),
    position: Number(position),
    sentence: String(sentence),
  };
}

const instantOf = (value: unknown) => (value === null ? null : Number(value));
