/**
 * What `npm run test:long` runs, with more steps, more time or more programs than otherwise: parts
 * of the paths of test files.
 */
export const LONG_SUITES = [
  'backup-crashes',
  'campaign',
  'contract/swap',
  'core/promises',
  'dying-mysql',
  'hot-lock',
  'lock-watches',
  'monitoring/past',
  'redis-moving-slot',
  'simulator',
  'behind-a-proxy',
  'test/prometheus',
  'monitoring/alerts',
  'client/other-languages',
  'test/clients',
  'test/foreign-tools',
  'test/high-availability',
  'test/installing',
  'test/node-versions',
  'test/traces',
];

/** The same, with pages open. */
export const LONG_PAGES = ['bad-days', 'starts-at-once'];

/** What `npm test` leaves out: it needs programs that nothing else does, or much time. */
export const LONG_ONLY = [
  'client/other-languages.test.ts',
  'server/bootstrap/reshard-campaign.test.ts',
  'server/lab/pause-campaign.test.ts',
  'test/behind-a-proxy.test.ts',
  'test/prometheus.test.ts',
  'test/clients/**',
  'test/foreign-tools/**',
  'test/high-availability/**',
  'test/installing/**',
  'test/node-versions/**',
  'test/traces/**',
];
