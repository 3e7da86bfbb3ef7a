import type { Database } from '@/db/database';
import { migrate } from '@/db/migrate';
import { openDatabase } from '@/db/open-database';
import { ApiKeyVerifier } from '../auth/api-keys/api-key-verifier';
import { SessionManager } from '../auth/sessions/session-manager';
import { RefusedActs } from '../operations/audit/refused-acts';
import { ensureDefaultNamespace } from '../operations/namespaces/create-namespace';
import { NamespaceDirectory } from '../operations/namespaces/namespace-directory';
import type { ControlRuntime } from '../operations/operation-context';
import type { Clock } from '../platform/clock';
import type { Log } from '../platform/log';
import { DatabaseUnusable, StartError } from '../platform/start-error';
import { type Config, ownDatabasePath } from './config/config';
import { openSecret } from './config/open-secret';
import { prepareDataFolder } from './data-folder';

/**
 * Opens the control database and what depends on it alone, without a backend: all that the command
 * line has while no server runs.
 */
export async function openControlRuntime(
  config: Config,
  log: Log,
  clock: Clock,
): Promise<ControlRuntime & { close(): Promise<void> }> {
  prepareDataFolder(config.dataDir);
  const database = await openControlDatabase(config);
  const base = { config, log, clock, database };
  try {
    await migrate(database, (statement, sinceMs) =>
      log.warn({ statement, sinceMs }, 'A migration of the control database is not applied yet'),
    );
    const secret = await openSecret(config, database, clock);
    await ensureDefaultNamespace(database, clock);
    const apiKeys = new ApiKeyVerifier(base);
    const sessions = new SessionManager({ ...base, secret });
    const namespaces = new NamespaceDirectory(base.database);
    const refusedActs = new RefusedActs(base, config.limits.refusalsSeconds * 1_000);
    const close = async () => {
      await refusedActs.write();
      await apiKeys.close();
      await database.close();
    };
    return { ...base, secret, apiKeys, sessions, namespaces, refusedActs, close };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Opens the database. An error in its location names the variable that sets it. */
async function openControlDatabase({ database, dataDir }: Config): Promise<Database> {
  try {
    return await openDatabase(database);
  } catch (error) {
    if (!(error instanceof DatabaseUnusable)) throw error;
    const isOwn = database.kind === 'sqlite' && database.path === ownDatabasePath(dataDir);
    const name = isOwn ? 'LOCKYARD_DATA_DIR' : 'LOCKYARD_DATABASE_URL';
    // The database is also the backend `default`.
    const message = error.message.replace('LOCKYARD_TLS_CA_<ID>', 'LOCKYARD_TLS_CA_DEFAULT');
    throw new StartError(`${message} Check ${name}.`, { cause: error });
  }
}
