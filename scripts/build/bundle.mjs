import { PlainFailure } from '../process/plain-failure.mjs';
import { projectRoot } from '../project-root.mjs';

/**
 * How server-side programs are built: Lua and SQL are included as texts, packages stay external.
 *
 * @type {import('esbuild').BuildOptions}
 */
export const serverBuild = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  loader: { '.lua': 'text', '.sql': 'text' },
  logLevel: 'silent',
};

/** The programs of `npm run bench`: the first starts the others. */
export const benchPrograms = {
  main: 'bench/main.ts',
  'http-load': 'bench/http-load.ts',
  'http-race': 'bench/http/http-race.ts',
  'lock-process': 'bench/processes/lock-process.ts',
  'steady-callers-load': 'bench/looking/steady-callers-load.ts',
};

/** The program of `npm run simulate`. */
export const simulatorPrograms = { main: 'test/simulator/main.ts' };

/** Bundles server-side programs as `<outdir>/<name>.mjs`. */
export async function bundle(entryPoints, outdir) {
  const { build, stop } = await import('esbuild');
  try {
    await build({
      absWorkingDir: projectRoot,
      entryPoints,
      outdir,
      outExtension: { '.js': '.mjs' },
      ...serverBuild,
      sourcemap: 'linked',
    });
  } catch (error) {
    throw new PlainFailure(`Lockyard could not be bundled: ${error.message}`);
  } finally {
    await stop();
  }
}
