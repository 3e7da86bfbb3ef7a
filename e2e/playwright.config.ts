import { join } from 'node:path';
import { defineConfig } from 'playwright/test';

const isLong = process.env.TEST_LONG === '1';

/**
 * These spend most of their time waiting: they begin first, two at a time, beside those that keep
 * the processors busy, so that no spec waits alone at the end.
 */
const WAITING = [
  'demo',
  'restart',
  'connection-lost',
  'two-processes',
  'insight',
  'gate',
  'questions',
].map((name) => `**/${name}.spec.ts`);

/**
 * They need minutes, or every processor, or hardly ever change: `npm run test:long` runs them, and
 * single tests of other specs that have the tag `@long`.
 */
const LONG = ['bad-days*', 'containerfile', 'docs', 'starts-at-once', 'time-zone'].map(
  (name) => `**/${name}.spec.ts`,
);

/**
 * Runs against the built server; each worker starts its own, see lockyard-test.ts. `npm test`
 * builds first.
 */
export default defineConfig({
  testDir: '.',
  projects: [
    { name: 'waiting', testMatch: WAITING, workers: 2 },
    { name: 'busy', testIgnore: isLong ? WAITING : [...WAITING, ...LONG] },
  ],
  ...(!isLong && { grepInvert: /@long/ }),
  fullyParallel: false,
  // Each uses the whole machine: two at a time would make both worse than intended.
  workers: isLong ? 1 : 4,
  forbidOnly: Boolean(process.env.CI),
  outputDir: '.results',
  timeout: 300_000,
  // An expectation of something promised sooner sets its own timeout.
  expect: { timeout: 20_000 },
  use: {
    screenshot: 'only-on-failure',
    locale: 'en-GB',
    timezoneId: 'UTC',
    viewport: { width: 1440, height: 900 },
    browserName: 'chromium',
    launchOptions: {
      executablePath: join(import.meta.dirname, 'chromium-of-tests.sh'),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        // A page lives for seconds here: compiling optimized code takes longer than it saves.
        '--js-flags=--no-opt --no-maglev',
      ],
    },
  },
});
