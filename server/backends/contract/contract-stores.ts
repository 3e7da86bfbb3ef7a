import {
  openMysqlUnderTest,
  type StoreKind,
  type StoreUnderTest,
  storesUnderTest,
} from '../testing/stores-under-test';
import { openLeastPrivilegedMysql } from './least-privileged-mysql';
import { openLeastPrivilegedRedis } from './least-privileged-redis';
import { openLeastPrivilegedZookeeper } from './least-privileged-zookeeper';
import { openShardUnderTest } from './shards-under-test';

/** Cases ask much at once, and are about what is answered, not how soon: a busy machine may take its time. */
const PATIENT_MS = 10_000;

const mysqlBy = (open: (timeoutMs: number) => Promise<StoreUnderTest>): StoreKind => ({
  ...storesUnderTest.mysql,
  open: () => open(PATIENT_MS),
});

const schemes: Record<string, StoreKind> = {
  ...storesUnderTest,
  mysql: mysqlBy(openMysqlUnderTest),
};

/** It compares its stamp in the step in which it writes. */
const AS_A_SHARD = mysqlBy(openShardUnderTest);

/**
 * Every store that is put to the contract: one of each kind, and one for each way to set it up that might change what it
 * can do. What a kind cannot do it leaves out of its capabilities; there are no skips.
 */
export const contractStores: Record<string, StoreKind> = {
  ...schemes,
  'mysql, as a shard': AS_A_SHARD,
  'redis, least privileges': { ...storesUnderTest.redis, open: openLeastPrivilegedRedis },
  'mysql, least privileges': mysqlBy(openLeastPrivilegedMysql),
  'zookeeper, least privileges': {
    ...storesUnderTest.zookeeper,
    open: openLeastPrivilegedZookeeper,
  },
};

type Racing = [name: string, kind: StoreKind, share: number];

/** Every way to swap that there is, and the share of all rounds that it races: a shard's is another's and a little more. */
export const racingStores: Racing[] = [
  ...Object.entries(schemes).map(([name, kind]): Racing => [name, kind, 1]),
  ['mysql, as a shard', AS_A_SHARD, 0.2],
];
