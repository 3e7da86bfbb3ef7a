import { resolve } from 'node:path';
import { projectRoot } from '../project-root.mjs';
import { PlainFailure } from './plain-failure.mjs';

const DEMO_FOLDER = '.lockyard-demo';

const HELP = `Usage: npm start [-- --demo]

Installs missing packages, builds what has changed, and serves until it is stopped.

  --demo   Serve a fleet of demo services from a data folder of its own, ${DEMO_FOLDER}.

Environment variables configure it, such as PORT, LOCKYARD_DATA_DIR and LOCKYARD_DATABASE_URL:
see docs/configuration.md. For the command line: npm run -s lockyard -- --help
`;

/** The help, if the arguments of `npm start -- …` ask for it, else null. */
export function startHelp(args) {
  return args.includes('--help') || args.includes('-h') ? HELP : null;
}

/** Reads the arguments of `npm start -- …`: the variables to set before the server runs. */
export function startOptions(args, environment) {
  const unknown = args.find((arg) => arg !== '--demo');
  if (unknown !== undefined) {
    throw new PlainFailure(
      `Unknown argument "${unknown}": only --demo is accepted. ` +
        'Use environment variables: see docs/configuration.md.',
    );
  }
  if (!args.includes('--demo')) {
    if (environment.npm_config_demo === undefined) return { variables: {} };
    throw new PlainFailure('npm took --demo for an option of its own. Run: npm start -- --demo');
  }
  if (environment.LOCKYARD_DATABASE_URL) {
    throw new PlainFailure(
      'The demo uses its own data folder, .lockyard-demo: unset LOCKYARD_DATABASE_URL to run it.',
    );
  }
  // The demo's invented fleet must not get into a folder that a real server uses.
  const folder = environment.LOCKYARD_DATA_DIR || DEMO_FOLDER;
  if (resolve(projectRoot, folder) !== resolve(projectRoot, DEMO_FOLDER)) {
    throw new PlainFailure(
      `The demo uses its own data folder, ${DEMO_FOLDER}: unset LOCKYARD_DATA_DIR to run it.`,
    );
  }
  return { variables: { LOCKYARD_DEMO: '1', LOCKYARD_DATA_DIR: DEMO_FOLDER } };
}
