import type { Connection, RowDataPacket } from 'mysql2/promise';
import { connectAlone } from '@/db/mysql/mysql-pool';
import { databaseOf, runOfDatabase } from './scratch-names';

/**
 * The databases of one run on a MySQL server. A named lock of its session, which ends with the
 * connection, marks the run as alive.
 */
export class MysqlScratch {
  private constructor(
    private readonly connection: Connection,
    private readonly runId: string,
  ) {}

  /** Removes the databases of dead runs, and creates the one of this run's stock. */
  static async open(url: string, runId: string): Promise<MysqlScratch> {
    const connection = await connectAlone(url);
    const scratch = new MysqlScratch(connection, runId.toLowerCase());
    try {
      await connection.query('SELECT GET_LOCK(?, 0)', [databaseOf(runId)]);
      await scratch.removeDead();
      await connection.query(`CREATE DATABASE IF NOT EXISTS ${databaseOf(runId)}`);
      return scratch;
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  /** Drops every database of this run. */
  async remove(): Promise<void> {
    try {
      for (const { name, run } of await this.databases()) {
        if (run === this.runId) await this.drop(name);
      }
    } finally {
      this.connection.destroy();
    }
  }

  private async removeDead(): Promise<void> {
    for (const { name, run } of await this.databases()) {
      if (run === this.runId) continue;
      const [[row]] = await this.connection.query<RowDataPacket[]>(
        'SELECT IS_FREE_LOCK(?) AS is_dead',
        [databaseOf(run)],
      );
      if (Number(row?.is_dead) === 1) await this.drop(name);
    }
  }

  private async databases(): Promise<{ name: string; run: string }[]> {
    const [rows] = await this.connection.query<RowDataPacket[]>('SHOW DATABASES');
    return rows
      .map((row) => String(row.Database))
      .map((name) => ({ name, run: runOfDatabase(name) }))
      .filter((found): found is { name: string; run: string } => found.run !== null);
  }

  private async drop(name: string): Promise<void> {
    await this.connection.query(`DROP DATABASE IF EXISTS ${name}`);
  }
}
