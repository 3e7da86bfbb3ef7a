import { createHash, randomBytes } from 'node:crypto';
import { LIMITS } from '../../zookeeper/zookeeper-layout';
import type { StoreUnderTest } from '../testing/stores-under-test';
import { openZookeeperUnderTest } from '../testing/zookeeper-under-test';

/**
 * A ZooKeeper whose user may read and write below a root that another user created, but may not
 * change its access list, as docs/backends.md requires. Every queue counts as long, so that the
 * user must create queue znodes too.
 */
export function openLeastPrivilegedZookeeper(answerMaxMs: number): Promise<StoreUnderTest> {
  const credentials = `ly${randomBytes(4).toString('hex')}:${randomBytes(8).toString('hex')}`;
  const [user = ''] = credentials.split(':');
  const digest = createHash('sha1').update(credentials).digest('base64');
  return openZookeeperUnderTest({
    credentials,
    rootFor: `${user}:${digest}`,
    limits: { ...LIMITS, inlineQueueChars: 0 },
    answerMaxMs,
  });
}
