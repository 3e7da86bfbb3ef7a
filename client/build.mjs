// Builds the package into client/dist: the client, the guards, their types, and the command. Run:
// node client/build.mjs
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { wireTypes } from './wire/wire-types.mjs';

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
const types = join(dist, '.types');
const project = ['-p', join(here, 'tsconfig.build.json'), '--outDir', types];
const tsc = [join(typescript, 'bin/tsc'), ...project];
execFileSync(process.execPath, tsc, { stdio: 'inherit' });

// All types are in one folder; only those of the guards have a folder of their own.
// Node requires complete file names.
const ours = join(types, 'client');
writeFileSync(join(ours, 'wire/wire.d.ts'), await wireTypes(types));
const written = readdirSync(ours, { recursive: true });
for (const name of written.filter((file) => file.endsWith('.d.ts'))) {
  const text = readFileSync(join(ours, name), 'utf8');
  const place = dirname(name) === 'guards' ? name : basename(name);
  writeFileSync(
    join(dist, place),
    text.replace(/ from '\.{1,2}\/(?:[\w-]+\/)*([\w-]+)'/g, " from './$1.js'"),
  );
}
rmSync(types, { recursive: true });
