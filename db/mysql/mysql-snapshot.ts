import { createConnection } from 'mysql2';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { firstLine } from '../../server/platform/first-line';
import { StartError } from '../../server/platform/start-error';
import { appliedToMysql } from '../migrate';
import type { Cell, Snapshot, TablePart } from '../snapshot';
import { describeBackendUrl } from '../urls/backend-url';
import { connectionOptions } from './mysql-pool';
import { OWN_SESSION } from './own-session';

/** MySQL's error for a table that has changed since the snapshot began. */
const TABLE_CHANGED = 1412;
const ATTEMPTS_MAX = 10;

export async function openMysqlSnapshot(url: string): Promise<Snapshot> {
  const connection = createConnection(connectionOptions(url));
  // The error is reported by the statement under way, or by the next one.
  connection.on('error', () => undefined);
  const session = connection.promise();
  try {
    await session.query(OWN_SESSION);
    await session.query('set net_write_timeout = 600');
    await session.query('set session transaction isolation level repeatable read');
    const applied = await beginSnapshot(session);
    return {
      applied,
      async count({ name, where = 'true' }) {
        const sql = `select count(*) as found from \`${name}\` where ${where}`;
        const [rows] = await session.query<RowDataPacket[]>(sql);
        return Number(rows[0]?.found);
      },
      async *rows({ name, columns, where = 'true' }: TablePart) {
        const list = columns.map((column) => `\`${column.name}\``).join(', ');
        const sql = `select ${list} from \`${name}\` where ${where}`;
        const stream = connection.query({ sql, rowsAsArray: true }).stream();
        for await (const row of stream) yield (row as unknown[]).map(cellOf);
      },
      async close() {
        connection.destroy();
      },
    };
  } catch (cause) {
    connection.destroy();
    throw new StartError(
      `${describeBackendUrl({ kind: 'mysql', url })} cannot be read: ${firstLine(cause)}.`,
      { cause },
    );
  }
}

/** Begins the snapshot; again if another process creates or changes the first table it reads. */
async function beginSnapshot(session: Connection): Promise<number[]> {
  for (let attempt = 1; ; attempt += 1) {
    await session.query('start transaction with consistent snapshot, read only');
    try {
      return await appliedToMysql(session);
    } catch (error) {
      const isChanged = (error as { errno?: number }).errno === TABLE_CHANGED;
      if (!isChanged || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

/** Names are stored as bytes, and returned as buffers. */
function cellOf(value: unknown): Cell {
  return Buffer.isBuffer(value) ? value.toString('utf8') : (value as Cell);
}
