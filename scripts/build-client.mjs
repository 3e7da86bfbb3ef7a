import { endWith, PlainFailure } from './process/plain-failure.mjs';
import { nodeComplaint } from './process/start-requirements.mjs';

/** The first half of `npm run client:pack`: installs what is missing, and builds the client. */
async function buildClient() {
  const complaint = nodeComplaint(process.versions.node);
  if (complaint) throw new PlainFailure(complaint);
  const { makeToolsReady } = await import('./build/make-ready.mjs');
  // The other half prints the name of the file.
  await makeToolsReady((line) => process.stderr.write(`${line}\n`), { withDev: false });
  await import('../client/build.mjs');
}

buildClient().catch(endWith);
