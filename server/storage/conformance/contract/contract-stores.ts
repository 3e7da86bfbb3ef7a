import { openRedisUnderTest } from '../testing/redis-under-test';
import {
  openMysqlUnderTest,
  type StoreKind,
  type StoreName,
  type StoreUnderTest,
  storesUnderTest,
} from '../testing/stores-under-test';
import { openZookeeperUnderTest } from '../testing/zookeeper-under-test';
import { openLeastPrivilegedMysql } from './least-privileged-mysql';
import { openLeastPrivilegedRedis } from './least-privileged-redis';
import { openLeastPrivilegedZookeeper } from './least-privileged-zookeeper';
import { openShardUnderTest } from './shards-under-test';

/**
 * Cases send many requests at the same time and test the answers, not how fast they are: a busy
 * machine may be slow.
 */
export const PATIENT_MS = 10_000;

const patient = (
  scheme: StoreName,
  open: (callMaxMs: number) => Promise<StoreUnderTest>,
): StoreKind => ({ ...storesUnderTest[scheme], open: () => open(PATIENT_MS) });

/** One store of each kind, whose calls may take long. */
export const patientStores: Record<StoreName, StoreKind> = {
  sqlite: storesUnderTest.sqlite,
  redis: patient('redis', openRedisUnderTest),
  mysql: patient('mysql', (callMaxMs) => openMysqlUnderTest({ callMaxMs })),
  zookeeper: patient('zookeeper', (answerMaxMs) => openZookeeperUnderTest({ answerMaxMs })),
};

/** As on every MySQL, and on MariaDB before 10.5. */
const WITHOUT_RETURNING: StoreKind = {
  ...patient('mysql', (callMaxMs) => openMysqlUnderTest({ callMaxMs, usesReturning: false })),
  capabilities: storesUnderTest.mysql.capabilities.filter((each) => each !== 'namesCommits'),
};

/** A shard compares its stamp in the step in which it writes. */
const AS_A_SHARD = patient('mysql', openShardUnderTest);

/**
 * Every store under contract: one of each kind, and one for each configuration that might change
 * what it can do. The capabilities of a kind omit what it cannot do; there are no skips.
 */
export const contractStores: Record<string, StoreKind> = {
  ...patientStores,
  'mysql, without RETURNING': WITHOUT_RETURNING,
  'mysql, as a shard': AS_A_SHARD,
  'redis, least privileges': patient('redis', openLeastPrivilegedRedis),
  'mysql, least privileges': patient('mysql', openLeastPrivilegedMysql),
  'zookeeper, least privileges': patient('zookeeper', openLeastPrivilegedZookeeper),
};

type Racing = [name: string, kind: StoreKind, share: number];

/**
 * Every way to swap, and its share of all races: a shard swaps as another store does, plus a fence.
 */
export const racingStores: Racing[] = [
  ...Object.entries(patientStores).map(([name, kind]): Racing => [name, kind, 1]),
  ['mysql, without RETURNING', WITHOUT_RETURNING, 0.5],
  ['mysql, as a shard', AS_A_SHARD, 0.2],
];
