import { readFileSync } from 'node:fs';
import mysql, { type RowDataPacket } from 'mysql2/promise';

/** The clock tick of `/proc`, on all usual platforms of Linux. */
const TICK_MS = 10;

/**
 * How many milliseconds of CPU time a MariaDB has used so far; NaN unless it runs on this machine,
 * under Linux.
 *
 * @param server a URL without a database
 */
export async function openServerCpu(server: string): Promise<() => number> {
  const connection = await mysql.createConnection(server);
  const [[row]] = await connection.query<RowDataPacket[]>('SELECT @@pid_file AS file');
  await connection.end();
  const usedMs = () => {
    const pid = readFileSync(String(row?.file), 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name, in parentheses, may contain spaces; the state follows it.
    const [, , , , , , , , , , , user, system] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(user) + Number(system)) * TICK_MS;
  };
  try {
    usedMs();
    return usedMs;
  } catch {
    return () => Number.NaN;
  }
}
