import { PlainFailure } from './plain-failure.mjs';

/** What `npm start -- …` was asked for: the variables to set before the server runs. */
export function startOptions(args, environment) {
  const unknown = args.find((arg) => arg !== '--demo');
  if (unknown !== undefined) {
    throw new PlainFailure(
      `Unknown argument "${unknown}": npm start knows --demo alone; the rest is set by variables (see README.md).`,
    );
  }
  if (!args.includes('--demo')) return { variables: {} };
  if (environment.LOCKYARD_DATABASE_URL) {
    throw new PlainFailure(
      'The demo keeps to a data folder of its own: unset LOCKYARD_DATABASE_URL to run it.',
    );
  }
  return { variables: { LOCKYARD_DEMO: '1', LOCKYARD_DATA_DIR: '.lockyard-demo' } };
}
