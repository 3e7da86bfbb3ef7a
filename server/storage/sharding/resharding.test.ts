import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openTestDatabase } from '../../../db/testing/test-database';
import { parseShardList, type ShardList } from '../../../db/urls/shard-list';
import { LEASE_MAX_MS } from '../../contract/namespace-policy';
import { rendezvousHash } from '../../core/rendezvous-hash';
import { encodeCounter } from '../codec/counter-codec';
import { created, eventOf, freshKey, readOne } from '../conformance/testing/changes';
import { createScratchTables } from '../conformance/testing/stores-under-test';
import { MysqlStore } from '../mysql/mysql-store';
import { CLOCK } from '../mysql/packets/sql-text';
import { recordId } from '../record-id';
import type { RecordKey } from '../record-store';
import { openShard } from './open-shard';
import { Resharding } from './resharding';
import { ShardAdmission } from './shard-admission';
import { ShardMapStamp, servingStamp } from './shard-map-stamp';

const BACKEND = 'orders';

let databases: { url: string; drop(): Promise<void> }[] = [];
const stores: MysqlStore[] = [];
beforeEach(async () => {
  const server = process.env.TEST_MYSQL_URL ?? '';
  databases = await Promise.all([1, 2, 3, 4].map(() => createScratchTables(server)));
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const store of stores.splice(0)) await store.close();
  for (const { drop } of databases) await drop();
});

function listOf(places: number[], leaving: number[] = []): ShardList {
  const urls = (some: number[]) => some.map((index) => databases[index]?.url);
  const text = [...urls(places), ...urls(leaving).map((url) => `leaving:${url}`)].join();
  const list = parseShardList(BACKEND, text);
  if (typeof list === 'string') throw new Error(list);
  return list;
}

const noneRecorded = async () => 0;

/** Puts a list into force in an epoch. */
async function reshard(list: ShardList, epoch: number, recordedOf = noneRecorded) {
  const resharding = await Resharding.begin(BACKEND, list);
  try {
    const done = await resharding.move(epoch, recordedOf);
    await resharding.serve(epoch, done.grantsFrom);
    return done;
  } finally {
    await resharding.close();
  }
}

/** Runs `work` with the admission of a process that starts with this list. */
async function whileAdmitting(
  list: ShardList,
  work: (admission: ShardAdmission) => Promise<void>,
): Promise<void> {
  for (const shard of list.shards) stores.push(await openShard(shard, { stamp: null }));
  const database = await openTestDatabase('sqlite');
  const clock = { now: () => Date.now(), monotonic: () => performance.now() };
  const onChange = () => {};
  const admission = new ShardAdmission({ backend: BACKEND, list, database, clock, onChange });
  try {
    await admission.start();
    await work(admission);
  } finally {
    admission.close();
    await database.close();
  }
}

/** The shard that keeps a record, as a process with this list sees it. */
async function homeOf(list: ShardList, key: RecordKey, epoch: number): Promise<MysqlStore> {
  const shard = list.shards[rendezvousHash(list.shards.map(({ name }) => name))(recordId(key))];
  if (!shard) throw new Error('There is no such shard.');
  const store = await openShard(shard, { stamp: servingStamp(list, epoch) });
  stores.push(store);
  return store;
}

const counterKeys = () =>
  Array.from({ length: 20 }, (): RecordKey => ({ ...freshKey(), kind: 'counter' }));

const COUNTER = encodeCounter({
  rev: 1,
  value: 7,
  floor: null,
  ceiling: null,
  createdAt: 1_000,
  lastMove: null,
  answersUntil: 1_000,
}).head;

/** Empties a database, as if it had been recreated. */
async function recreate(index: number): Promise<void> {
  const connection = await createConnection({ uri: databases[index]?.url ?? '' });
  await connection.query("DELETE FROM settings WHERE id LIKE 'shard.%'");
  for (const table of ['locks', 'lock_requests', 'lock_history']) {
    await connection.query(`TRUNCATE ${table}`);
  }
  await connection.end();
}

it('a reshard superseded by another moves nothing more, and does not apply its list', async () => {
  const [first, second, third] = [listOf([0, 1]), listOf([1, 2], [0]), listOf([0, 2], [1])];
  await reshard(first, 2);
  const keys = counterKeys();
  for (const key of keys) await created(await homeOf(first, key, 2), key, { head: COUNTER });

  const slow = await Resharding.begin(BACKEND, second);
  const { deleteRecords } = MysqlStore.prototype;
  const deletion = vi.spyOn(MysqlStore.prototype, 'deleteRecords');
  deletion.mockImplementationOnce(async function (this: MysqlStore, records) {
    await reshard(third, 4);
    return deleteRecords.call(this, records);
  });
  await expect(slow.move(3, noneRecorded)).rejects.toMatchObject({
    reason: 'CONFLICT',
    message: expect.stringMatching(/Another reshard .* has begun/),
  });
  await expect(slow.serve(3, 0)).rejects.toMatchObject({ reason: 'CONFLICT' });
  await slow.close();
  for (const key of keys) {
    const { record } = await readOne(await homeOf(third, key, 4), key);
    expect(record?.head, key.name).toBe(COUNTER);
  }
});

it('a list of new databases is not served beside the list that it names as leaving', async () => {
  const [first, second] = [listOf([0, 1]), listOf([2, 3], [0, 1])];
  await reshard(first, 2);
  await whileAdmitting(second, async (admission) => {
    expect(admission.refusal).toMatch(/keeps its locks on .*, which is to leave/);
    await reshard(second, 3);
    await expect.poll(() => admission.refusal, { timeout: 20_000 }).toBe(null);
  });
});

it('a list of new databases is served if those it names as leaving were never used', async () => {
  await whileAdmitting(listOf([0, 1], [2, 3]), async (admission) => {
    expect(admission.refusal).toBe(null);
  });
});

it('of two reshards that start from the same state at most one moves records', async () => {
  const [first, second, third] = [listOf([0, 1]), listOf([1, 2], [0]), listOf([0, 2], [1])];
  await reshard(first, 2);
  const slow = await Resharding.begin(BACKEND, second);
  await reshard(third, 3);
  await expect(slow.move(3, noneRecorded)).rejects.toMatchObject({ reason: 'CONFLICT' });
  await slow.close();
  expect(await Resharding.begin(BACKEND, third).catch(({ message }) => message)).toMatch(
    /is served with this list already/,
  );
});

it('two names of one database are refused before a record is moved', async () => {
  const twice = databases.slice(0, 1).map(({ url }) => url.replace('127.0.0.1', 'localhost'));
  const list = parseShardList(BACKEND, [databases[0]?.url, databases[1]?.url, ...twice].join());
  if (typeof list === 'string') throw new Error(list);
  const swap = vi.spyOn(MysqlStore.prototype, 'swap');
  await expect(reshard(list, 2)).rejects.toMatchObject({
    reason: 'CONFLICT',
    message: expect.stringMatching(/are one database. No record was moved/),
  });
  expect(swap).not.toHaveBeenCalled();
  await reshard(listOf([0, 1]), 3);
  await expect(reshard(list, 4)).rejects.toMatchObject({
    reason: 'CONFLICT',
    message: expect.stringMatching(/are one database.* Nothing was changed/),
  });
  const key = freshKey();
  await created(await homeOf(listOf([0, 1]), key, 3), key);
});

it('a shard recreated during an interrupted move is treated as having lost grants', async () => {
  const [first, second] = [listOf([0, 1]), listOf([0, 1, 2])];
  await reshard(first, 2);
  const broken = await Resharding.begin(BACKEND, second);
  vi.spyOn(ShardMapStamp.prototype, 'ask').mockRejectedValueOnce(new Error('The machine died.'));
  await expect(broken.move(3, noneRecorded)).rejects.toThrow('The machine died.');
  await broken.close();
  await recreate(1);
  const before = Date.now();
  const { grantsFrom } = await reshard(second, 4);
  expect(grantsFrom).toBeGreaterThan(before + LEASE_MAX_MS - 60_000);
});

it('a control database older than a reshard learns its pause from the shards', async () => {
  const list = listOf([0, 1]);
  await reshard(list, 2);
  await recreate(1);
  const { grantsFrom } = await reshard(list, 3);
  await whileAdmitting(list, async (admission) => {
    expect(admission.past).toEqual({ epoch: 3, grantsFrom });
  });
  await reshard(listOf([0, 1, 2]), 4);
  await whileAdmitting(listOf([0, 1, 2]), async (admission) => {
    expect(admission.past).toEqual({ epoch: 4, grantsFrom });
  });
});

it('the history of a recreated shard continues above what is recorded of it', async () => {
  const list = listOf([0, 1]);
  await reshard(list, 2);
  await recreate(0);
  await reshard(list, 3, async () => 5_000);
  for (const key of Array.from({ length: 10 }, () => freshKey())) {
    const store = await homeOf(list, key, 3);
    await created(store, key, { events: [eventOf(1)] });
    const rows = await store.historyAfter(5_000, 20);
    const names = rows.flatMap(({ changes }) => changes.map((change) => change.key.name));
    expect(names).toContain(key.name);
  }
});

it('more answers than fit into one packet are moved in several', async () => {
  const [first, second] = [listOf([0, 1]), listOf([1, 2], [0])];
  await reshard(first, 2);
  const answers = 10;
  const from = await createConnection({ uri: databases[0]?.url ?? '' });
  for (let i = 0; i < answers; i += 1) {
    await from.query(
      'INSERT INTO lock_requests (id, input_hash, answer, expires_at, lock_id) VALUES ' +
        "(?, '', REPEAT('a', @@max_allowed_packet / 8), 9e15, NULL)",
      [`request-${i}`],
    );
  }
  await from.end();
  await reshard(second, 3);
  const to = await createConnection({ uri: databases[2]?.url ?? '' });
  const [[row]] = await to.query<RowDataPacket[]>('SELECT COUNT(*) AS moved FROM lock_requests');
  await to.end();
  expect(row?.moved).toBe(answers);
});

it('a moved answer is kept as long as before, by the clock of its new shard', async () => {
  const [first, second] = [listOf([0, 1]), listOf([1, 2], [0])];
  await reshard(first, 2);
  const [leftMs, aheadMs] = [10 * 60_000, 20 * 60_000];
  const expiresAt = Date.now() + leftMs;
  const from = await createConnection({ uri: databases[0]?.url ?? '' });
  await from.query(
    'INSERT INTO lock_requests (id, input_hash, answer, expires_at, lock_id) VALUES ' +
      "('request', '', '{}', ?, NULL)",
    [expiresAt],
  );
  await from.end();
  const { ask } = ShardMapStamp.prototype;
  vi.spyOn(ShardMapStamp.prototype, 'ask').mockImplementation(function (
    this: ShardMapStamp,
    statements,
  ) {
    const isAhead = this.shard.url === databases[2]?.url;
    const clock = isAhead ? `(${CLOCK} + ${aheadMs})` : CLOCK;
    const asked = statements.map((statement) => statement.replaceAll(CLOCK, clock));
    return ask.call(this, asked);
  });
  await reshard(second, 3);
  const expiryOn = async (place: number) => {
    const connection = await createConnection({ uri: databases[place]?.url ?? '' });
    const [[row]] = await connection.query<RowDataPacket[]>('SELECT expires_at FROM lock_requests');
    await connection.end();
    return Number(row?.expires_at);
  };
  const slackMs = 60_000;
  expect(await expiryOn(1)).toBeGreaterThan(expiresAt - slackMs);
  expect(await expiryOn(1)).toBeLessThan(expiresAt + slackMs);
  expect(await expiryOn(2)).toBeGreaterThan(expiresAt + aheadMs - slackMs);
});

it('a record too large for its new shard is not taken for a write of another program', async () => {
  const [first, second] = [listOf([0, 1]), listOf([1, 2], [0])];
  await reshard(first, 2);
  for (const key of counterKeys()) {
    await created(await homeOf(first, key, 2), key, { head: COUNTER });
  }
  vi.spyOn(MysqlStore.prototype, 'swap').mockImplementationOnce(async (changes) =>
    changes.map(() => ({ applied: false, now: 1, current: null, isTooLarge: true })),
  );
  await expect(reshard(second, 3)).rejects.toThrow(/^A record is more than the shard .* accepts/);
  await reshard(second, 4);
});

it('a shard that cannot be used says why', async () => {
  const list = listOf([0, 1]);
  await reshard(list, 2);
  const newer = await createConnection({ uri: databases[1]?.url ?? '' });
  await newer.query("INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('', 9e12)");
  await newer.end();
  const refused = Resharding.begin(BACKEND, listOf([0, 1, 2]));
  await expect(refused).rejects.toThrow(/ cannot be used: The database has a newer schema /);
});
