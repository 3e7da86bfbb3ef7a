import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { startPrivateRedis } from '@/scripts/servers/private-redis.mjs';
import { openStoreOn } from '../testing/redis-under-test';
import type { StoreUnderTest } from '../testing/stores-under-test';

/** The line of docs/backends.md that creates the user; an ellipsis replaces the password. */
const RULE = /ACL SETUSER lockyard on >… (.+)/;

/**
 * A Redis whose user has exactly the permissions that docs/backends.md requires.
 *
 * @param without one of the commands, which the user is not allowed to run
 */
export async function openLeastPrivilegedRedis(
  callMaxMs: number,
  without?: string,
): Promise<StoreUnderTest> {
  const [, rights] = RULE.exec(readFileSync('docs/backends.md', 'utf8')) ?? [];
  if (!rights) throw new Error('docs/backends.md no longer lists the necessary permissions.');
  const server = await startPrivateRedis();
  const admin = new Redis(server.url, { protocol: 2 });
  const allowed = rights.trim().split(' ');
  const given = without === undefined ? allowed : [...allowed, `-${without}`];
  await admin.call('ACL', 'SETUSER', 'lockyard', 'on', '>secret', ...given);
  admin.disconnect();
  const url = new URL(server.url);
  url.username = 'lockyard';
  url.password = 'secret';
  return openStoreOn(server, url.href, callMaxMs);
}
