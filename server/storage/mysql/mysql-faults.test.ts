import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { TcpProxy } from '@/test/tcp-proxy';
import {
  created,
  creation,
  eventOf,
  freshKey,
  readOne,
  stored,
  swapOne,
  update,
} from '../conformance/testing/changes';
import { type StoreUnderTest, storesUnderTest } from '../conformance/testing/stores-under-test';
import { recordId } from '../record-id';
import { type RecordKey, StoreError } from '../record-store';
import { MysqlConnection } from './mysql-connection';
import { MysqlStore } from './mysql-store';

/** A busy machine may be slow; what is tested is the answer. */
const PATIENT_MS = 10_000;
const SOON = { timeout: 25_000 };

let under: StoreUnderTest;
let url: string;
let foreign: Connection;
let store: MysqlStore;
let open: (timeoutMs?: number) => MysqlStore;

beforeAll(async () => {
  under = await storesUnderTest.mysql.open();
  url = under.database.mysqlUrl ?? '';
});
afterAll(() => under.close());

beforeEach(async () => {
  foreign = await createConnection({ uri: url });
  await foreign.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
  open = (callMaxMs = PATIENT_MS) => new MysqlStore(url, { callMaxMs });
  store = open();
});
afterEach(async () => {
  vi.restoreAllMocks();
  foreign.destroy();
  await store.close();
});

const bytes = (key: RecordKey) => Buffer.from(recordId(key), 'utf8');

/** Another client's transaction that has these rows locked. */
const lockRows = async (...keys: RecordKey[]) => {
  await foreign.query('START TRANSACTION');
  for (const key of keys) {
    await foreign.query('SELECT rev FROM locks WHERE id = ? FOR UPDATE', [bytes(key)]);
  }
};

const failureOf = (work: Promise<unknown>): Promise<StoreError> =>
  work.then(
    () => {
      throw new Error('It did not fail.');
    },
    (error) => {
      if (!(error instanceof StoreError)) throw error;
      return error;
    },
  );

/** The packet for a server without `INSERT … RETURNING`. */
const statementsOf = (write: Parameters<MysqlConnection['exchange']>[0]): string[] =>
  write({ packetBytesMax: 1e9, hasReturning: false }).statements;

/** The connection of a swap or a deletion that is under way. */
const swappingThread = async (): Promise<number> => {
  const find =
    'SELECT id FROM information_schema.processlist ' +
    "WHERE db = DATABASE() AND info REGEXP '^(INSERT INTO|UPDATE|DELETE FROM) locks'";
  const found = async () => {
    const [rows] = await foreign.query<RowDataPacket[]>(find);
    expect(rows).toHaveLength(1);
    return Number(rows[0]?.id);
  };
  return vi.waitFor(found, { timeout: 10_000 });
};

/**
 * Transactions that the server has open, without the test's own. The server updates this list at
 * most ten times a second.
 */
const openTransactions = async () => {
  await new Promise((resolve) => setTimeout(resolve, 150));
  const watcher = await createConnection({ uri: url });
  const [rows] = await watcher.query<RowDataPacket[]>(
    // Other tests use the same server, each with a database of its own.
    'SELECT id FROM information_schema.innodb_trx JOIN information_schema.processlist ' +
      'ON id = trx_mysql_thread_id WHERE db = DATABASE() AND id <> ?',
    [foreign.threadId],
  );
  await watcher.end();
  return rows.length;
};

/** With all that the server can do, and as on a server without `INSERT … RETURNING`. */
const inEachForm = (title: string, cases: () => void) =>
  describe.each([
    ['by RETURNING', true],
    ['by reading back', false],
  ])(`${title}, %s`, (_, usesReturning) => {
    beforeEach(() => {
      open = (callMaxMs = PATIENT_MS) => new MysqlStore(url, { callMaxMs, usesReturning });
      store = open();
    });
    cases();
  });

inEachForm('a deadlock', () => {
  /**
   * Two records that the other transaction locks in reverse order. Ours is the smaller transaction,
   * so it is the victim.
   */
  const deadlock = async () => {
    const [first, second] = [freshKey('dead'), freshKey('dead')].sort((a, b) =>
      Buffer.compare(bytes(a), bytes(b)),
    ) as [RecordKey, RecordKey];
    const seen = [await created(store, first), await created(store, second)] as const;
    await lockRows(second);
    await foreign.query(
      "INSERT INTO settings SELECT CONCAT('x', seq, ?), '', 0 FROM seq_1_to_2000",
      [recordId(first)],
    );
    const changes = [
      update(first, seen[0], { events: [eventOf(2)] }),
      update(second, seen[1], { events: [eventOf(2)] }),
    ];
    const swap = failureOf(store.swap(changes));
    await swappingThread();
    await foreign.query('SELECT rev FROM locks WHERE id = ? FOR UPDATE', [bytes(first)]);
    return { error: await swap, changes, keys: [first, second] };
  };

  it('is known to have changed nothing, and may be retried', async () => {
    const { error, keys } = await deadlock();
    expect(error).toMatchObject({ applied: 'no', retryable: true });
    await foreign.query('ROLLBACK');
    for (const key of keys) expect((await stored(store, key)).rev).toBe(1);
  });

  it('leaves a connection on which the same call succeeds', async () => {
    const before = await store.historyEnd();
    const { changes } = await deadlock();
    await expect.poll(openTransactions, SOON).toBe(0);
    await foreign.query('ROLLBACK');
    expect((await store.swap(changes)).map(({ applied }) => applied)).toEqual([true, true]);
    expect(await store.historyAfter(before, 10)).toHaveLength(1);
  });
});

inEachForm('changes that belong together', () => {
  /** A swap of three changes under way, two of them written and the third waiting for its row. */
  const stalled = async () => {
    const keys = [freshKey('set'), freshKey('set'), freshKey('set')].sort((a, b) =>
      Buffer.compare(bytes(a), bytes(b)),
    ) as [RecordKey, RecordKey, RecordKey];
    const [a, b, c] = keys;
    const changes = [
      creation(a, { events: [eventOf(1)] }),
      update(b, await created(store, b), { events: [eventOf(2)] }),
      update(c, await created(store, c), { events: [eventOf(2)] }),
    ];
    const end = await store.historyEnd();
    await lockRows(c);
    const error = failureOf(store.swapAll(changes));
    const thread = await swappingThread();
    const noneTook = async () => {
      await foreign.query('ROLLBACK');
      await expect.poll(openTransactions, SOON).toBe(0);
      expect((await readOne(store, a)).record).toBe(null);
      expect([(await stored(store, b)).rev, (await stored(store, c)).rev]).toEqual([1, 1]);
      expect(await store.historyAfter(end, 10)).toEqual([]);
    };
    return { error, thread, noneTook, changes };
  };

  it('are not applied at all when their connection is killed in the middle', async () => {
    const { error, thread, noneTook, changes } = await stalled();
    await foreign.query(`KILL ${thread}`);
    expect(await error).toMatchObject({ applied: 'unknown' });
    await noneTook();
    expect((await store.swapAll(changes)).map(({ applied }) => applied)).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('are all applied or none when their process dies in the middle', async () => {
    // The call ends before its wait for the row does.
    store = open(900);
    const { error, changes } = await stalled();
    await store.close();
    expect(await error).toMatchObject({ applied: 'unknown' });
    await foreign.query('ROLLBACK');
    await expect.poll(openTransactions, SOON).toBe(0);
    store = open();
    const { records } = await store.read(
      changes.map(({ key }) => key),
      [],
    );
    const landed = records.map(({ record }, i) => record?.writer === changes[i]?.writer);
    expect(new Set(landed).size).toBe(1);
  });
});

inEachForm('a row that another transaction keeps locked', () => {
  it('for too long ends the wait with nothing changed, and the same call succeeds', async () => {
    const patient = open();
    const [kept, beside] = [freshKey(), freshKey()];
    const seen = await created(patient, kept);
    await lockRows(kept);
    const changes = [
      creation(beside, { events: [eventOf(1)] }),
      update(kept, seen, { events: [eventOf(2)] }),
    ];
    const error = await failureOf(patient.swap(changes));
    expect(error).toMatchObject({ applied: 'no', retryable: true, isRowLocked: true });
    await expect.poll(openTransactions, SOON).toBe(0);
    expect((await readOne(store, beside)).record).toBe(null);
    await foreign.query('ROLLBACK');
    expect((await patient.swap(changes)).map(({ applied }) => applied)).toEqual([true, true]);
    await patient.close();
  });

  it('delays only those that need that row', async () => {
    const [kept, others] = [freshKey(), Array.from({ length: 20 }, () => freshKey())];
    await created(store, kept);
    await lockRows(kept);
    // The row stays locked: a call that had to wait for it would fail.
    for (const key of others) {
      const seen = await created(store, key);
      expect((await swapOne(store, update(key, seen))).applied).toBe(true);
    }
    const after = creation({ namespace: kept.namespace, name: `${kept.name}-after` });
    expect((await swapOne(store, after)).applied).toBe(true);
  });

  it('beyond the time of a packet leaves its effect unknown until a second swap', async () => {
    const hasty = open(900);
    const key = freshKey();
    const seen = await created(store, key);
    await lockRows(key);
    await vi.waitFor(() => stored(hasty, key), SOON);
    const first = update(key, seen, { events: [eventOf(2)] });
    expect(await failureOf(hasty.swap([first]))).toMatchObject({ applied: 'unknown' });
    await foreign.query('ROLLBACK');
    const second = { ...first, writer: 'second' };
    const { current } = await swapOne(store, second);
    expect([first.writer, 'second']).toContain(current?.writer);
    await expect.poll(openTransactions, SOON).toBe(0);
    expect((await stored(store, key)).writer).toBe(current?.writer);
    await hasty.close();
  });
});

inEachForm('a connection', () => {
  it('that is killed leaves its swap unknown, and the next call opens another', async () => {
    const key = freshKey();
    const seen = await created(store, key);
    await lockRows(key);
    const swap = failureOf(swapOne(store, update(key, seen)));
    await foreign.query(`KILL ${await swappingThread()}`);
    expect(await swap).toMatchObject({ applied: 'unknown' });
    await foreign.query('ROLLBACK');
    expect((await stored(store, key)).rev).toBe(1);
    expect((await swapOne(store, update(key, seen))).applied).toBe(true);
  });

  it('that breaks before its update is answered leaves record and history consistent', async () => {
    const server = new URL(url);
    const line = await TcpProxy.start(server.hostname, Number(server.port));
    server.port = String(line.port);
    const distant = new MysqlStore(server.href);
    const key = freshKey();
    const seen = await created(distant, key);
    await lockRows(key);
    const storedAnswer = {
      key: key.name,
      inputHash: 'hash',
      answer: 'done',
      expiresAt: Date.now() + 60_000,
    };
    const end = await store.historyEnd();
    const swap = failureOf(
      swapOne(distant, update(key, seen, { events: [eventOf(2)], storedAnswers: [storedAnswer] })),
    );
    await swappingThread();
    line.reset();
    expect(await swap).toMatchObject({ applied: 'unknown' });
    await foreign.query('ROLLBACK');
    await expect.poll(openTransactions, SOON).toBe(0);
    const { records, storedAnswers } = await store.read([key], [storedAnswer.key]);
    const landed = records[0]?.record?.rev === 2 ? 1 : 0;
    const entries = await store.historyAfter(end, 10);
    expect([entries.length, storedAnswers.length]).toEqual([landed, landed]);
    await distant.close();
    await line.close();
  });

  it('that is cut within a packet never takes the first answers for all of them', async () => {
    const connection = new MysqlConnection(url, PATIENT_MS);
    const cut = connection.packet(['DO 1', 'KILL CONNECTION_ID()', 'SELECT 3']);
    expect(await failureOf(cut)).toMatchObject({ applied: 'unknown' });
    expect(await connection.packet(['SELECT 4'])).toEqual([[[4]]]);
    connection.close();
  });

  it('that is killed while idle is replaced without a failed call', async () => {
    const key = freshKey();
    await created(store, key);
    const idle = async () => {
      const [rows] = await foreign.query<RowDataPacket[]>(
        'SELECT id FROM information_schema.processlist ' +
          "WHERE command = 'Sleep' AND db = DATABASE() AND id <> CONNECTION_ID()",
      );
      return rows;
    };
    for (const { id } of await idle()) await foreign.query(`KILL ${Number(id)}`);
    await expect.poll(idle).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await stored(store, key)).rev).toBe(1);
  });

  it('counts changed rows, not found ones, since its flags are known', async () => {
    const connection = new MysqlConnection(url, PATIENT_MS);
    const key = freshKey();
    await created(store, key);
    const [result] = await connection.packet([
      `UPDATE locks SET rev = rev WHERE id = x'${bytes(key).toString('hex')}'`,
    ]);
    expect(result).toMatchObject({ affectedRows: 0 });
    connection.close();
  });

  it('that was left while it opened is not used for the next packet', async () => {
    const connection = new MysqlConnection(url, PATIENT_MS);
    const used = async () => String(await connection.packet(['SELECT CONNECTION_ID()']));
    const first = used();
    connection.leave();
    const left = await first;
    const next = await used();
    expect(next).not.toBe(left);
    expect(await used()).toBe(next);
    connection.close();
    const open = () =>
      foreign.query(`SELECT 1 FROM information_schema.processlist WHERE id = ${left}`);
    await vi.waitFor(async () => expect((await open())[0]).toEqual([]), SOON);
  });

  it('is never opened again once the store is closed', async () => {
    await created(store, freshKey());
    await store.close();
    expect(await failureOf(store.read([freshKey()], []))).toMatchObject({ applied: 'no' });
    expect(await failureOf(store.swap([creation(freshKey())]))).toMatchObject({ applied: 'no' });
  });

  it('to a server that does not exist fails at once, with nothing changed', async () => {
    const absent = new MysqlStore('mysql://root@127.0.0.1:1/nothing');
    const error = await failureOf(absent.swap([creation(freshKey())]));
    expect(error).toMatchObject({ applied: 'no', retryable: false });
    await absent.close();
  });
});

describe('a server that is lost between a swap and the reading of its refused changes', () => {
  it('leaves the whole swap unknown', async () => {
    store = new MysqlStore(url, { usesReturning: false });
    const [took, lost] = [freshKey(), freshKey()];
    await created(store, lost);
    const { exchange } = MysqlConnection.prototype;
    vi.spyOn(MysqlConnection.prototype, 'exchange').mockImplementation(function (
      this: MysqlConnection,
      write,
    ) {
      const isSwap = statementsOf(write)[0] === 'START TRANSACTION';
      return isSwap
        ? exchange.call(this, write)
        : Promise.reject(new StoreError('The database cannot be reached.', 'no'));
    });
    const swap = store.swap([creation(took), creation(lost, { rev: 5 })]);
    const known = await swap.then(
      ([first]) => first?.applied,
      (error: StoreError) => error.applied,
    );
    expect([true, 'unknown']).toContain(known);
  });
});

describe('a deletion', () => {
  it('does not touch stored answers: expired ones are removed by a separate call', async () => {
    const key = freshKey();
    const seen = await created(store, key);
    const exchange = vi.spyOn(MysqlConnection.prototype, 'exchange');
    expect(await store.deleteRecords([{ key, ...seen }])).toEqual([true]);
    const sent = exchange.mock.calls.flatMap(([write]) => statementsOf(write));
    expect(sent.join()).not.toContain('lock_requests');
    exchange.mockRejectedValue(new StoreError('Another writer conflicted with this one.', 'no'));
    expect(await failureOf(store.deleteExpiredAnswers())).toMatchObject({ applied: 'no' });
  });

  it('locks rows in the same order as swaps, and answers in the requested order', async () => {
    const names = [freshKey(), freshKey(), freshKey()];
    const [a, b, c] = names.sort((x, y) => Buffer.compare(bytes(x), bytes(y))) as [
      RecordKey,
      RecordKey,
      RecordKey,
    ];
    const records = [
      { key: c, ...(await created(store, c)) },
      { key: a, ...(await created(store, a)) },
      { key: b, ...(await created(store, b)), rev: 9 },
    ];
    await lockRows(a);
    const deletion = store.deleteRecords(records);
    await swappingThread();
    await foreign.query('SELECT rev FROM locks WHERE id = ? FOR UPDATE NOWAIT', [bytes(c)]);
    await foreign.query('ROLLBACK');
    expect(await deletion).toEqual([true, true, false]);
    expect((await stored(store, b)).rev).toBe(1);
  });
});
