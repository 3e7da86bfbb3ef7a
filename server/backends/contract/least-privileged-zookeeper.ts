import { createHash, randomBytes } from 'node:crypto';
import type { StoreUnderTest } from '../testing/stores-under-test';
import { openZookeeperUnderTest } from '../testing/zookeeper-under-test';
import { LIMITS } from '../zookeeper/zookeeper-limits';

/**
 * A ZooKeeper used by a user who may read and write below a root that somebody else made for him, and may not change who
 * else may: what docs/backends.md asks for. Every queue counts as a long one, so that it may make those their znodes too.
 */
export function openLeastPrivilegedZookeeper(): Promise<StoreUnderTest> {
  const credentials = `ly${randomBytes(4).toString('hex')}:${randomBytes(8).toString('hex')}`;
  const [user = ''] = credentials.split(':');
  const digest = createHash('sha1').update(credentials).digest('base64');
  return openZookeeperUnderTest({
    credentials,
    rootFor: `${user}:${digest}`,
    limits: { ...LIMITS, charsOfQueue: 0 },
  });
}
