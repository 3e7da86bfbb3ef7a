// Builds the package into client/dist: the client, the guards, their types, and the command. Run:
// node client/build.mjs
import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const dist = join(here, 'dist');
const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));

rmSync(dist, { recursive: true, force: true });
const common = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
};
await build({
  ...common,
  entryPoints: [join(here, 'lockyard.ts'), join(here, 'command/lockyard-command.ts')],
  entryNames: '[name]',
  outdir: dist,
});
// Split, so that there is one class of each error, whichever guard it is imported from.
await build({
  ...common,
  entryPoints: ['mysql', 'redis', 'sqlite'].map((name) => join(here, `guards/${name}.ts`)),
  outdir: join(dist, 'guards'),
  splitting: true,
  chunkNames: 'shared',
});
const tsc = [join(typescript, 'bin/tsc'), '-p', join(here, 'tsconfig.build.json')];
execFileSync(process.execPath, tsc, { stdio: 'inherit' });

// Types are read by Node's own rules too, which want whole file names.
const written = readdirSync(dist, { recursive: true });
for (const name of written.filter((file) => file.endsWith('.d.ts'))) {
  const text = readFileSync(join(dist, name), 'utf8');
  writeFileSync(join(dist, name), text.replace(/ from '(\.\/[\w-]+)'/g, " from '$1.js'"));
}
copyFileSync(join(here, '../LICENSE'), join(dist, 'LICENSE'));
