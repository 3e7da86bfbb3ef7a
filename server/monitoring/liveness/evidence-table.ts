import { setImmediate } from 'node:timers/promises';
import { eq, inArray, lt, ne } from 'drizzle-orm';
import { allOf, type Database } from '@/db/database';
import { LIVENESS_STATES, type WitnessReport } from '../../core/status/holder-liveness';

/** A witness's report on one holder. Instants are of the control database's clock. */
export interface FiledReport extends WitnessReport {
  /** The holder's id. */
  holder: string;
  /** When other processes could first read it; `at` may be later. */
  writtenAt: number;
}

/** Rows written by one statement. */
const AT_ONCE = 200;

/** Rows read at a time: on SQLite a read blocks this process. */
const READ_AT_ONCE = 250;

/** In the order of the index on the instant, which on InnoDB ends with the primary key. */
const PAGE =
  'SELECT at, holder, kind, witness, state, first_at, since, evidence FROM process_evidence ' +
  'WHERE at >= ? AND (at > ? OR holder > ? OR ' +
  '(holder = ? AND (kind > ? OR (kind = ? AND witness > ?)))) ' +
  `ORDER BY at, holder, kind, witness LIMIT ${READ_AT_ONCE}`;

/** The reports of all processes that share the control database. */
export class EvidenceTable {
  constructor(private readonly database: Database) {}

  /** Every report that was written at `since` or later, earliest first. */
  async read(since: number): Promise<FiledReport[]> {
    const found: FiledReport[] = [];
    let last: [at: number, holder: string, kind: string, witness: string] = [since, '', '', ''];
    for (;;) {
      const [at, holder, kind, witness] = last;
      const values = [at, at, holder, holder, kind, kind, witness];
      const { rows } = await this.database.raw.ask(PAGE, values);
      for (const row of rows) {
        found.push(...reportsIn(row));
        last = [Number(row[0]), String(row[1]), String(row[2]), String(row[3])];
      }
      if (rows.length < READ_AT_ONCE) return found;
      await setImmediate();
    }
  }

  /**
   * Writes reports of one witness in place of its earlier ones. A proof of death is never replaced.
   */
  async write(reports: readonly FiledReport[]): Promise<void> {
    for (let i = 0; i < reports.length; i += AT_ONCE) {
      await this.writeBatch(reports.slice(i, i + AT_ONCE));
    }
  }

  /** Removes all reports on these holders, and all from before `before` except proofs of death. */
  async prune(holders: readonly string[], before: number): Promise<void> {
    const { db, tables } = this.database;
    const { processEvidence: table } = tables;
    for (let i = 0; i < holders.length; i += AT_ONCE) {
      await db.delete(table).where(inArray(table.holder, holders.slice(i, i + AT_ONCE)));
    }
    await db.delete(table).where(allOf(ne(table.state, 'dead'), lt(table.at, before)));
  }

  private async writeBatch(reports: readonly FiledReport[]): Promise<void> {
    const [first] = reports;
    if (!first) return;
    const { processEvidence: table } = this.database.tables;
    const ids = reports.map(({ holder }) => holder);
    const isOfWitness = allOf(eq(table.kind, first.kind), eq(table.witness, first.witness));
    const isNamed = allOf(isOfWitness, inArray(table.holder, ids));
    await this.database.transaction(async (tx) => {
      await tx.delete(table).where(allOf(isNamed, ne(table.state, 'dead')));
      const dead = await tx.select({ holder: table.holder }).from(table).where(isNamed);
      const kept = new Set(dead.map(({ holder }) => holder));
      const rows = reports
        .filter(({ holder }) => !kept.has(holder))
        .map(({ writtenAt: _, ...row }) => row);
      if (rows.length > 0) await tx.insert(table).values(rows);
    });
  }
}

/** The report in a row; none if a later version has written it. */
function reportsIn([at, holder, kind, witness, state, firstAt, since, evidence]: unknown[]) {
  const known = LIVENESS_STATES.find((each) => each === state);
  if (!known || (kind !== 'host' && kind !== 'url')) return [];
  const report: FiledReport = {
    holder: String(holder),
    kind,
    witness: String(witness),
    state: known,
    firstAt: Number(firstAt),
    at: Number(at),
    since: since === null ? null : Number(since),
    evidence: String(evidence),
    writtenAt: Number(at),
  };
  return [report];
}
