import { type DemoJob, LONG, MINUTE, pod, QUICK, SECOND, STEADY } from './demo-job';

const namespace = 'shop';

/** The shop's jobs: customers, stock, parcels, and a catalogue with many readers and one writer. */
export const SHOP_JOBS: DemoJob[] = [
  {
    ...QUICK,
    service: 'orders',
    namespace,
    locks: ['88213', '88240', '88251', '88267', '88302'].map(
      (cart) => `orders:checkout:cart-${cart}`,
    ),
    workers: [...pod('orders-7f9c', 1, 3, 5, 6), ...pod('orders-2b6a', 4, 7, 8)],
  },
  {
    ...LONG,
    service: 'orders',
    namespace,
    locks: ['orders:reindex:shard-1', 'orders:reindex:shard-2', 'orders:reindex:shard-3'],
    workers: pod('orders-2b6a', 9, 10, 11),
    waitMs: 40 * SECOND,
  },
  {
    ...STEADY,
    service: 'inventory',
    namespace,
    locks: ['inventory:wh7:sku-10442'],
    workers: [...pod('inventory-5d8f', 3, 11, 14), ...pod('inventory-a07c', 2, 6)],
    holdMs: [2 * SECOND, 7 * SECOND],
    waitMs: 2 * MINUTE,
  },
  {
    ...STEADY,
    service: 'inventory',
    namespace,
    locks: [
      ...['wh7:sku-20981', 'wh2:sku-10442', 'wh2:sku-31007', 'wh2:sku-40118'],
      ...['wh9:sku-10442', 'wh9:sku-52260'],
    ].map((shelf) => `inventory:${shelf}`),
    workers: [...pod('inventory-5d8f', 5, 6, 7), ...pod('inventory-a07c', 8, 9, 10)],
  },
  {
    ...LONG,
    service: 'inventory',
    namespace,
    locks: ['inventory:recount:wh7', 'inventory:recount:wh2'],
    workers: pod('inventory-a07c', 1, 12),
    leaseMs: MINUTE,
    holdMs: [2 * MINUTE, 4 * MINUTE],
  },
  {
    ...LONG,
    service: 'shipping',
    namespace,
    locks: [
      ...['shipping:route-plan:eu-west', 'shipping:route-plan:eu-north'],
      ...['shipping:label-printer:dock-4', 'shipping:label-printer:dock-5', 'shipping:customs:gb'],
    ],
    workers: pod('shipping-9b1e', 1, 7, 8, 9, 12),
    leaseMs: 20 * SECOND,
    holdMs: [6 * SECOND, 30 * SECOND],
  },
  {
    ...QUICK,
    service: 'search',
    namespace,
    locks: ['pricing:catalogue'],
    workers: [...pod('search-41ab', 1, 2, 3), ...pod('search-8e07', 4, 5)],
    mode: 'shared',
    leaseMs: 6 * SECOND,
    holdMs: [1 * SECOND, 5 * SECOND],
    restMs: [500, 4 * SECOND],
  },
  {
    ...STEADY,
    service: 'pricing',
    namespace,
    locks: ['pricing:catalogue'],
    workers: pod('pricing-d2c9', 1),
    holdMs: [1 * SECOND, 3 * SECOND],
    restMs: [10 * SECOND, 20 * SECOND],
  },
  {
    ...STEADY,
    service: 'pricing',
    namespace,
    locks: ['pricing:rules:eu', 'pricing:rules:us', 'pricing:rules:apac'],
    workers: pod('pricing-d2c9', 2, 3, 4),
  },
];
