import type { Rows } from './packets/packet';

/** What a server reports about itself when a connection opens. */
export interface MysqlServer {
  /** The server closes a connection that sends a larger packet. Fixed for each connection. */
  packetBytesMax: number;
  /** Whether it has `INSERT … ON DUPLICATE KEY UPDATE … RETURNING`: MariaDB from 10.5. */
  hasReturning: boolean;
}

export const READ_SERVER = 'SELECT @@max_allowed_packet, VERSION()';

const RETURNING_SINCE = [10, 5] as const;

/** @param answer to `READ_SERVER` */
export function mysqlServer(answer: Rows): MysqlServer {
  const [packetBytesMax, version] = answer[0] ?? [];
  return {
    packetBytesMax: Number(packetBytesMax),
    hasReturning: hasReturning(String(version)),
  };
}

/** @param version such as `10.11.6-MariaDB-log` or `8.0.36` */
function hasReturning(version: string): boolean {
  const [, major = 0, minor = 0] = (/^(\d+)\.(\d+)\..*mariadb/i.exec(version) ?? []).map(Number);
  const [sinceMajor, sinceMinor] = RETURNING_SINCE;
  return major > sinceMajor || (major === sinceMajor && minor >= sinceMinor);
}
