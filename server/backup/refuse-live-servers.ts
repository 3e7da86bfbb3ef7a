import { setTimeout } from 'node:timers/promises';
import type { BulkChange } from '@/db/bulk-change';
import type { Database } from '@/db/database';
import { openDatabase } from '@/db/open-database';
import type { Cell } from '@/db/snapshot';
import type { DatabaseUrl } from '@/db/urls/backend-url';
import { DatabaseInUse, StartError } from '@/server/platform/start-error';
import { DEAD_AFTER_MS } from '../core/timing';
import { OWN_NAMESPACE } from '../engine/membership';

const HEARTBEATS = `select writer, head from locks where id like '${OWN_NAMESPACE}/process/%'`;

/**
 * Opens a database for a change that needs all servers stopped. A SQLite file that a server has
 * open is refused here, other databases by `refuseLiveServers`, in the same words.
 *
 * @throws StartError
 */
export async function openUnused(url: DatabaseUrl): Promise<Database> {
  try {
    return await openDatabase(url);
  } catch (cause) {
    throw cause instanceof DatabaseInUse ? serverRuns(cause) : cause;
  }
}

/**
 * Throws `StartError` if heartbeats in the database show that a running server uses it.
 *
 * @param now the database's clock. If it was set back, a heartbeat may last far longer than one
 *   ever does: then its server runs only if it sends another one, for which this waits
 */
export async function refuseLiveServers(
  change: BulkChange,
  now: number,
  wait: (ms: number) => Promise<unknown> = setTimeout,
): Promise<void> {
  const found = await heartbeatsAfter(change, now);
  if (found.size === 0) return;
  if (Math.min(...found.values()) > now + DEAD_AFTER_MS) {
    await wait(DEAD_AFTER_MS);
    const later = await heartbeatsAfter(change, now);
    if ([...later.keys()].every((writer) => found.has(writer))) return;
  }
  throw serverRuns();
}

const serverRuns = (cause?: unknown) =>
  new StartError(
    'A Lockyard server is running on this database. Stop all servers first. Nothing was changed.',
    { cause },
  );

/** When those that have not ended will, by their writers: every heartbeat has another one. */
async function heartbeatsAfter(change: BulkChange, now: number): Promise<Map<Cell, number>> {
  const rows = await change.select(HEARTBEATS);
  const found = rows.map(({ writer, head }) => [writer as Cell, Number(head)] as const);
  return new Map(found.filter(([, aliveUntil]) => aliveUntil > now));
}
