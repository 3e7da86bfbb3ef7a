import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../../db/database';
import { openTestDatabase } from '../../../db/testing/test-database';
import { parseShardList } from '../../../db/urls/shard-list';
import { systemClock } from '../../platform/clock';
import { createScratchDatabase, testMysqlUrl } from '../conformance/testing/stores-under-test';
import { ShardAdmission } from './shard-admission';

let database: Database;
let scratch: Awaited<ReturnType<typeof createScratchDatabase>>;
beforeAll(async () => {
  database = await openTestDatabase('sqlite');
  scratch = await createScratchDatabase(testMysqlUrl());
});
afterAll(async () => {
  await scratch?.drop();
  await database?.close();
});

it('a backend that cannot begin says why each of its shards does not answer', async () => {
  const denied = Object.assign(new URL(scratch.url), { password: 'wrong', pathname: '/other' });
  const list = parseShardList('orders', `${scratch.url},${denied.href}`);
  if (typeof list === 'string') throw new Error(list);
  const admission = new ShardAdmission({
    backend: 'orders',
    list,
    database,
    clock: systemClock,
    onChange: () => undefined,
  });
  await admission.start();
  expect(admission.refusal).toMatch(/cannot begin before all of its shards answer/);
  expect(admission.refusal).toMatch(/refuses the user or the password/);
  expect(admission.refusal).toMatch(/lacks a table/);
  admission.close();
});
