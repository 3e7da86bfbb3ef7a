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
import type { Config } from './config/config';
import { openSecret } from './config/open-secret';
import { prepareDataFolder } from './data-folder';

/** What the command line has while no server runs: the control database, but no backend. */
export async function openControlRuntime(
  config: Config,
  log: Log,
  clock: Clock,
): Promise<ControlRuntime & { close(): Promise<void> }> {
  prepareDataFolder(config.dataDir);
  const database = await openDatabase(config.database);
  const base = { config, log, clock, database };
  try {
    await migrate(database);
    const secret = await openSecret(config, database, clock);
    await ensureDefaultNamespace(database, clock);
    const apiKeys = new ApiKeyVerifier(base);
    const sessions = new SessionManager(base);
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
