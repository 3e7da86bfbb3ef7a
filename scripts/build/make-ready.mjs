import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { PlainFailure, writeReason } from '../process/plain-failure.mjs';
import { projectRoot } from '../project-root.mjs';
import { appIsStale, buildApp, buildCommandLine, commandLineIsStale } from './build-app.mjs';
import { dependenciesAreMissing, ensureDependencies } from './ensure-dependencies.mjs';
import { withFolderLock } from './folder-lock.mjs';
import { isSlim } from './slim-down.mjs';

const lockPath = join(projectRoot, '.build', 'making-ready.lock');

/**
 * Installs and builds what the server needs, once, however many starts request it at the same time.
 */
export function makeAppReady(say, { withDev = false } = {}) {
  const isReady = () =>
    !appIsStale() && ((isSlim() && !withDev) || !dependenciesAreMissing({ withDev }));
  return makeReady(say, isReady, async () => {
    await ensureDependencies({ withDev, say });
    if (appIsStale()) await buildApp(say);
  });
}

/** The same for the command line, which needs no pages. */
export function makeCommandLineReady(say) {
  const isReady = () =>
    !commandLineIsStale() && (isSlim() || !dependenciesAreMissing({ withDev: false }));
  return makeReady(say, isReady, async () => {
    await ensureDependencies({ withDev: false, say });
    if (commandLineIsStale()) await buildCommandLine();
  });
}

/** Only the packages; by default development packages too. */
export function makeToolsReady(say, { withDev = true } = {}) {
  return makeReady(
    say,
    () => !dependenciesAreMissing({ withDev }),
    () => ensureDependencies({ withDev, say }),
  );
}

async function makeReady(say, isReady, make) {
  if (isReady()) return;
  refuseUnwritable();
  const waiting = () =>
    say('Waiting for another process that is installing or building in this folder …');
  await withFolderLock(lockPath, waiting, make);
}

/** Called only if something must be built: a read-only folder with everything built is fine. */
function refuseUnwritable() {
  try {
    accessSync(projectRoot, constants.W_OK);
  } catch (error) {
    const why = writeReason(error) ?? error.code;
    throw new PlainFailure(
      `Lockyard is not built, or not from these sources, and ${projectRoot} cannot be written: ` +
        `${why}. Run "npm run build" as a user who may write there, then start again.`,
    );
  }
}
