import { eq, gte, inArray, lt, ne } from 'drizzle-orm';
import { allOf, type Database } from '@/db/database';
import { LIVENESS_STATES, type WitnessReport } from '../../core/status/holder-liveness';

/** A witness's report on one holder. Instants are of the control database's clock. */
export interface FiledReport extends WitnessReport {
  /** The holder's id. */
  holder: string;
  /** When other processes could first read it; `at` may be later. */
  writtenAt: number;
}

/** Rows of one statement. */
const AT_ONCE = 200;

/** The reports of all processes that share the control database. */
export class EvidenceTable {
  constructor(private readonly database: Database) {}

  /** Every report that was written at `since` or later. */
  async read(since: number): Promise<FiledReport[]> {
    const { db, tables } = this.database;
    const { processEvidence: table } = tables;
    const rows = await db.select().from(table).where(gte(table.at, since));
    return rows.flatMap(({ kind, state, ...row }) => {
      const known = LIVENESS_STATES.find((each) => each === state);
      const isKind = kind === 'host' || kind === 'url';
      return known && isKind ? [{ ...row, kind, state: known, writtenAt: row.at }] : [];
    });
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
