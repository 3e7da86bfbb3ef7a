import { type StoreKind, storesUnderTest } from '../testing/stores-under-test';
import { openLeastPrivilegedMysql } from './least-privileged-mysql';
import { openLeastPrivilegedRedis } from './least-privileged-redis';
import { openLeastPrivilegedZookeeper } from './least-privileged-zookeeper';

/**
 * Every store that is put to the contract: one of each kind, and one for each way to set it up that might change what it
 * can do. What a kind cannot do it leaves out of its capabilities; there are no skips.
 */
export const contractStores: Record<string, StoreKind> = {
  ...storesUnderTest,
  'redis, least privileges': { ...storesUnderTest.redis, open: openLeastPrivilegedRedis },
  'mysql, least privileges': { ...storesUnderTest.mysql, open: openLeastPrivilegedMysql },
  'zookeeper, least privileges': {
    ...storesUnderTest.zookeeper,
    open: openLeastPrivilegedZookeeper,
  },
};
