import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPrivateMariadb } from '@/scripts/servers/private-mariadb.mjs';
import { LabRig } from './testing/lab-rig';

/** Settings that an operator may choose for other programs. */
const SETTINGS = [
  '--sql-mode=NO_BACKSLASH_ESCAPES,ANSI_QUOTES,EMPTY_STRING_IS_NULL',
  '--autocommit=0',
  '--default-storage-engine=MyISAM',
  '--transaction-isolation=SERIALIZABLE',
  '--max-connections=151',
];

/** Settings that protect a server from careless statements. */
const LIMITS =
  'sql_safe_updates = 1, sql_select_limit = 2, max_statement_time = 0.04, ' +
  "completion_type = 'CHAIN'";

let mysql: Awaited<ReturnType<typeof startPrivateMariadb>>;
let rig: LabRig;
beforeAll(async () => {
  mysql = await startPrivateMariadb({ durable: false, settings: SETTINGS });
  const root = await createConnection({ uri: mysql.url });
  await root.query(`SET GLOBAL ${LIMITS}`);
  await root.end();
  rig = await LabRig.open({ servers: { mysql: mysql.url } });
});
afterAll(async () => {
  await rig?.close();
  await LabRig.removePrograms();
  await mysql.stop();
});

const STRATEGIES = [
  ...['row-lock', 'with-row-lock', 'central-table-lock', 'holder-table-lock'],
  ...['bounded-table-counter', 'optimistic-version'],
];

test('a MySQL configured for other programs can be raced on like any other', async () => {
  const load = { workers: 6, stock: 12, thinkMs: 10, perEntryMs: 30_000 };
  const { rows, last } = await rig.race({ strategies: STRATEGIES, ...load });
  expect(last).toEqual({ kind: 'finished', endedBy: 'done' });
  expect(rows).toHaveLength(STRATEGIES.length);
  for (const row of rows) {
    expect(row, JSON.stringify(row)).toMatchObject({ sold: 12, oversold: 0, verdict: 'holds' });
  }
});

test('a race with the default load takes no more connections than a server has', async () => {
  const { rows } = await rig.race({ strategies: ['sharded-row-lock'], stock: 12 });
  expect(rows).toMatchObject([{ sold: 12, oversold: 0, verdict: 'holds' }]);
});
