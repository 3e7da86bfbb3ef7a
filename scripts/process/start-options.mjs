import { PlainFailure } from './plain-failure.mjs';

/** What `npm start -- …` was asked for: the variables to set before the server runs. */
export function startOptions(args, environment) {
  const unknown = args.find((arg) => arg !== '--demo');
  if (unknown !== undefined) {
    throw new PlainFailure(
      `Unknown argument "${unknown}": only --demo is accepted. ` +
        'Use environment variables: see docs/configuration.md.',
    );
  }
  if (!args.includes('--demo')) return { variables: {} };
  if (environment.LOCKYARD_DATABASE_URL) {
    throw new PlainFailure(
      'The demo uses its own data directory: unset LOCKYARD_DATABASE_URL to run it.',
    );
  }
  // Its invented fleet must not get into a folder that a real server uses.
  if (environment.LOCKYARD_DATA_DIR) {
    throw new PlainFailure(
      'The demo uses its own data folder, .lockyard-demo: unset LOCKYARD_DATA_DIR to run it.',
    );
  }
  return { variables: { LOCKYARD_DEMO: '1', LOCKYARD_DATA_DIR: '.lockyard-demo' } };
}
