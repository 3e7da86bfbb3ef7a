import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, '');
const pure = ['server/domain/**', 'components/**', 'scripts'];
/** Several of these measure how soon something happens: they must not starve one another. */
const timed = ['server/{engine,http}/**'];
/** Of those, what only looks at what comes out in the end. */
const patient = ['server/engine/*campaign.test.ts', 'server/engine/lost-replies.test.ts'];
const rest = ['server', 'server/{auth,backends,backup,observe,operations,pages,trpc}/**', 'db/**'];
const more = ['client/**', 'app/**', 'bench/**', 'scripts/demo', 'test/**'];
/** They need programs that nothing else does: `npm run test:long` runs them. */
const longOnly = process.env.TEST_LONG === '1' ? [] : ['test/behind-a-proxy.test.ts'];
const testsIn = (folders: string[]) => folders.map((folder) => `${folder}/*.test.{ts,tsx}`);

/** Only a test that hangs takes so long, on any machine. */
const GENEROUS_MS = 60_000;

const INTEGRATION = {
  exclude: ['client/dist/**', ...longOnly],
  pool: 'forks' as const,
  testTimeout: GENEROUS_MS,
  hookTimeout: GENEROUS_MS,
};

export default defineConfig({
  resolve: { alias: { '@': root } },
  test: {
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
          name: 'integration',
          include: testsIn(timed),
          exclude: [...INTEGRATION.exclude, ...patient],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          ...INTEGRATION,
          name: 'integration, three at a time',
          include: [...testsIn([...rest, ...more]), ...patient],
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
