import { migrate } from '@/db/migrate';
import { openDatabase } from '@/db/open-database';
import { createApiKeyRing } from './auth/api-key-ring';
import { createSessionKeeper } from './auth/session-keeper';
import type { Clock } from './clock';
import type { Config } from './config';
import { prepareDataFolder } from './data-folder';
import type { Log } from './log';
import { ensureDefaultNamespace } from './operations/ensure-default-namespace';
import { createNamespaceDirectory } from './operations/namespace-directory';
import type { ControlRuntime } from './operations/operation-context';
import { RefusedActs } from './operations/refused-acts';
import { openSecret } from './secret';

/**
 * What the command line works with while no server runs: the control database alone, without any
 * backend.
 */
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
    const apiKeys = createApiKeyRing(base);
    const sessions = createSessionKeeper(base);
    const namespaces = createNamespaceDirectory(base);
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
