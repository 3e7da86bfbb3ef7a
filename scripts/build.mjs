import { endWith, PlainFailure } from './process/plain-failure.mjs';
import { nodeComplaint } from './process/start-requirements.mjs';

const USAGE = 'Usage: npm run build [-- --slim]';

/**
 * `npm run build`: installs and builds what `npm start` needs, and starts nothing. With `--slim` it
 * then removes the files of packages that no program here reads, for images and packages.
 */
async function build() {
  const complaint = nodeComplaint(process.versions.node);
  if (complaint) throw new PlainFailure(complaint);
  const { makeAppReady } = await import('./build/make-ready.mjs');
  const { slimDown } = await import('./build/slim-down.mjs');
  const { projectRoot } = await import('./project-root.mjs');

  const options = process.argv.slice(2);
  const unknown = options.find((option) => option !== '--slim');
  if (unknown !== undefined) throw new PlainFailure(`Unknown option "${unknown}". ${USAGE}`);
  const say = (line) => process.stdout.write(`${line}\n`);
  process.chdir(projectRoot);
  await makeAppReady(say);
  if (options.includes('--slim')) await slimDown(say);
}

build().catch(endWith);
