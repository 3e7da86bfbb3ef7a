import mysql from 'mysql2/promise';
import { freshDatabase } from '../fresh-database';
import { startLockProcesses } from '../processes/lock-processes';
import { NAMESPACE } from '../processes/whole-lockyard';

/**
 * Makes a database with a record for each of the free locks `lock-0`, `lock-1` and so on: copies of
 * one that Lockyard wrote.
 *
 * @param server a URL without a database, of a MariaDB
 */
export async function filledDatabase(server: string, locks: number): Promise<string> {
  const url = await freshDatabase(server, `bench_of_${locks}`);
  const first = await startLockProcesses(url, 1);
  await first.cycles({ callers: [1], names: 1, forMs: 1 });
  await first.close();
  const connection = await mysql.createConnection(url);
  await connection.query(
    `INSERT INTO locks (id, rev, writer, head, queue, changed_at)
     SELECT CONCAT(?, seq), rev, writer, head, queue, changed_at
     FROM locks JOIN seq_1_to_${locks - 1} WHERE id = ?`,
    [`${NAMESPACE}/lock-`, `${NAMESPACE}/lock-0`],
  );
  await connection.end();
  return url;
}
