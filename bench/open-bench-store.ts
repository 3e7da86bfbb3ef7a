import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@/db/migrate';
import { openDatabase } from '@/db/open-database';
import { systemClock } from '@/server/platform/clock';
import { StoreIncarnation } from '@/server/storage/incarnation/store-incarnation';

/**
 * A control database in a temporary folder, and its knowledge of a store that was never seen
 * before. `close` removes it.
 */
export async function openBenchStore() {
  const folder = await mkdtemp(join(tmpdir(), 'ly-bench-'));
  const database = await openDatabase({ kind: 'sqlite', path: join(folder, 'control.db') });
  await migrate(database);
  const life = await StoreIncarnation.open(database, 'bench', systemClock.now());
  const close = async () => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { database, life, close };
}
