import { readFileSync } from 'node:fs';
import mysql, { type RowDataPacket } from 'mysql2/promise';

/** The clock tick of `/proc`, on all usual platforms of Linux. */
const TICK_MS = 10;

/**
 * How many milliseconds of CPU a MariaDB has used so far; NaN for one that does not run on this
 * machine, or not on Linux.
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
    // The name of the program, in parentheses, may have blanks; the state follows it.
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
