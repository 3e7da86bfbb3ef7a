import { writeFileSync } from 'node:fs';
import { endWith, PlainFailure } from './process/plain-failure.mjs';
import { nodeComplaint } from './process/start-requirements.mjs';

/**
 * `npm run check`: everything that can be checked without running the program or a server. If an
 * argument names a file, `[{ name, ok }]` of all checks is written there as JSON.
 */
async function check() {
  const complaint = nodeComplaint(process.versions.node);
  if (complaint) throw new PlainFailure(complaint);
  const { makeToolsReady } = await import('./build/make-ready.mjs');
  const { runChecks } = await import('./checks/run-checks.mjs');
  const { projectRoot } = await import('./project-root.mjs');

  const say = (line) => process.stdout.write(`${line}\n`);
  process.chdir(projectRoot);
  await makeToolsReady(say);
  const results = await runChecks(say);
  const [report] = process.argv.slice(2);
  if (report !== undefined) writeFileSync(report, JSON.stringify(results));
  const failed = results.filter(({ ok }) => !ok);
  say(`${results.length - failed.length} checks passed, ${failed.length} failed`);
  if (failed.length > 0) process.exitCode = 1;
}

check().catch(endWith);
