import { Redis } from 'ioredis';
import mysql, { type RowDataPacket } from 'mysql2/promise';

/** Returns names such as `MariaDB 10.11.6` and `Redis 7.0.15`. */
export async function serverVersions(servers: { mysql: string; redis: string }): Promise<string[]> {
  const connection = await mysql.createConnection(servers.mysql);
  const [[row]] = await connection.query<RowDataPacket[]>('SELECT VERSION() AS version');
  await connection.end();
  const [version = '', brand = 'MySQL'] = String(row?.version).split('-');
  const redis = new Redis(servers.redis);
  const [, redisVersion = ''] = /redis_version:(\S+)/.exec(await redis.info('server')) ?? [];
  redis.disconnect();
  return [`${brand} ${version}`, `Redis ${redisVersion}`];
}
