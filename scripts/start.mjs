import { pathToFileURL } from 'node:url';
import { openFilesLimit } from '../server/platform/process/open-files-limit.mjs';
import { endWithNpm } from './process/end-with-npm.mjs';
import { endWith, PlainFailure } from './process/plain-failure.mjs';
import { fileLimitComplaint, nodeComplaint } from './process/start-requirements.mjs';

/** `npm start`: installs missing packages, rebuilds what is stale, and becomes the server. */
async function start() {
  const complaint = nodeComplaint(process.versions.node) ?? fileLimitComplaint(openFilesLimit());
  if (complaint) throw new PlainFailure(complaint);
  // Imported only now: an old Node could not even parse these.
  const { startHelp, startOptions } = await import('./process/start-options.mjs');
  const args = process.argv.slice(2);
  const help = startHelp(args);
  if (help !== null) {
    process.stdout.write(help);
    return;
  }
  const { projectRoot } = await import('./project-root.mjs');
  const { makeAppReady } = await import('./build/make-ready.mjs');
  const { serverBundle } = await import('./build/build-app.mjs');

  const { variables } = startOptions(args, process.env);
  endWithNpm();
  process.chdir(projectRoot);
  await makeAppReady((line) => process.stdout.write(`${line}\n`));
  Object.assign(process.env, variables, { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' });
  process.setSourceMapsEnabled(true);
  await import(pathToFileURL(serverBundle).href);
}

start().catch(endWith);
