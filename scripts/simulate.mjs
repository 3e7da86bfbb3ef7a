import { join } from 'node:path';
import { endWith, PlainFailure } from './process/plain-failure.mjs';
import { nodeComplaint } from './process/start-requirements.mjs';

/**
 * `npm run simulate`: runs seeds on the real rules and engine with simulated time, store and
 * network. Arguments: test/simulator/main.ts.
 */
async function runSimulator() {
  const complaint = nodeComplaint(process.versions.node);
  if (complaint) throw new PlainFailure(complaint);
  const { makeToolsReady } = await import('./build/make-ready.mjs');
  const { projectRoot } = await import('./project-root.mjs');
  const { bundle, simulatorPrograms } = await import('./build/bundle.mjs');
  const { endInOrder, runChild } = await import('./process/run-child.mjs');

  process.chdir(projectRoot);
  endInOrder();
  await makeToolsReady((line) => process.stdout.write(`${line}\n`));
  await bundle(simulatorPrograms, '.build/simulate');
  const program = join(projectRoot, '.build/simulate/main.mjs');
  const { code } = await runChild(process.execPath, [program, ...process.argv.slice(2)], {
    cwd: projectRoot,
    env: process.env,
    show: true,
  });
  process.exit(code);
}

runSimulator().catch(endWith);
