import { createConnection } from 'mysql2/promise';
import { expect, test } from 'vitest';
import { migrate } from '@/db/migrate';
import { openDatabase } from '@/db/open-database';
import { startPrivateMariadb } from '@/scripts/servers/private-mariadb.mjs';
import { NAMED_OWNERS_MAX, type RefusalCounts } from '../../core/statistics/refusal-counts';
import { refusalsByMinute, writeRefusals } from './refusal-rows';

const PACKET_BYTES = 1024 * 1024;
const LOCKS = 500;

const NOW = 1_800_000_000_000;
const SPAN = { attempts: 1_000, token: 2 ** 50, firstAt: NOW, lastAt: NOW };
const POD = 'payments-reconciliation-worker-7f9c8d6b54-x2k9p';

/** As of a lock for which many pods with long names compete. */
const COUNTS: RefusalCounts = {
  all: SPAN,
  owners: Array.from({ length: NAMED_OWNERS_MAX }, (_, i) => {
    return { service: 'payments-reconciliation', owner: `${POD}:reconciliation-${i}`, ...SPAN };
  }),
  others: SPAN,
};

test('refused attempts on hundreds of locks are written to a MySQL of small packets', async () => {
  const server = await startPrivateMariadb({
    durable: false,
    settings: [`--max-allowed-packet=${PACKET_BYTES}`],
  });
  const root = await createConnection({ uri: server.url });
  await root.query('CREATE DATABASE lockyard');
  await root.end();
  const database = await openDatabase({ kind: 'mysql', url: `${server.url}/lockyard` });
  await migrate(database);
  const row = { backend: 'default', minute: 60_000, process: 'p1', counts: COUNTS };
  const rows = Array.from({ length: LOCKS }, (_, i) => ({ ...row, lockId: `default/job ${i}` }));
  await writeRefusals(database, rows);
  const time = { since: 0, until: 60_000 };
  for (const { lockId } of [rows[0], rows.at(-1)].flatMap((each) => each ?? [])) {
    const [counted] = await refusalsByMinute(database, 'default', lockId, time);
    expect(counted).toEqual({ minute: 60_000, refused: SPAN.attempts });
  }
  await database.close();
  await server.stop();
});
