import { pino } from 'pino';
import { openTestDatabase } from '@/db/testing/test-database';
import { parseShardList, type ShardList } from '@/db/urls/shard-list';
import { startShardedBackend } from '../../../bootstrap/backends/start-sharded-backend';
import { DEFAULT_POLICY } from '../../../contract/namespace-policy';
import { rendezvousHash } from '../../../core/rendezvous-hash';
import { newWriter } from '../../../engine/new-writer';
import { newProcess } from '../../../engine/testing/engine-rig';
import { systemClock } from '../../../platform/clock';
import { MysqlStore } from '../../mysql/mysql-store';
import { recordId } from '../../record-id';
import { freshKey } from './changes';
import { mysqlServerKind, startSpoilableMysql } from './mysql-server-under-test';
import type { NewKey, ServerKind, ServerUnderTest } from './server-kind';
import { createScratchDatabase, testMysqlUrl } from './stores-under-test';

/** Two shards on separate servers, one of which has the bad days. */
export const shardsServerKind: ServerKind = {
  ...mysqlServerKind,
  isPartOfMore: true,
  start: startShardsUnderTest,
};

async function startShardsUnderTest(): Promise<ServerUnderTest> {
  const { proxied, direct, begin, stop } = await startSpoilableMysql();
  const well = await createScratchDatabase(testMysqlUrl());
  const database = await openTestDatabase('sqlite');
  const shards = parseShardList('orders', [proxied, well.url].join());
  if (typeof shards === 'string') throw new Error(`The list of shards ${shards}.`);
  const control = {
    clock: systemClock,
    config: { allowUnsafe: [] },
    database,
    log: pino({ level: 'silent' }),
    namespaces: { policyOf: () => DEFAULT_POLICY },
  };
  return {
    async join() {
      const shared = {
        processId: newProcess(),
        newWriter,
        policiesOf: () => control.namespaces.policyOf,
      };
      const ends: (() => Promise<void>)[] = [];
      const named = { id: 'orders', shards };
      const { engine } = await startShardedBackend(control, named, shared, ends);
      return {
        engine,
        async close() {
          for (const end of ends.reverse()) await end();
        },
      };
    },
    truth: async () => new MysqlStore(direct),
    parts: { sick: keysOn(shards, proxied), well: keysOn(shards, well.url) },
    begin,
    async stop() {
      await stop();
      await well.drop();
      await database.close();
    },
  };
}

function keysOn({ shards }: ShardList, url: string): NewKey {
  const homeOf = rendezvousHash(shards.map(({ name }) => name));
  const here = shards.findIndex((shard) => shard.url === url);
  return (kind) => {
    for (;;) {
      const key = { ...freshKey(), ...(kind && { kind }) };
      if (homeOf(recordId(key)) === here) return key;
    }
  };
}
