import { changeInBulk } from '@/db/bulk-change';
import { migrate } from '@/db/migrate';
import { SECRET_FINGERPRINT_ROW } from '../backup/backup-header';
import { insertDoneAct } from '../backup/insert-done-act';
import { openUnused, refuseLiveServers } from '../backup/refuse-live-servers';
import type { Config } from '../bootstrap/config/config';
import type { Clock } from '../platform/clock';
import { requireDatabase } from './require-database';

/**
 * Removes the record of an installation's secret, so that the next server that starts sets its own:
 * for a secret that was lost, or may be known to others. Nothing stored depends on the secret.
 * Returns what to report.
 *
 * @param mayMigrate see `requireDatabase`
 * @throws StartError if a server runs, or there is no database
 */
export async function resetSecret(
  config: Config,
  clock: Clock,
  mayMigrate: boolean,
): Promise<string> {
  await requireDatabase(config, { mayCreate: null, mayMigrate });
  const database = await openUnused(config.database);
  try {
    await migrate(database);
    await changeInBulk(database, async (change) => {
      const now = (await change.now()) ?? clock.now();
      await refuseLiveServers(change, now);
      await change.run(`delete from settings where ${SECRET_FINGERPRINT_ROW}`);
      await insertDoneAct(change, now, { act: 'secret.reset' });
    });
  } finally {
    await database.close();
  }
  return (
    'The secret is forgotten. The next server that starts brings its own: LOCKYARD_SECRET, else ' +
    'the file "secret" in its data folder, which it makes if there is none.'
  );
}
