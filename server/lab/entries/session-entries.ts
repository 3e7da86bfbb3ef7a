import type { PoolConnection } from 'mysql2/promise';
import { mysqlSession } from '@/server/strategies/mysql-database';
import {
  createLockResource,
  createLockResourceTable,
  transactionId,
  withLockResource,
} from '@/server/strategies/sessions/lock-resource';
import { SessionLocks, withSessionLock } from '@/server/strategies/sessions/session-locks';
import { withShardedRowLock } from '@/server/strategies/sessions/sharded-row-lock';
import { createRowLockTable, withRowLock } from '@/server/strategies/sessions/with-row-lock';
import { withRowLocks } from '@/server/strategies/sessions/with-row-locks';
import type { Contender, EntryParts, RaceEntry } from '../race/race-entry';
import { type Confirmation, STOCK_KEY } from '../race/stock';

type WithConnection = (
  work: (connection: PoolConnection) => Promise<Confirmation>,
) => Promise<Confirmation>;

/** Sells in the transaction that holds the row lock, so that one commit releases and writes. */
const under =
  (withLock: (parts: EntryParts) => WithConnection) =>
  (parts: EntryParts): Contender => {
    const locked = withLock(parts);
    return {
      confirm: (think) =>
        locked((connection) => parts.stock.sellUnguarded(think, mysqlSession(connection))),
    };
  };

const RESOURCE = transactionId(STOCK_KEY.warehouse, STOCK_KEY.sku);
const REAL_AND_VIRTUAL = [`${RESOURCE}:virtual`, `${RESOURCE}:real`];
const SHARDS = ['_shard0', '_shard1', '_shard2'];

const lockTable = ({ prefix }: EntryParts) => `${prefix}locks`;

/** Strategies 1 to 5. */
export const sessionEntries: Record<string, RaceEntry> = {
  'lock-resource': {
    prepare: (parts) => createLockResourceTable(parts.servers.pool(), lockTable(parts)),
    open: under((parts) => (work) => {
      const options = { table: lockTable(parts), note: parts.note };
      return withLockResource(parts.servers.pool(), RESOURCE, work, options);
    }),
  },
  'row-lock': {
    async prepare(parts) {
      const table = lockTable(parts);
      await createLockResourceTable(parts.servers.pool(), table);
      await createLockResource(parts.servers.pool(), RESOURCE, { table });
    },
    open: under((parts) => {
      const locks = new SessionLocks(parts.servers.pool(), lockTable(parts));
      return (work) => withSessionLock(locks, RESOURCE, work, { note: parts.note });
    }),
  },
  'with-row-lock': {
    prepare: (parts) => createRowLockTable(parts.servers.pool(), ['stock'], lockTable(parts)),
    open: under((parts) => (work) => {
      const options = { table: lockTable(parts), note: parts.note };
      return withRowLock(parts.servers.pool(), 'stock', work, options);
    }),
  },
  'sharded-row-lock': {
    async prepare(parts) {
      for (const shard of SHARDS) {
        await parts.servers.createDatabase(shard);
        await createRowLockTable(parts.servers.pool(shard), [RESOURCE], lockTable(parts));
      }
    },
    open: under((parts) => {
      const pools = SHARDS.map((shard) => parts.servers.pool(shard));
      const options = { table: lockTable(parts), note: parts.note };
      return (work) => withShardedRowLock(pools, RESOURCE, work, options);
    }),
  },
  'row-locks': {
    prepare: (parts) =>
      createRowLockTable(parts.servers.pool(), REAL_AND_VIRTUAL, lockTable(parts)),
    open: under((parts) => (work) => {
      const options = { table: lockTable(parts), note: parts.note };
      return withRowLocks(parts.servers.pool(), REAL_AND_VIRTUAL, work, options);
    }),
  },
};
