import { DAY, type DemoJob, MINUTE, pod, SECOND } from './demo-job';

/**
 * Keeps renewing though its work has long ended; every waiter behind it waits in vain, and its lock
 * is soon stuck.
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
