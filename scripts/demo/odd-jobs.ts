import { DAY, type DemoJob, MINUTE, pod, SECOND } from './demo-job';

/**
 * Keeps renewing although its work ended long ago; all its waiters time out, and its lock is soon
 * stuck.
 */
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

/** Killed while they hold their locks, so that the leases expire without a release. */
export const CRASHING: DemoJob[] = [
  {
    service: 'shipping',
    namespace: 'shop',
    locks: ['shipping:manifest:dock-4'],
    workers: pod('shipping-9b1e', 2),
    leaseMs: 12 * SECOND,
    waitMs: MINUTE,
    holdMs: [5 * MINUTE, 5 * MINUTE],
    restMs: [0, 0],
  },
  {
    service: 'payments',
    namespace: 'payments',
    locks: ['payments:settlement:2026-11-20'],
    workers: pod('payments-1c77', 9),
    leaseMs: 10 * SECOND,
    waitMs: MINUTE,
    holdMs: [5 * MINUTE, 5 * MINUTE],
    restMs: [0, 0],
  },
];

/**
 * Killed while its lease still has a long time left: a witness sees that its process has ended. It
 * does not wait: a demo that is started again would show it behind its own hold.
 */
export const ORPHANING: DemoJob = {
  service: 'media',
  namespace: 'platform',
  locks: ['media:archive:nightly'],
  workers: ['media-3fa2:archiver-1'],
  leaseMs: 25 * MINUTE,
  waitMs: 0,
  holdMs: [DAY, DAY],
  restMs: [0, 0],
};

/** Two transfers, each of which holds the account that the other waits for. */
export const DEADLOCK = {
  service: 'billing',
  namespace: 'billing',
  leaseMs: 20 * SECOND,
  transfers: [
    {
      owner: 'billing-44d0:transfer-7',
      first: 'billing:account:7731',
      second: 'billing:account:9402',
    },
    {
      owner: 'billing-9a10:transfer-3',
      first: 'billing:account:9402',
      second: 'billing:account:7731',
    },
  ],
};
