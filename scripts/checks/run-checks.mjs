import { join } from 'node:path';
import { runChild } from '../process/run-child.mjs';
import { projectRoot } from '../project-root.mjs';

const tool = (path, ...args) =>
  runChild(process.execPath, [join(projectRoot, 'node_modules', path), ...args], {
    cwd: projectRoot,
    env: {
      ...process.env,
      NEXT_TELEMETRY_DISABLED: '1',
      ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }),
    },
  });

const types = { name: 'Types', run: checkTypes };

const others = [
  {
    name: 'Format and lint',
    run: () => tool('@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'),
  },
  {
    name: 'Import walls, circular imports, house rules',
    run: async () => (await import('./check-architecture.mjs')).checkArchitecture(projectRoot),
  },
  {
    name: 'Migrations in step with the schema',
    run: async () => (await import('./migrations-in-step.mjs')).checkMigrations(projectRoot),
  },
  {
    name: 'Dead code and unused dependencies',
    run: () => tool('knip/bin/knip.js', '--no-progress', '--treat-config-hints-as-errors'),
  },
];

/**
 * Runs every check, whatever the results of the others, and returns `[{ name, ok }]`. Types are
 * checked in parallel with all others, which together use one processor.
 */
export async function runChecks(say) {
  const results = await Promise.all([runInTurn([types], say), runInTurn(others, say)]);
  return results.flat();
}

async function runInTurn(checks, say) {
  const results = [];
  for (const { name, run } of checks) {
    const startedAt = performance.now();
    const { ok, output } = await run().then(
      (result) => ({ ok: result.ok ?? result.code === 0, output: result.output }),
      (error) => ({ ok: false, output: error.stack }),
    );
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    say(`${ok ? '✔' : '✘'} ${name} (${seconds} s)`);
    if (!ok) say(`${output.trim()}\n`);
    results.push({ name, ok });
  }
  return results;
}

/** Has Next write the types of its routes first: a fresh clone has none. */
async function checkTypes() {
  const generated = await tool('next/dist/bin/next', 'typegen');
  if (generated.code !== 0) return generated;
  return tool('typescript/bin/tsc', '--noEmit', '-p', '.');
}
