import type { BulkChange } from '@/db/bulk-change';
import { StartError } from '@/server/platform/start-error';
import { OWN_NAMESPACE } from '../engine/membership';

const PROCESSES = `select id, head from locks where id like '${OWN_NAMESPACE}/process/%'`;

/**
 * Refuses a database that a running server uses, by the heartbeats that servers write there. Throws
 * `StartError`.
 */
export async function refuseLiveServers(change: BulkChange, now: number): Promise<void> {
  const rows = await change.select(PROCESSES);
  if (!rows.some(({ head }) => Number(head) > now)) return;
  throw new StartError(
    'A Lockyard server is running on this database. Stop all servers first. Nothing was changed.',
  );
}

/** Data that an operator would miss. */
const CONTENTS: [word: string, sql: string][] = [
  ['users', 'from users'],
  ['API keys', 'from api_keys'],
  ['locks and counters', `from locks where id not like '${OWN_NAMESPACE}/%'`],
  ['audit entries', 'from audit'],
];

/** Refuses a database that has been used. Throws `StartError`. */
export async function refuseNonEmpty(change: BulkChange): Promise<void> {
  const found: string[] = [];
  for (const [word, from] of CONTENTS) {
    const [row] = await change.select(`select count(*) as found ${from}`);
    if (Number(row?.found) > 0) found.push(`${word} (${row?.found})`);
  }
  if (found.length === 0) return;
  throw new StartError(
    `The database is not empty: it has ${found.join(', ')}. --replace deletes all of it. Nothing was changed.`,
  );
}
