import { pathToFileURL } from 'node:url';
import { endWithNpm } from './process/end-with-npm.mjs';
import { withFileFrom } from './process/file-words.mjs';
import { endWith, PlainFailure } from './process/plain-failure.mjs';
import { nodeComplaint } from './process/start-requirements.mjs';

/**
 * The verbs of the client's own command, which uses the service API; all others are for operators
 * of the server.
 */
const clientVerbs = new Set(['exec', 'ls', 'inspect', 'watch', 'release', 'mcp', 'witness']);

/**
 * `npm run -s lockyard -- …`: the command line. Only the command's own answer goes to standard
 * output.
 */
async function runCommandLine() {
  const complaint = nodeComplaint(process.versions.node);
  if (complaint) throw new PlainFailure(complaint);
  const { projectRoot } = await import('./project-root.mjs');
  const { makeCommandLineReady } = await import('./build/make-ready.mjs');
  const { clientCommandBundle, commandLineBundle } = await import('./build/build-app.mjs');
  endWithNpm();
  const isForClient = clientVerbs.has(process.argv[2]);

  // A command under a lock runs in the caller's folder, which npm changes, but passes in INIT_CWD.
  const from = process.env.npm_lifecycle_event === 'lockyard' ? process.env.INIT_CWD : undefined;
  const folder = from ?? process.cwd();
  process.chdir(projectRoot);
  await makeCommandLineReady((line) => process.stderr.write(`${line}\n`));
  if (isForClient) process.chdir(folder);
  else process.env.NODE_ENV = 'production';
  process.setSourceMapsEnabled(true);
  const bundle = isForClient ? clientCommandBundle : commandLineBundle;
  const [program, , ...words] = process.argv;
  process.argv = [program, bundle, ...withFileFrom(words, folder)];
  await import(pathToFileURL(bundle).href);
}

runCommandLine().catch(endWith);
