import { addWithinBounds } from '@/server/strategies/tables/bounded-table-counter';
import {
  createCentralLockTable,
  withCentralTableLock,
} from '@/server/strategies/tables/central-table-lock';
import {
  createHolderTable,
  withHolderTableLock,
} from '@/server/strategies/tables/holder-table-lock';
import {
  createNaiveLockTable,
  withNaiveTableLock,
} from '@/server/strategies/tables/naive-table-lock';
import {
  createSegmentedLockTable,
  withSegmentedTableLock,
} from '@/server/strategies/tables/segmented-table-lock';
import type { EntryParts, RaceEntry } from '../race/race-entry';
import { STOCK_KEY } from '../race/stock';

const lockTable = ({ prefix }: EntryParts) => `${prefix}locks`;

const optionsOf = (parts: EntryParts) => {
  const { leaseMs, waitMs, pollEveryMs, note } = parts;
  return { table: lockTable(parts), leaseMs, waitMs, pollEveryMs, note };
};

/** Strategies 6 to 10. */
export const tableEntries: Record<string, RaceEntry> = {
  'naive-table-lock': {
    prepare: (parts) => createNaiveLockTable(parts.servers.pool(), lockTable(parts)),
    open: (parts) => ({
      confirm: (think) =>
        withNaiveTableLock(
          parts.servers.pool(),
          STOCK_KEY.sku,
          () => parts.stock.sellUnguarded(think),
          optionsOf(parts),
        ),
    }),
  },
  'central-table-lock': {
    prepare: (parts) => createCentralLockTable(parts.servers.pool(), lockTable(parts)),
    open: (parts) => ({
      confirm: (think) =>
        withCentralTableLock(
          parts.servers.pool(),
          STOCK_KEY.sku,
          () => parts.stock.sellUnguarded(think),
          optionsOf(parts),
        ),
    }),
  },
  'segmented-table-lock': {
    prepare: (parts) => createSegmentedLockTable(parts.servers.pool(), lockTable(parts)),
    open: (parts) => ({
      confirm: (think) =>
        withSegmentedTableLock(
          parts.servers.pool(),
          STOCK_KEY.sku,
          () => parts.stock.sellUnguarded(think),
          optionsOf(parts),
        ),
    }),
  },
  'holder-table-lock': {
    prepare: (parts) => createHolderTable(parts.servers.sql(), lockTable(parts)),
    open: (parts) => ({
      confirm: (think) =>
        withHolderTableLock(
          parts.servers.sql(),
          STOCK_KEY.sku,
          () => parts.stock.sellUnguarded(think),
          optionsOf(parts),
        ),
    }),
  },
  'bounded-table-counter': {
    open: ({ servers, stock }) => ({
      async confirm(think) {
        await think();
        return servers.sql().transaction(async (session) => {
          const counter = { table: stock.table, column: 'quantity', key: STOCK_KEY };
          const outcome = await addWithinBounds(session, counter, -1, { floor: 0 });
          if (outcome !== 'applied') return 'sold out';
          await stock.addOrderLine(session);
          return 'sold';
        });
      },
    }),
  },
};
