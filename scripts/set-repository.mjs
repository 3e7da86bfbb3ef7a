import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endWith, PlainFailure } from './process/plain-failure.mjs';
import { projectRoot } from './project-root.mjs';

/** The packages, by their folders in the repository. */
const PACKAGES = [undefined, 'client'];

/**
 * `npm run repository -- https://github.com/acme/lockyard`: writes the address of the sources into
 * both package files, for a release from there. With `--folder`, into those of another folder.
 */
function setRepository([text, option, folder = projectRoot]) {
  if (text === '--check') return checkRepository(folder);
  const url = readUrl(text);
  if (option !== undefined && option !== '--folder') {
    throw new PlainFailure(`repository takes a URL and --folder; unexpected "${option}".`);
  }
  for (const directory of PACKAGES) {
    const file = join(folder, directory ?? '', 'package.json');
    const {
      repository: _,
      bugs: __,
      homepage: ___,
      ...rest
    } = JSON.parse(readFileSync(file, 'utf8'));
    const addresses = {
      repository: { type: 'git', url: `git+${url}.git`, ...(directory && { directory }) },
      bugs: { url: `${url}/issues` },
      homepage: `${url}#readme`,
    };
    const entries = Object.entries(rest);
    const after = entries.findIndex(([name]) => name === 'license') + 1;
    const ordered = [
      ...entries.slice(0, after),
      ...Object.entries(addresses),
      ...entries.slice(after),
    ];
    writeFileSync(file, `${JSON.stringify(Object.fromEntries(ordered), null, 2)}\n`);
  }
}

/**
 * npm runs this before it publishes: the address in a checkout is a placeholder, under a domain
 * that is reserved for examples, and no release may have it.
 */
function checkRepository(folder) {
  const { repository } = JSON.parse(readFileSync(join(folder, 'client/package.json'), 'utf8'));
  const { hostname } = new URL(repository.url.replace(/^git\+/, ''));
  if (!hostname.endsWith('.example') || process.env.npm_config_dry_run === 'true') return;
  throw new PlainFailure(
    `${repository.url} is a placeholder; set the address of the sources first: ` +
      'npm run repository -- https://github.com/acme/lockyard',
  );
}

function readUrl(text) {
  const url = URL.canParse(text ?? '') ? new URL(text) : null;
  const isPlain =
    url?.protocol === 'https:' &&
    !url.username &&
    !url.password &&
    !url.search &&
    !url.hash &&
    url.pathname !== '/';
  if (!isPlain) {
    throw new PlainFailure(
      'repository needs the https URL of the repository: ' +
        'npm run repository -- https://github.com/acme/lockyard',
    );
  }
  return url.href.replace(/\/$/, '').replace(/\.git$/, '');
}

try {
  setRepository(process.argv.slice(2));
} catch (error) {
  endWith(error);
}
