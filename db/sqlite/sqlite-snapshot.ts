import { existsSync } from 'node:fs';
import { createClient } from '@libsql/client/sqlite3';
import { firstLine } from '../../server/platform/first-line';
import { StartError } from '../../server/platform/start-error';
import { appliedToSqlite } from '../migrate';
import type { Cell, Snapshot, TablePart } from '../snapshot';
import { fileUrl } from './sqlite-file';

const ROWS_AT_ONCE = 200;

export async function openSqliteSnapshot(path: string): Promise<Snapshot> {
  if (!existsSync(path)) {
    throw new StartError(
      `There is no database at ${path}. If a server has one, name its LOCKYARD_DATA_DIR or ` +
        'LOCKYARD_DATABASE_URL.',
    );
  }
  const client = createClient({ url: fileUrl(path) });
  try {
    const reading = await client.transaction('read');
    const applied = await appliedToSqlite(reading);
    return {
      applied,
      async count({ name, where = 'true' }) {
        const { rows } = await reading.execute(
          `select count(*) as found from ${name} where ${where}`,
        );
        return Number(rows[0]?.found);
      },
      async *rows({ name, columns, where = 'true' }: TablePart) {
        const list = columns.map((column) => column.name).join(', ');
        const sql =
          `select rowid, ${list} from ${name} where rowid > ? and (${where}) order by rowid ` +
          `limit ${ROWS_AT_ONCE}`;
        for (let after = 0; ; ) {
          const { rows } = await reading.execute({ sql, args: [after] });
          for (const row of rows) yield columns.map((_, i) => row[i + 1] as Cell);
          if (rows.length < ROWS_AT_ONCE) return;
          after = Number(rows.at(-1)?.[0]);
        }
      },
      async close() {
        reading.close();
        client.close();
      },
    };
  } catch (cause) {
    client.close();
    throw new StartError(`The SQLite file ${path} cannot be read: ${firstLine(cause)}.`, { cause });
  }
}
