import type { Pool, RowDataPacket } from 'mysql2/promise';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NotGranted } from '../not-granted';
import { openEnded } from '../testing/open-ended';
import { openScratchMysql, type ScratchMysql } from '../testing/scratch-mysql';
import {
  createLockResource,
  createLockResourceTable,
  transactionId,
  withLockResource,
} from './lock-resource';
import { SessionLocks, withSessionLock } from './session-locks';

let scratch: ScratchMysql;
let pool: Pool;
let locks: SessionLocks;
beforeEach(async () => {
  scratch = await openScratchMysql();
  pool = scratch.pool();
  await createLockResourceTable(pool);
  await createLockResource(pool, 'shirts');
  locks = new SessionLocks(pool);
});
afterEach(() => scratch.close());

const sessionOf = async (connection: Pick<Pool, 'query'>): Promise<number> => {
  const [rows] = await connection.query<RowDataPacket[]>('SELECT CONNECTION_ID() AS id');
  return rows[0]?.id;
};
const ownSession = async () => sessionOf(await locks.connection());

test('creating a resource that exists is not an error, and makes no second one', async () => {
  const many = await Promise.all(Array.from({ length: 20 }, () => createLockResource(pool, 'new')));
  expect(many.filter((made) => made === 'created')).toHaveLength(1);
  expect(many.filter((made) => made === 'exists')).toHaveLength(19);
});

test('different business fields make different ids, and letters differ by case', async () => {
  expect(transactionId('a:b', 'c')).not.toBe(transactionId('a', 'b:c'));
  expect(transactionId('a%3Ab', 'c')).not.toBe(transactionId('a:b', 'c'));
  expect(() => transactionId('w'.repeat(127), 'x')).toThrow(RangeError);
  expect(await createLockResource(pool, 'Shirts')).toBe('created');
});

test('callers that lock resources that do not exist yet do not deadlock', async () => {
  const notes: string[] = [];
  const note = (what: string) => void notes.push(what);
  const names = Array.from({ length: 30 }, (_, i) => `resource-${i % 3}`);
  await Promise.all(names.map((id) => withLockResource(pool, id, async () => {}, { note })));
  expect(notes).toEqual([]);
});

test('a caller waits for a held resource no longer than it has asked for', async () => {
  const holder = openEnded();
  const held = withLockResource(pool, 'shirts', holder.work);
  await holder.begun;
  const notes: string[] = [];
  const options = { waitMs: 1_000, note: (what: string) => void notes.push(what) };
  await expect(withLockResource(pool, 'shirts', async () => {}, options)).rejects.toThrow(
    NotGranted,
  );
  expect(notes).toEqual(['conflict']);
  holder.end();
  await held;
});

test('each caller locks and commits on its own connection', async () => {
  await createLockResource(pool, 'shoes');
  const caller = (id: string) =>
    locks.asCaller(async () => {
      expect(await locks.lock(id)).toBe(true);
      const session = await ownSession();
      await (async () => expect(await ownSession()).toBe(session))();
      await locks.commit();
      return session;
    });
  const [first, second] = await Promise.all([caller('shirts'), caller('shoes')]);
  expect(first).not.toBe(second);
});

test('a missing row answers false, and leaves nothing locked', async () => {
  await locks.asCaller(async () => {
    expect(await locks.lock('hats')).toBe(false);
    expect(await createLockResource(pool, 'hats')).toBe('created');
    expect(await locks.lock('hats')).toBe(true);
  });
  await expect(withSessionLock(locks, 'gloves', async () => {})).rejects.toThrow(NotGranted);
});

test('a rollback undoes the work and frees the lock; so does leaving with no commit', async () => {
  await pool.query('CREATE TABLE written (id INT NOT NULL)');
  const write = async () => {
    await locks.lock('shirts');
    await (await locks.connection()).query('INSERT INTO written VALUES (1)');
  };
  await locks.asCaller(async () => {
    await write();
    await locks.rollback();
    await expect(locks.connection()).rejects.toThrow('This caller has no lock.');
  });
  await locks.asCaller(write);
  await locks.asCaller(async () => {
    expect(await locks.lock('shirts')).toBe(true);
    const [rows] = await (await locks.connection()).query('SELECT id FROM written');
    expect(rows).toEqual([]);
  });
});

test("a lock without a caller's context is refused", async () => {
  await expect(locks.lock('shirts')).rejects.toThrow('asCaller');
});
