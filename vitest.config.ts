import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, '');
const pure = ['server/domain/**', 'components/**', 'scripts'];
const rest = ['server/**', 'db/**', 'client/**', 'app/**', 'bench/**', 'scripts/demo', 'test/**'];
const testsIn = (folders: string[]) => folders.map((folder) => `${folder}/*.test.{ts,tsx}`);

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
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: testsIn(rest),
          exclude: ['server/domain/**', 'client/dist/**'],
          pool: 'forks',
          // Several of these measure how soon something happens: they must not starve one another.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
    ],
  },
});
