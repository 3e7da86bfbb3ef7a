import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWith, PlainFailure } from './process/plain-failure.mjs';
import { projectRoot } from './project-root.mjs';

const FORMATS = ['cyclonedx', 'spdx'];

/**
 * `npm run -s sbom -- [cyclonedx|spdx]`: prints the bill of materials of everything that `npm ci
 * --omit=dev` installs on any platform, as npm writes it.
 *
 * It is made from the lock file without the development packages, since `npm sbom --omit=dev`
 * leaves out packages that both production and development need.
 */
function printSbom(format = 'cyclonedx') {
  if (!FORMATS.includes(format)) {
    throw new PlainFailure(`sbom knows ${FORMATS.join(' and ')}; unexpected "${format}".`);
  }
  const parent = mkdtempSync(join(tmpdir(), 'lockyard-sbom-'));
  try {
    // npm names the bill after its folder.
    const folder = join(parent, 'lockyard');
    mkdirSync(folder);
    const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
    const { devDependencies: _, scripts: __, ...production } = manifest;
    writeFileSync(join(folder, 'package.json'), JSON.stringify(production));
    copyFileSync(join(projectRoot, 'package-lock.json'), join(folder, 'package-lock.json'));
    const npm = (...args) =>
      execFileSync('npm', args, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 });
    npm('install', '--package-lock-only', '--offline', '--ignore-scripts', '--no-audit');
    const wanted = ['--package-lock-only', `--sbom-format=${format}`, '--sbom-type=application'];
    process.stdout.write(npm('sbom', ...wanted));
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

// A reader that ends early, as `head` does, is no failure.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') endWith(error);
});
try {
  printSbom(...process.argv.slice(2, 3));
} catch (error) {
  endWith(error);
}
