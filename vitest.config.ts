import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LONG_ONLY } from './scripts/suites/long-suites.mjs';

const root = fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, '');
const pure = [
  'server/{contract,core}/**',
  'components/**',
  'scripts/{build,checks,clients,lab,process,servers,suites,system}',
];
/**
 * Several of these measure how soon something happens, so they run apart from all others. They
 * mostly wait: four at a time keep a processor half busy.
 */
const timed = ['server/{engine,api/http}/**'];
/** Those of them that test only the result, whose timing does not matter. */
const untimed = [
  'server/engine/**/{*campaign,hot-lock,counters,bad-records}.test.ts',
  'server/engine/**/{history-checker,hold-at-least,known-records,lane,name-count}.test.ts',
  'server/engine/**/{permits,request-identity}.test.ts',
  'server/engine/{fresh-truth,unanswered-requests,waits-over-restarts}.test.ts',
  'server/engine/commit/{batcher,cache-found,reread-records,swap-with-recovery}.test.ts',
  'server/engine/{gate/gate-*,names/*,waiting/*}.test.ts',
  'server/api/http/**/{bad-input,caller-line,counters,delete-names,full-disk,full-namespace}.test.ts',
  'server/api/http/**/{hostile-viewer,http-handlers}.test.ts',
  'server/api/http/**/{insights,lab,list-locks,metrics,openapi,pages,pipelined-requests,sets,watch-locks}.test.ts',
  'server/api/http/**/{access,call-class,caller-connection,fast-path,flat-queries}.test.ts',
  'server/api/http/**/{history-pages,multi-locks,past,*-backend,refused-attempts}.test.ts',
  'server/api/http/**/{request-scheduler,service-api,traces,unsafe-backends}.test.ts',
];
const rest = [
  'server/{auth,backup,bootstrap,cli,lab,monitoring,operations,platform,storage,strategies}/**',
  'server/api/{pages,rpc}/**',
  'db/**',
];
const more = ['client/**', 'app/**', 'bench/**', 'scripts/demo', 'test/**'];
/** These need special programs: only `npm run test:long` runs them. */
const longOnly = process.env.TEST_LONG === '1' ? [] : LONG_ONLY;
const testsIn = (folders: string[]) => folders.map((folder) => `${folder}/*.test.{ts,tsx}`);

/**
 * Each of these untimed integration tests runs in a process of its own, since it replaces modules,
 * measures its own process, or changes process-wide state. All others share processes and loaded
 * modules: each test closes what it opens, and modules keep no state between tests.
 */
const alone = [
  'client/observing/*',
  'server/api/http/**/full-disk',
  'server/backup/write-backup',
  'server/bootstrap/config/secret-without-links',
  'server/bootstrap/sharded-backend',
  'server/cli/apply/key-files',
  'server/engine/**/hot-lock',
  'server/monitoring/**/heap-watch',
  'server/storage/mysql/mysql-faults',
  'test/docs/background-jobs',
  'test/simulator/*',
].map((file) => `${file}.test.ts`);

/**
 * The longest files start first, so that none is still running alone at the end; files that mostly
 * wait alternate with files that keep a processor busy.
 */
const LONGEST = [
  ...['fair-queue', 'one-step-a-request', 'rising-tokens', 'whole-multi-locks'],
  ...['lost-replies', 'membership', 'locked-rows', 'hung-up-callers', 'database-away'],
  ...['engine/waiting', 'simulator', 'hot-lock', 'backup-crashes', 'maintenance', 'lab-races'],
  ...['lock-projection', 'cli/cli', 'bad-days/zookeeper', 'backup/backup', 'exec/exec-losing'],
  ...['exec/exec', 'bad-days/sharded-mysql', 'bootstrap/upgrade', 'bad-days/mysql'],
  ...['client/package', 'bad-days/redis', 'multi-lock-campaign', 'stuck-locks', 'backup-failures'],
  ...['races', 'hold-baselines', 'engine/counters', 'roll-ups', 'zookeeper-losses', 'api-guide'],
  ...['redis-facts', 'engine/campaign', 'start-failures', 'looking', 'bundled-events'],
  ...['lock-watches', 'real-service', 'watch-locks', 'model-campaign', 'exactly-once-campaign'],
  ...['recording-under-load', 'store-clock', 'swap-race', 'sqlite-file', 'access'],
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId, project }: TestSpecification) => {
      const rank = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      // Files that share a process must follow one another: otherwise each would start a new one.
      const others = project.config.isolate ? 0 : LONGEST.length + 1;
      return others + (rank < 0 ? LONGEST.length : rank);
    };
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

/** Only a test that hangs takes this long, on any machine. */
const GENEROUS_MS = 180_000;

/**
 * How long `expect.poll` retries by default: an immediate result may take seconds on a busy
 * machine. A test of how soon a result appears sets its own limit.
 */
const POLLED_MS = 10_000;

const INTEGRATION = {
  exclude: ['client/dist/**', ...longOnly],
  pool: 'forks' as const,
  testTimeout: GENEROUS_MS,
  hookTimeout: GENEROUS_MS,
};

/**
 * Five keep two processors busy; with four, the processors were idle for a third of the last part.
 */
const FIVE_AT_A_TIME = { ...INTEGRATION, maxWorkers: 5, sequence: { groupOrder: 2 } };

const SHARING = { isolate: false, setupFiles: ['test/no-job-left.ts'] };

/** Lua and SQL are imported as texts, as in the bundle of the server. */
const textModules = {
  name: 'text-modules',
  load: (id: string) =>
    /\.(lua|sql)$/.test(id) ? `export default ${JSON.stringify(readFileSync(id, 'utf8'))}` : null,
};

const CHEAP = '\0cheap-password-cost-bits';

/** Hardly any test is about the cost of a hash; `server/cli` tests that of the real programs. */
const cheapHashes = {
  name: 'cheap-hashes',
  enforce: 'pre' as const,
  resolveId: (source: string, importer?: string) =>
    source === './password-cost-bits' && importer?.endsWith('/password-hash.ts') ? CHEAP : null,
  load: (id: string) => (id === CHEAP ? 'export const PASSWORD_COST_BITS = 4;' : null),
};

export default defineConfig({
  plugins: [textModules, cheapHashes],
  resolve: { alias: { '@': root } },
  test: {
    sequence: { sequencer: LongestFirst },
    expect: { poll: { timeout: POLLED_MS } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: testsIn(pure),
          pool: 'threads',
          // No state outlives a test, so files share loaded modules.
          isolate: false,
          maxWorkers: 2,
          testTimeout: GENEROUS_MS,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          ...INTEGRATION,
          name: 'integration, timed',
          include: testsIn(timed),
          exclude: [...INTEGRATION.exclude, ...untimed],
          ...SHARING,
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          ...FIVE_AT_A_TIME,
          name: 'integration, each alone',
          include: alone,
        },
      },
      {
        extends: true,
        test: {
          ...FIVE_AT_A_TIME,
          name: 'integration, sharing processes',
          include: [...testsIn([...rest, ...more]), ...untimed],
          exclude: [...INTEGRATION.exclude, ...alone],
          ...SHARING,
          globalSetup: 'test/build-once.ts',
        },
      },
    ],
  },
});
