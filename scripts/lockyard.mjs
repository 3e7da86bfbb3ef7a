import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { endWithNpm } from './process/end-with-npm.mjs';
import { endWith, PlainFailure } from './process/plain-failure.mjs';
import { nodeComplaint } from './process/start-requirements.mjs';

/**
 * What the client's own command does, over the service API; everything else is for operators of the
 * server.
 */
const clientVerbs = new Set(['exec', 'ls', 'inspect', 'watch', 'release', 'witness']);

/** What names a file, as the caller's folder knows it: right behind the verb, but for `apply`. */
const fileVerbs = new Set(['apply', 'backup', 'restore']);

function absoluteFile(words, folder) {
  // `apply` names it with an option.
  const at = words[2] === 'apply' ? words.findIndex((word) => /^(-f|--file)$/.test(word)) + 1 : 3;
  const file = words[at];
  if (at > 2 && file !== undefined && !file.startsWith('-')) words[at] = resolve(folder, file);
}

/**
 * `npm run -s lockyard -- …`: the command line. Nothing but its own answer goes to standard output.
 */
async function runCommandLine() {
  const complaint = nodeComplaint(process.versions.node);
  if (complaint) throw new PlainFailure(complaint);
  const { projectRoot } = await import('./project-root.mjs');
  const { makeCommandLineReady } = await import('./build/make-ready.mjs');
  const { clientCommandBundle, commandLineBundle } = await import('./build/build-app.mjs');
  endWithNpm();
  const isForClient = clientVerbs.has(process.argv[2]);

  // A command under a lock begins in the caller's own folder, which npm changes and tells.
  const from = process.env.npm_lifecycle_event === 'lockyard' ? process.env.INIT_CWD : undefined;
  const folder = from ?? process.cwd();
  process.chdir(projectRoot);
  await makeCommandLineReady((line) => process.stderr.write(`${line}\n`));
  if (isForClient) process.chdir(folder);
  else process.env.NODE_ENV = 'production';
  if (fileVerbs.has(process.argv[2])) absoluteFile(process.argv, folder);
  process.setSourceMapsEnabled(true);
  process.argv[1] = isForClient ? clientCommandBundle : commandLineBundle;
  await import(pathToFileURL(process.argv[1]).href);
}

runCommandLine().catch(endWith);
