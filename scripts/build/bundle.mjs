import { PlainFailure } from '../process/plain-failure.mjs';
import { projectRoot } from '../project-root.mjs';

/**
 * Bundles programs of the server's side as `<outdir>/<name>.mjs`. Lua and SQL become texts in it;
 * packages stay where they are.
 */
export async function bundle(entryPoints, outdir) {
  const { build, stop } = await import('esbuild');
  try {
    await build({
      absWorkingDir: projectRoot,
      entryPoints,
      outdir,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      packages: 'external',
      loader: { '.lua': 'text', '.sql': 'text' },
      sourcemap: 'linked',
      logLevel: 'silent',
    });
  } catch (error) {
    throw new PlainFailure(`Lockyard could not be bundled: ${error.message}`);
  } finally {
    await stop();
  }
}
