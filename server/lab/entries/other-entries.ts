import { sellByVersion } from '@/server/strategies/combined/optimistic-version';
import { RedisInFront } from '@/server/strategies/combined/redis-in-front';
import type { StockRow } from '@/server/strategies/stock-row';
import { sellCheckedInMemory } from '@/server/strategies/wrong-ways/checked-in-memory';
import { StockBehindMutex } from '@/server/strategies/wrong-ways/mutex-before-commit';
import { sellByValueWrittenBack } from '@/server/strategies/wrong-ways/value-written-back';
import {
  EphemeralSequentialLocks,
  withEphemeralSequentialLock,
} from '@/server/strategies/zookeeper/ephemeral-sequential-lock';
import type { EntryParts, RaceEntry } from '../race/race-entry';
import { type Confirmation, STOCK_KEY, type Stock, type Think } from '../race/stock';

const rowOf = ({ table }: Stock): StockRow => ({ table, ...STOCK_KEY });

/** The sale of a strategy that sells from the stock row itself; it includes the order line. */
const saleOf = ({ stock, note }: EntryParts, think: Think) => ({
  think,
  note,
  record: stock.addOrderLine.bind(stock),
});

const outcomeOf = async (isSold: Promise<boolean>): Promise<Confirmation> =>
  (await isSold) ? 'sold' : 'sold out';

/** Strategies 18 to 20, and the wrong ways of section F. */
export const otherEntries: Record<string, RaceEntry> = {
  'value-written-back': {
    open: (parts) => {
      const database = parts.servers.sql();
      const row = rowOf(parts.stock);
      return {
        confirm: (think) => outcomeOf(sellByValueWrittenBack(database, row, saleOf(parts, think))),
      };
    },
  },
  'checked-in-memory': {
    open: (parts) => {
      const database = parts.servers.sql();
      const row = rowOf(parts.stock);
      return {
        confirm: (think) => outcomeOf(sellCheckedInMemory(database, row, saleOf(parts, think))),
      };
    },
  },
  'mutex-before-commit': {
    open: (parts) => {
      const behindMutex = new StockBehindMutex(parts.servers.sql(), rowOf(parts.stock));
      return { confirm: (think) => outcomeOf(behindMutex.sell(saleOf(parts, think))) };
    },
  },
  'ephemeral-sequential-lock': {
    async open(parts) {
      const { servers, stock, prefix, waitMs, note } = parts;
      const locks = new EphemeralSequentialLocks(
        await servers.zookeeper(),
        `${servers.znode}/${prefix}locks`,
      );
      await locks.prepare(STOCK_KEY.sku);
      return {
        confirm: (think) =>
          withEphemeralSequentialLock(locks, STOCK_KEY.sku, () => stock.sellUnguarded(think), {
            waitMs,
            note,
          }),
      };
    },
  },
  'optimistic-version': {
    open: (parts) => {
      const database = parts.servers.sql();
      const row = rowOf(parts.stock);
      return { confirm: (think) => outcomeOf(sellByVersion(database, row, saleOf(parts, think))) };
    },
  },
  'redis-in-front': {
    async open(parts) {
      const { servers, stock, prefix } = parts;
      const inFront = new RedisInFront(servers.sql(), await servers.redis(), rowOf(stock), {
        prefix: `${servers.redisPrefix}${prefix}`,
      });
      return {
        async confirm(think) {
          const { outcome } = await inFront.sell(saleOf(parts, think));
          return outcome === 'sold' ? 'sold' : 'sold out';
        },
      };
    },
  },
};
