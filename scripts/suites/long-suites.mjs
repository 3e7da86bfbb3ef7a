/**
 * The test files that `npm run test:long` runs, with more steps, more time or more programs than
 * usual: parts of their paths.
 */
export const LONG_SUITES = [
  'backup-crashes',
  'bad-days/sharded-mysql',
  'campaign',
  'contract/random-steps',
  'contract/swap',
  'core/promises',
  'core/status/false-deaths',
  'dying-mysql',
  'handlers/fast-path',
  'hot-lock',
  'history/bundled-events',
  'history/history-tail',
  'history/shared-history',
  'lock-watches',
  'maintenance/maintenance',
  'metrics/metrics',
  'monitoring/past',
  'namespace-capacity',
  'projection/lock-projection',
  'projection/stuck-locks',
  'recording-under-load',
  'mysql/galera',
  'redis-moving-slot',
  'rollups/hold-baselines',
  'rollups/roll-ups',
  'simulator',
  'behind-a-proxy',
  'test/prometheus',
  'monitoring/alerts',
  'client/other-languages',
  'client/package',
  'test/clients',
  'test/foreign-tools',
  'test/packages/sbom',
  'test/high-availability',
  'test/installing',
  'test/node-versions',
  'test/traces',
];

/**
 * The same for browser tests: of a file with some tests that are tagged `@long`, all run. The pages
 * of the Lab are checked in the light theme only here.
 */
export const LONG_PAGES = [
  'axe',
  'bad-days',
  'connection-lost',
  'containerfile',
  'demo',
  'docs.spec',
  'insight',
  'lab',
  'page-process',
  'restart',
  'starts-at-once',
  'time-zone',
];

/** The test files that `npm test` leaves out: they need special programs, or much time. */
export const LONG_ONLY = [
  'client/other-languages.test.ts',
  'server/bootstrap/reshard-campaign.test.ts',
  'server/lab/pause-campaign.test.ts',
  'server/storage/mysql/galera.test.ts',
  'test/behind-a-proxy.test.ts',
  'test/prometheus.test.ts',
  'test/clients/**',
  'test/foreign-tools/**',
  'test/high-availability/**',
  'test/installing/**',
  'test/node-versions/**',
  'test/traces/**',
];
