import type { Database, RunSql, SqlValue } from '@/db/database';
import type { AlertRow, AlertSubject } from '../../contract/console/alerts/alert-row';
import type { AlertKind } from '../../contract/console/alerts/alert-rules';
import { type Alert, alertKey } from '../../core/alerts/alert';
import type { SentAlert } from '../../core/alerts/alert-message';
import { CLOCKS_APART_MAX_MS } from '../../platform/clock';
import type { ShouldContinue } from '../../platform/periodic';
import { deleteRows } from '../history/delete-rows';
import { insertRows } from '../history/insert-rows';
import { replacing } from '../rollups/rollup-rows';

/** How many resolved alerts are kept; older ones are deleted. */
const KEPT_MAX = 20_000;

/** The most resolved alerts that wait to be sent to receivers; of more, the latest are sent. */
const UNSENT_MAX = 1_000;

const CURSOR = 'alerts';

const COLUMNS =
  'id, kind, backend, namespace, name, since, fired_at, announced_at, resolved_at, position, ' +
  'sentence';

/** The columns that change after an alert is inserted. */
const CHANGING = ['open_for', 'announced_at', 'resolved_at', 'position'];

const WRITTEN = [
  ...['kind', 'backend', 'namespace', 'name', 'since', 'fired_at', 'sentence'],
  ...CHANGING,
];

/** An alert as it is stored. */
export type StoredAlert = SentAlert & Alert;

/** A change of an alert, to be written. */
export interface AlertChange {
  alert: StoredAlert;
  /** Whether it is not stored yet. `AlertTable.write` then sets its `id`. */
  isNew: boolean;
  /** Whether receivers must be sent a message about it. */
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
    // Another process may have inserted it in the meantime.
    const { db, tables } = this.database;
    await db
      .insert(tables.cursors)
      .values({ id: CURSOR, position: 0 })
      .catch((error: unknown) => {
        if (!this.database.isDuplicateKey(error)) throw error;
      });
    return 0;
  }

  /** The firing alerts, and the resolved ones with news after a position, oldest news first. */
  async load(after: number): Promise<StoredAlert[]> {
    const { raw } = this.database;
    const open = await raw.ask(`SELECT ${COLUMNS} FROM alerts WHERE open_for IS NOT NULL`, []);
    const unsent = await raw.ask(
      `SELECT ${COLUMNS} FROM alerts WHERE resolved_at IS NOT NULL AND position > ? ` +
        `ORDER BY position DESC LIMIT ${UNSENT_MAX}`,
      [after],
    );
    return [...open.rows, ...unsent.rows.reverse()].map(toAlert);
  }

  /**
   * Writes changes, all or none, and moves the position of the latest news. An alert that another
   * process has resolved stays as it is.
   *
   * @param changes a few hundred at most
   * @param from the position before
   * @throws where another process has moved it meanwhile
   */
  async write(changes: readonly AlertChange[], from: number, to: number): Promise<void> {
    const { kind, raw } = this.database;
    const alertsOf = (areNew: boolean) =>
      changes.filter(({ isNew }) => isNew === areNew).map(({ alert }) => alert);
    const [begun, followed] = [alertsOf(true), alertsOf(false)];
    const ids = await raw.transaction(async (ask) => {
      const moved = await ask('UPDATE cursors SET position = ? WHERE id = ? AND position = ?', [
        to,
        CURSOR,
        from,
      ]);
      if (moved.affected === 0) throw new Error('Another process writes the alerts.');
      const open = await idsOf(ask, kind, followed);
      const known = followed
        .filter((alert) => open.get(alertKey(alert)) === alert.id)
        .map((alert) => [alert.id, ...valuesOf(alert)]);
      await insertRows(ask, 'alerts', ['id', ...WRITTEN], known, replacing(kind, ['id'], CHANGING));
      await insertRows(ask, 'alerts', WRITTEN, begun.map(valuesOf));
      return idsOf(ask, kind, begun);
    });
    for (const alert of begun) alert.id = ids.get(alertKey(alert)) ?? 0;
  }

  /** The newest firing alerts; last those from before the clock was set back. */
  async firing(limit: number, now: number): Promise<AlertRow[]> {
    const sql =
      `SELECT ${COLUMNS} FROM alerts WHERE open_for IS NOT NULL ` +
      'ORDER BY fired_at > ?, fired_at DESC, id DESC LIMIT ?';
    return this.rows(sql, [now + CLOCKS_APART_MAX_MS, limit]);
  }

  /** The alerts that were resolved last; at the end those from before the clock was set back. */
  async resolved(limit: number, now: number): Promise<AlertRow[]> {
    const read = (condition: string, max: number) =>
      this.rows(
        `SELECT ${COLUMNS} FROM alerts WHERE resolved_at ${condition} ? ` +
          'ORDER BY resolved_at DESC, id DESC LIMIT ?',
        [now + CLOCKS_APART_MAX_MS, max],
      );
    const latest = await read('<=', limit);
    const left = limit - latest.length;
    return left > 0 ? [...latest, ...(await read('>', left))] : latest;
  }

  /** The subjects of all firing alerts. */
  async firingSubjects(): Promise<AlertSubject[]> {
    const { rows } = await this.database.raw.ask(
      'SELECT kind, backend, namespace, name FROM alerts WHERE open_for IS NOT NULL',
      [],
    );
    return rows.map(toSubject);
  }

  /** Removes alerts resolved before an instant, and the oldest of too many, in small batches. */
  async prune(before: number, shouldContinue?: ShouldContinue): Promise<void> {
    const { rows } = await this.database.raw.ask(
      'SELECT resolved_at FROM alerts WHERE resolved_at IS NOT NULL ' +
        'ORDER BY resolved_at DESC LIMIT 1 OFFSET ?',
      [KEPT_MAX],
    );
    const oldest = Math.max(before, Number(rows[0]?.[0] ?? 0));
    await deleteRows(this.database, 'alerts', 'resolved_at < ?', [oldest], shouldContinue);
  }

  private async rows(sql: string, values: SqlValue[]): Promise<AlertRow[]> {
    const { rows } = await this.database.raw.ask(sql, values);
    return rows.map((columns) => {
      const { position: _, cleared: __, ...row } = toAlert(columns);
      return row;
    });
  }
}

/** In the order of `WRITTEN`. */
function valuesOf(alert: StoredAlert): (SqlValue | null)[] {
  const { kind, backend, namespace, name, since, firedAt, sentence } = alert;
  const { announcedAt, resolvedAt, position } = alert;
  const openFor = resolvedAt === null ? alertKey(alert) : null;
  const subject = [kind, backend, namespace, name, since, firedAt, sentence];
  return [...subject, openFor, announcedAt, resolvedAt, position];
}

/** The ids of firing alerts, by `alertKey`. MySQL locks their rows for the transaction. */
async function idsOf(
  ask: RunSql,
  kind: Database['kind'],
  alerts: readonly StoredAlert[],
): Promise<Map<string, number>> {
  if (alerts.length === 0) return new Map();
  const keys = alerts.map(alertKey);
  const { rows } = await ask(
    `SELECT open_for, id FROM alerts WHERE open_for IN (${keys.map(() => '?')})` +
      (kind === 'mysql' ? ' FOR UPDATE' : ''),
    keys,
  );
  return new Map(rows.map(([key, id]) => [String(key), Number(id)]));
}

function toAlert(columns: unknown[]): StoredAlert {
  const [id, kind, backend, namespace, name, since, firedAt, ...rest] = columns;
  const [announcedAt, resolvedAt, position, sentence] = rest;
  return {
    id: Number(id),
    ...toSubject([kind, backend, namespace, name]),
    since: Number(since),
    firedAt: Number(firedAt),
    announcedAt: instantOf(announcedAt),
    resolvedAt: instantOf(resolvedAt),
    cleared: null,
    position: Number(position),
    sentence: String(sentence),
  };
}

const toSubject = ([kind, backend, namespace, name]: unknown[]): AlertSubject => ({
  kind: String(kind) as AlertKind,
  backend: String(backend),
  namespace: String(namespace),
  name: name === null ? null : String(name),
});

const instantOf = (value: unknown) => (value === null ? null : Number(value));
