import type { Database, RunSql, SqlValue } from '@/db/database';
import type { LockStatus } from '../../contract/console/console-terms';
import type { IncidentFacts, IncidentRow, ProvenDeath } from '../../contract/console/past/incident';
import type { Incident } from '../../core/incidents/incident';
import type { RecordKey } from '../../storage/record-store';
import { deleteRows } from '../history/delete-rows';

const ROWS_AT_ONCE = 500;

/** Ended incidents that a new runner looks at, so that the next one does not overlap with them. */
const RECENT_MAX = 2_000;

/** Whose incident it is. */
interface IncidentSubject {
  /** The lock's row id: stable and unique over all backends. */
  id: string;
  backend: string;
  namespace: string;
  name: string;
}

export type OpenIncident = IncidentSubject & { incident: Incident };

const COLUMNS =
  'id, backend, namespace, name, status, began_at, cleared_at, ended_at, read_at, waiter_ms, ' +
  'waiters_max, blocking_max_ms, actors, facts';

/** The stored incidents. */
export class IncidentTable {
  constructor(private readonly database: Database) {}

  /** Those not ended, by the id of their lock. */
  async open(): Promise<Map<string, OpenIncident>> {
    const { rows } = await this.database.raw.ask(
      `SELECT open_for, waiters, ${COLUMNS} FROM incidents WHERE open_for IS NOT NULL`,
      [],
    );
    return new Map(
      rows.map(([lock, waiters, ...columns]) => {
        const { id: _, backend, namespace, name, ...incident } = toRow(columns);
        const id = textOf(lock);
        const counted = { ...incident, waiters: Number(waiters) };
        return [id, { id, backend, namespace, name, incident: counted }];
      }),
    );
  }

  /** When the latest incident of each lock ended, of those that ended since an instant. */
  async lastEnds(since: number): Promise<Map<string, number>> {
    const { rows } = await this.database.raw.ask(
      'SELECT backend, namespace, name, ended_at FROM incidents WHERE ended_at >= ? ' +
        `ORDER BY ended_at DESC LIMIT ${RECENT_MAX}`,
      [since],
    );
    const ends = new Map<string, number>();
    for (const [backend, namespace, name, endedAt] of rows) {
      const id = `${backend}/${textOf(namespace)}/${textOf(name)}`;
      if (!ends.has(id)) ends.set(id, Number(endedAt));
    }
    return ends;
  }

  /**
   * Writes incidents as they are now, all or none: new ones are added, others found by their lock.
   *
   * @throws where another process has opened one for the same lock meanwhile
   */
  async write(changed: readonly { open: OpenIncident; isNew: boolean }[]): Promise<void> {
    await this.database.raw.transaction(async (ask) => {
      for (const { open, isNew } of changed) {
        if (isNew) await insert(ask, open);
        else await update(ask, open);
      }
    });
  }

  /** Newest first. `before`: only those with a smaller id. */
  async list(filter: {
    before?: number;
    limit: number;
    since?: number;
    until?: number;
  }): Promise<IncidentRow[]> {
    const { before = Number.MAX_SAFE_INTEGER, limit, since = 0 } = filter;
    const { until = Number.MAX_SAFE_INTEGER } = filter;
    const { rows } = await this.database.raw.ask(
      `SELECT ${COLUMNS} FROM incidents WHERE id < ? AND (ended_at IS NULL OR ended_at >= ?) ` +
        'AND began_at <= ? ORDER BY id DESC LIMIT ?',
      [before, since, until, limit],
    );
    return rows.map(toRow);
  }

  /** The incidents that were open at an instant; not more than a page has room for. */
  async at(at: number): Promise<Pick<IncidentRow, 'backend' | 'namespace' | 'name' | 'facts'>[]> {
    const { rows } = await this.database.raw.ask(
      `SELECT ${COLUMNS} FROM incidents WHERE began_at <= ? AND ` +
        `(ended_at IS NULL OR ended_at > ?) ORDER BY id DESC LIMIT ${ROWS_AT_ONCE}`,
      [at, at],
    );
    return rows.map(toRow);
  }

  /** The deaths that the incidents of a lock have between two instants, oldest first. */
  async deathsOf(
    backend: string,
    key: RecordKey,
    from: number,
    to: number,
  ): Promise<ProvenDeath[]> {
    const { rows } = await this.database.raw.ask(
      `SELECT ${COLUMNS} FROM incidents WHERE backend = ? AND namespace = ? AND name = ? AND ` +
        'began_at <= ? AND (ended_at IS NULL OR ended_at >= ?) ' +
        `ORDER BY began_at, id LIMIT ${ROWS_AT_ONCE}`,
      [backend, key.namespace, key.name, to, from],
    );
    const deaths = rows.flatMap((row) => toRow(row).facts.deaths ?? []);
    return deaths.filter(({ since }) => since >= from && since <= to);
  }

  async countOpen(): Promise<number> {
    const { rows } = await this.database.raw.ask(
      'SELECT COUNT(*) FROM incidents WHERE open_for IS NOT NULL',
      [],
    );
    return Number(rows[0]?.[0] ?? 0);
  }

  async get(id: number): Promise<IncidentRow | null> {
    const sql = `SELECT ${COLUMNS} FROM incidents WHERE id = ?`;
    const { rows } = await this.database.raw.ask(sql, [id]);
    return rows[0] ? toRow(rows[0]) : null;
  }

  /** Removes those that ended before an instant, a few at a time. */
  async prune(before: number): Promise<void> {
    await deleteRows(this.database, 'incidents', 'ended_at < ?', [before]);
  }
}

async function insert(ask: RunSql, open: OpenIncident): Promise<void> {
  const { id, backend, namespace, name, incident } = open;
  await ask(
    'INSERT INTO incidents (open_for, backend, namespace, name, began_at, status, read_at, ' +
      'waiters, waiter_ms, waiters_max, blocking_max_ms, actors, facts) ' +
      'VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)',
    [id, backend, namespace, name, incident.beganAt, ...valuesOf(incident)],
  );
}

async function update(ask: RunSql, { id, incident }: OpenIncident): Promise<void> {
  const { clearedAt, endedAt } = incident;
  const instants = [
    clearedAt === null ? 'cleared_at = NULL' : 'cleared_at = ?',
    ...(endedAt === null ? [] : ['ended_at = ?', 'open_for = NULL']),
  ];
  await ask(
    'UPDATE incidents SET status = ?, read_at = ?, waiters = ?, waiter_ms = ?, waiters_max = ?, ' +
      `blocking_max_ms = ?, actors = ?, facts = ?, ${instants.join(', ')} WHERE open_for = ?`,
    [...valuesOf(incident), ...[clearedAt, endedAt].filter((at) => at !== null), id],
  );
}

/** In the order of both statements. */
function valuesOf(incident: Incident): SqlValue[] {
  const { status, readAt, waiters, waiterMs, waitersMax, blockingMaxMs } = incident;
  const { actors, facts } = incident;
  const counts = [waiters, waiterMs, waitersMax, blockingMaxMs].map(Math.round);
  return [status, readAt, ...counts, JSON.stringify(actors), JSON.stringify(facts)];
}

function toRow(columns: unknown[]): IncidentRow {
  const [id, backend, namespace, name, status, beganAt, clearedAt, endedAt, ...rest] = columns;
  const [readAt, waiterMs, waitersMax, blockingMaxMs, actors, facts] = rest;
  return {
    id: Number(id),
    backend: String(backend),
    namespace: textOf(namespace),
    name: textOf(name),
    status: String(status) as LockStatus,
    beganAt: Number(beganAt),
    clearedAt: instantOf(clearedAt),
    endedAt: instantOf(endedAt),
    readAt: Number(readAt),
    waiterMs: Number(waiterMs),
    waitersMax: Number(waitersMax),
    blockingMaxMs: Number(blockingMaxMs),
    actors: JSON.parse(String(actors)) as string[],
    facts: JSON.parse(String(facts)) as IncidentFacts,
  };
}

const instantOf = (value: unknown) => (value === null ? null : Number(value));

const textOf = (value: unknown) => String(value);
