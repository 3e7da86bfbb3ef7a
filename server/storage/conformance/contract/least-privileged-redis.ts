import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { startPrivateRedis } from '@/scripts/servers/private-redis.mjs';
import { openStoreOn } from '../testing/redis-under-test';
import type { StoreUnderTest } from '../testing/stores-under-test';

/** The line of docs/backends.md that makes the user; its password is written as three dots. */
const RULE = /ACL SETUSER lockyard on >… (.+)/;

/**
 * A Redis whose user has exactly the rights that docs/backends.md requires.
 *
 * @param without a command of these that the user may not run
 */
export async function openLeastPrivilegedRedis(
  callMaxMs: number,
  without?: string,
): Promise<StoreUnderTest> {
  const [, rights] = RULE.exec(readFileSync('docs/backends.md', 'utf8')) ?? [];
  if (!rights) throw new Error('docs/backends.md says no more what rights are enough.');
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
