/** From least to most, in milliseconds. */
export type RangeMs = readonly [number, number];

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** What a few workers of one service do again and again: rest, take one of the locks, hold it, release it. */
export interface DemoJob {
  service: string;
  namespace: string;
  /** One is chosen at random each time. */
  locks: string[];
  /** The owners. More of them than locks, and some always wait. */
  workers: string[];
  leaseMs: number;
  waitMs: number;
  holdMs: RangeMs;
  restMs: RangeMs;
}

const workers = (pod: string, ...numbers: number[]) =>
  numbers.map((number) => `${pod}:worker-${number}`);

/** Renews for ever though its work is long over; everybody behind it waits in vain. */
export const WATCHDOG: DemoJob = {
  service: 'cron',
  namespace: 'platform',
  locks: ['cron:nightly-report'],
  workers: ['cron-6c4d:scheduler-1'],
  leaseMs: 15 * SECOND,
  waitMs: 10 * MINUTE,
  holdMs: [20 * DAY, 20 * DAY],
  restMs: [0, 0],
};

/** Is killed while it holds its lock, so that the lease runs out with nobody to release it. */
export const DOOMED: DemoJob = {
  service: 'shipping',
  namespace: 'shop',
  locks: ['shipping:manifest:dock-4'],
  workers: workers('shipping-9b1e', 2),
  leaseMs: 12 * SECOND,
  waitMs: MINUTE,
  holdMs: [5 * MINUTE, 5 * MINUTE],
  restMs: [0, 0],
};

export const JOBS: DemoJob[] = [
  {
    service: 'orders',
    namespace: 'shop',
    locks: ['orders:checkout:cart-88213', 'orders:checkout:cart-88240'],
    workers: [...workers('orders-7f9c', 1, 3), ...workers('orders-2b6a', 4)],
    leaseMs: 3 * SECOND,
    waitMs: 20 * SECOND,
    holdMs: [200, 1_800],
    restMs: [1_500, 5 * SECOND],
  },
  {
    service: 'orders',
    namespace: 'shop',
    locks: ['orders:reindex:shard-1', 'orders:reindex:shard-2'],
    workers: workers('orders-2b6a', 9),
    leaseMs: 30 * SECOND,
    waitMs: MINUTE,
    holdMs: [15 * SECOND, 50 * SECOND],
    restMs: [5 * SECOND, 20 * SECOND],
  },
  {
    service: 'inventory',
    namespace: 'shop',
    locks: ['inventory:wh7:sku-10442'],
    workers: [...workers('inventory-5d8f', 3, 11, 14), ...workers('inventory-a07c', 2, 6)],
    leaseMs: 10 * SECOND,
    waitMs: 2 * MINUTE,
    holdMs: [2 * SECOND, 7 * SECOND],
    restMs: [1 * SECOND, 4 * SECOND],
  },
  {
    service: 'inventory',
    namespace: 'shop',
    locks: ['inventory:wh7:sku-20981', 'inventory:wh2:sku-10442', 'inventory:wh2:sku-31007'],
    workers: [...workers('inventory-5d8f', 5), ...workers('inventory-a07c', 8)],
    leaseMs: 6 * SECOND,
    waitMs: 30 * SECOND,
    holdMs: [500, 4 * SECOND],
    restMs: [2 * SECOND, 6 * SECOND],
  },
  {
    service: 'inventory',
    namespace: 'shop',
    locks: ['inventory:recount:wh7'],
    workers: workers('inventory-a07c', 1),
    leaseMs: MINUTE,
    waitMs: MINUTE,
    holdMs: [2 * MINUTE, 4 * MINUTE],
    restMs: [10 * SECOND, 30 * SECOND],
  },
  {
    service: 'shipping',
    namespace: 'shop',
    locks: ['shipping:route-plan:eu-west', 'shipping:label-printer:dock-4'],
    workers: workers('shipping-9b1e', 1, 7, 8),
    leaseMs: 20 * SECOND,
    waitMs: 3 * MINUTE,
    holdMs: [8 * SECOND, 40 * SECOND],
    restMs: [2 * SECOND, 8 * SECOND],
  },
  {
    service: 'billing',
    namespace: 'billing',
    locks: ['billing:ledger:eur', 'billing:ledger:usd'],
    workers: [...workers('billing-44d0', 1, 2), ...workers('billing-e81b', 5)],
    leaseMs: 5 * SECOND,
    waitMs: 30 * SECOND,
    holdMs: [300, 2_500],
    restMs: [1 * SECOND, 4 * SECOND],
  },
  {
    service: 'billing',
    namespace: 'billing',
    locks: ['billing:payout:batch-3391', 'billing:dunning:daily'],
    workers: workers('billing-e81b', 3),
    leaseMs: 45 * SECOND,
    waitMs: MINUTE,
    holdMs: [20 * SECOND, 90 * SECOND],
    restMs: [5 * SECOND, 25 * SECOND],
  },
  {
    service: 'billing',
    namespace: 'billing',
    locks: ['billing:invoice-run:2026-11'],
    workers: workers('billing-44d0', 4),
    leaseMs: 2 * MINUTE,
    waitMs: 5 * MINUTE,
    holdMs: [3 * MINUTE, 6 * MINUTE],
    restMs: [5 * SECOND, 15 * SECOND],
  },
  {
    service: 'cron',
    namespace: 'billing',
    locks: ['billing:invoice-run:2026-11'],
    workers: ['cron-6c4d:reconcile-1'],
    leaseMs: 30 * SECOND,
    waitMs: 8 * MINUTE,
    holdMs: [4 * SECOND, 9 * SECOND],
    restMs: [10 * SECOND, 30 * SECOND],
  },
  {
    service: 'media',
    namespace: 'platform',
    locks: ['media:transcode:gpu-0'],
    workers: [...workers('media-3fa2', 1, 2), ...workers('media-c95d', 4)],
    leaseMs: 30 * SECOND,
    waitMs: 5 * MINUTE,
    holdMs: [15 * SECOND, 55 * SECOND],
    restMs: [1 * SECOND, 5 * SECOND],
  },
  {
    service: 'media',
    namespace: 'platform',
    locks: ['media:thumbnails:shard-3', 'media:cdn-purge:eu'],
    workers: workers('media-c95d', 6, 7),
    leaseMs: 8 * SECOND,
    waitMs: 20 * SECOND,
    holdMs: [600, 5 * SECOND],
    restMs: [3 * SECOND, 9 * SECOND],
  },
  {
    service: 'cron',
    namespace: 'platform',
    locks: ['cron:leader'],
    workers: ['cron-6c4d:scheduler-2', 'cron-b3e7:scheduler-1'],
    leaseMs: 12 * SECOND,
    waitMs: 10 * MINUTE,
    holdMs: [3 * MINUTE, 5 * MINUTE],
    restMs: [500, 2 * SECOND],
  },
  {
    service: 'cron',
    namespace: 'platform',
    locks: ['cron:nightly-report'],
    workers: ['cron-b3e7:reports-1', 'cron-b3e7:reports-2', 'cron-6c4d:reports-3'],
    leaseMs: 20 * SECOND,
    waitMs: 10 * MINUTE,
    holdMs: [20 * SECOND, 40 * SECOND],
    restMs: [4 * SECOND, 20 * SECOND],
  },
];
