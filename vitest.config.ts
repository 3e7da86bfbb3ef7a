import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const root = fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, '');
const pure = [
  'server/{contract,core}/**',
  'components/**',
  'scripts/{build,checks,clients,lab,process,servers,suites,system}',
];
/** Several of these measure how soon something happens: they must not starve one another. */
const timed = ['server/{engine,api/http}/**'];
/** Of those, what only looks at what comes out in the end. */
const patient = [
  'server/engine/**/{*campaign,lost-replies,hot-lock,counters,bad-records}.test.ts',
  'server/engine/**/{history-checker,hold-at-least,known-records,lane,name-count}.test.ts',
  'server/engine/**/{permits,request-identity}.test.ts',
  'server/api/http/**/{bad-input,caller-line,counters,delete-names,full-disk,full-namespace,hostile-viewer}.test.ts',
  'server/api/http/**/{insights,lab,list-locks,metrics,openapi,pages,pipelined-requests,sets,watch-locks}.test.ts',
];
const rest = [
  'server/{auth,backup,bootstrap,cli,lab,monitoring,operations,platform,storage,strategies}/**',
  'server/api/{pages,rpc}/**',
  'db/**',
];
const more = ['client/**', 'app/**', 'bench/**', 'scripts/demo', 'test/**'];
/** They need programs that nothing else does: `npm run test:long` runs them. */
const longOnly =
  process.env.TEST_LONG === '1'
    ? []
    : [
        'test/behind-a-proxy.test.ts',
        'test/prometheus.test.ts',
        'test/{foreign-tools,installing}/**',
        'client/other-languages.test.ts',
        'server/lab/pause-campaign.test.ts',
        'test/clients/**',
      ];
const testsIn = (folders: string[]) => folders.map((folder) => `${folder}/*.test.{ts,tsx}`);

/** Small files that take long: they begin first, so that they do not run on alone at the end. */
const LONG = /\/bad-days\/|campaign|simulator|chores|lost-replies|backup-failures|exec-losing/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** Only a test that hangs takes so long, on any machine. */
const GENEROUS_MS = 60_000;

const INTEGRATION = {
  exclude: ['client/dist/**', ...longOnly],
  pool: 'forks' as const,
  testTimeout: GENEROUS_MS,
  hookTimeout: GENEROUS_MS,
};

/** Lua and SQL are imported as texts, as in the bundle of the server. */
const textModules = {
  name: 'text-modules',
  load: (id: string) =>
    /\.(lua|sql)$/.test(id) ? `export default ${JSON.stringify(readFileSync(id, 'utf8'))}` : null,
};

export default defineConfig({
  plugins: [textModules],
  resolve: { alias: { '@': root } },
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: testsIn(pure),
          pool: 'threads',
          // Nothing in them outlives a test: they share what they load.
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
          name: 'integration, two at a time',
          include: testsIn(timed),
          exclude: [...INTEGRATION.exclude, ...patient],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          ...INTEGRATION,
          name: 'integration, four at a time',
          include: [...testsIn([...rest, ...more]), ...patient],
          maxWorkers: 4,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
