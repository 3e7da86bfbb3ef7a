import { setImmediate } from 'node:timers/promises';
import type { Database, RunSql, SqlValue } from '@/db/database';
import type { LockStatus } from '../../contract/console/console-terms';
import type { IncidentFacts, IncidentRow, ProvenDeath } from '../../contract/console/past/incident';
import type { Incident } from '../../core/incidents/incident';
import type { ShouldContinue } from '../../platform/periodic';
import type { RecordKey } from '../../storage/record-store';
import { deleteRows } from '../history/delete-rows';
import { insertRows } from '../history/insert-rows';
import { replacing } from '../rollups/rollup-rows';

/** Rows read at a time: on SQLite a read blocks this process. */
const ROWS_AT_ONCE = 500;

/** The most incidents that are read of an instant. */
const AT_MAX = 4_000;

/** How many ended incidents a new runner reads, so that no new incident overlaps with one. */
const RECENT_MAX = 2_000;

/** The lock of an incident. */
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

/** The columns that change after an incident is inserted. */
const CHANGING = [
  'open_for',
  'status',
  'read_at',
  'waiters',
  'waiter_ms',
  'waiters_max',
  'blocking_max_ms',
  'actors',
  'facts',
  'cleared_at',
  'ended_at',
];

const WRITTEN = ['backend', 'namespace', 'name', 'began_at', ...CHANGING];

/** SQL that makes a database use an index, whatever it estimates. */
const by = (index: string) => ({ mysql: `FORCE INDEX (${index})`, sqlite: `INDEXED BY ${index}` });

const BY_BEGINNING = by('incidents_began');
const BY_END = by('incidents_ended');

/** The stored incidents. */
export class IncidentTable {
  constructor(private readonly database: Database) {}

  /** The open incidents, by the row id of their lock. */
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

  /** When the last incident of each lock ended, by its row id, of those ended since an instant. */
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
   * One that another process has ended stays as it is.
   *
   * @param changed a few hundred at most
   * @throws where another process has opened one for the same lock meanwhile
   */
  async write(changed: readonly { open: OpenIncident; isNew: boolean }[]): Promise<void> {
    const { kind, raw } = this.database;
    const rowsOf = (areNew: boolean) =>
      changed.filter(({ isNew }) => isNew === areNew).map(({ open }) => open);
    const [begun, followed] = [rowsOf(true), rowsOf(false)];
    await raw.transaction(async (ask) => {
      const ids = await idsOf(ask, kind, followed);
      const known = followed.flatMap((open) => {
        const id = ids.get(open.id);
        return id === undefined ? [] : [[id, ...valuesOf(open)]];
      });
      const replace = replacing(kind, ['id'], CHANGING);
      await insertRows(ask, 'incidents', ['id', ...WRITTEN], known, replace);
      await insertRows(ask, 'incidents', WRITTEN, begun.map(valuesOf));
    });
  }

  /**
   * Newest first; with `until` alone, in the order in which they began.
   *
   * @param filter `before`: only those after the incident with this id
   */
  async list(filter: {
    before?: number;
    limit: number;
    since?: number;
    until?: number;
  }): Promise<IncidentRow[]> {
    const { before, limit, since, until } = filter;
    if (since !== undefined) return this.openWithin(since - 1, until, limit, before);
    if (until !== undefined) return this.begunBy(until, limit, before);
    const { rows } = await this.database.raw.ask(
      `SELECT ${COLUMNS} FROM incidents WHERE id < ? ORDER BY id DESC LIMIT ?`,
      [before ?? Number.MAX_SAFE_INTEGER, limit],
    );
    return rows.map(toRow);
  }

  /**
   * The incidents that were open at an instant of the clock of their backend, and possibly others;
   * the newest 4,000 at most, which is twice as many as can be open.
   *
   * @param from the earliest instant that one of these clocks showed
   * @param to the latest
   */
  async at(from: number, to: number): Promise<IncidentRow[]> {
    const found: IncidentRow[] = [];
    while (found.length < AT_MAX) {
      const page = await this.openWithin(from, to, ROWS_AT_ONCE, found.at(-1)?.id);
      found.push(...page);
      if (page.length < ROWS_AT_ONCE) break;
      await setImmediate();
    }
    return found;
  }

  /**
   * The newest incidents that ended after `since` or not at all, and began by `until`. Reads one
   * entry of an index for each that ended later, and rows only of those it finds: by their ids, the
   * rows of all that are newer would be read.
   */
  private async openWithin(
    since: number,
    until = Number.MAX_SAFE_INTEGER,
    limit = ROWS_AT_ONCE,
    before = Number.MAX_SAFE_INTEGER,
  ): Promise<IncidentRow[]> {
    const { raw, kind } = this.database;
    const { rows } = await raw.ask(
      `SELECT ${COLUMNS} FROM incidents WHERE id IN (SELECT id FROM (SELECT id FROM incidents ` +
        `${BY_END[kind]} WHERE (ended_at IS NULL OR ended_at > ?) AND began_at <= ? AND id < ? ` +
        'ORDER BY id DESC LIMIT ?) AS found) ORDER BY id DESC',
      [since, until, before, limit],
    );
    return rows.map(toRow);
  }

  /** Reads no row of those that began later; in the order of ids it would read all of them. */
  private async begunBy(until: number, limit: number, before?: number): Promise<IncidentRow[]> {
    const { raw, kind } = this.database;
    const sql =
      `SELECT ${COLUMNS} FROM incidents ${BY_BEGINNING[kind]} WHERE began_at <= ? AND ` +
      '(began_at < ? OR id < ?) ORDER BY began_at DESC, id DESC LIMIT ?';
    let [from, lastId] = [until, Number.MAX_SAFE_INTEGER];
    if (before !== undefined) {
      const last = await this.get(before);
      // The oldest are removed first: none is left.
      if (!last) return [];
      [from, lastId] = [last.beganAt, before];
    }
    const { rows } = await raw.ask(sql, [from, from, lastId, limit]);
    return rows.map(toRow);
  }

  /** The proven deaths in the incidents of a lock between two instants, oldest first. */
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

  /** Removes incidents that ended before an instant, in small batches. */
  async prune(before: number, shouldContinue?: ShouldContinue): Promise<void> {
    await deleteRows(this.database, 'incidents', 'ended_at < ?', [before], shouldContinue);
  }
}

/** The ids of open incidents, by lock. MySQL locks their rows for the transaction. */
async function idsOf(
  ask: RunSql,
  kind: Database['kind'],
  open: readonly OpenIncident[],
): Promise<Map<string, number>> {
  if (open.length === 0) return new Map();
  const { rows } = await ask(
    `SELECT open_for, id FROM incidents WHERE open_for IN (${open.map(() => '?')})` +
      (kind === 'mysql' ? ' FOR UPDATE' : ''),
    open.map(({ id }) => id),
  );
  return new Map(rows.map(([lock, id]) => [textOf(lock), Number(id)]));
}

/** In the order of `WRITTEN`. */
function valuesOf({ id, backend, namespace, name, incident }: OpenIncident): (SqlValue | null)[] {
  const { status, beganAt, clearedAt, endedAt, readAt, actors, facts } = incident;
  const { waiters, waiterMs, waitersMax, blockingMaxMs } = incident;
  const counts = [waiters, waiterMs, waitersMax, blockingMaxMs].map(Math.round);
  const texts = [actors, facts].map((value) => JSON.stringify(value));
  const openFor = endedAt === null ? id : null;
  const subject = [backend, namespace, name, beganAt];
  return [...subject, openFor, status, readAt, ...counts, ...texts, clearedAt, endedAt];
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
