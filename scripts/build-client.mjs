import { endWith, PlainFailure } from './process/plain-failure.mjs';
import { nodeComplaint } from './process/start-requirements.mjs';

/** The first half of `npm run client:pack`: installs missing packages, and builds the client. */
async function buildClient() {
  const complaint = nodeComplaint(process.versions.node);
  if (complaint) throw new PlainFailure(complaint);
  const { makeToolsReady } = await import('./build/make-ready.mjs');
  // To standard error, since the other half prints the file's name to standard output.
  await makeToolsReady((line) => process.stderr.write(`${line}\n`), { withDev: false });
  await import('../client/build.mjs');
}

buildClient().catch(endWith);
