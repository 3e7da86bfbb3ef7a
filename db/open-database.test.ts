import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from './database';
import { openTestDatabase, TEST_DIALECTS } from './testing/test-database';

describe.each(TEST_DIALECTS)('the control database on %s', (dialect) => {
  let database: Database;
  beforeAll(async () => {
    database = await openTestDatabase(dialect);
  });
  afterAll(() => database.close());

  const setting = (id: string, changedAt = 1) => ({ id, value: `value of ${id}`, changedAt });

  test('returns what was written, whatever letters it has', async () => {
    const { db, tables } = database;
    const row = {
      intent: 'gives-back',
      at: Date.UTC(2026, 0, 1),
      actor: 'Zoë 🔒',
      actorKind: 'user' as const,
      address: '::1',
      act: 'lock.extend',
      namespace: 'default',
      subject: 'jób 🔑 ',
      reason: 'because\n‮of\t"it"',
      seen: '{}',
      outcome: 'pending',
      result: '{}',
      closedAt: null,
    };
    await db.insert(tables.audit).values(row);
    const [found] = await db.select().from(tables.audit).where(eq(tables.audit.intent, row.intent));
    expect(found).toEqual({ ...row, id: expect.any(Number) });
  });

  test('keeps integers up to 2^53 - 1 exactly', async () => {
    const { db, tables } = database;
    await db.insert(tables.settings).values(setting('big', Number.MAX_SAFE_INTEGER));
    const [row] = await db.select().from(tables.settings).where(eq(tables.settings.id, 'big'));
    expect(row?.changedAt).toBe(Number.MAX_SAFE_INTEGER);
  });

  test.each(['é', '🔑', '\ud800', ' '])(
    'finds nothing under a code that is none: %j',
    async (code) => {
      const { db, tables } = database;
      const { audit, users } = tables;
      expect(await db.select().from(users).where(eq(users.id, code))).toEqual([]);
      expect(await db.select().from(audit).where(eq(audit.act, code))).toEqual([]);
    },
  );

  test('distinguishes names that differ in case, accents or trailing spaces', async () => {
    const { db, tables } = database;
    const { users } = tables;
    const names = ['job', 'JOB', 'job ', 'jób', 'jo\u0301b'];
    const rows = names.map((name, index) => ({
      id: `exact-${index}`,
      name,
      role: 'viewer' as const,
      passwordHash: '',
      createdAt: 1,
      disabledAt: null,
    }));
    await db.insert(users).values(rows);
    for (const [index, name] of names.entries()) {
      const found = await db.select().from(users).where(eq(users.name, name));
      expect(found.map(({ id }) => id)).toEqual([`exact-${index}`]);
    }
  });

  test('distinguishes a duplicate key from any other failure', async () => {
    const { db, tables } = database;
    await db.insert(tables.settings).values(setting('twice'));
    const again = db.insert(tables.settings).values(setting('twice'));
    await expect(again).rejects.toSatisfy((error) => database.isDuplicateKey(error));
    const broken = db.update(tables.settings).set({ value: sql`no_such_column` }).where(sql`1 = 1`);
    await expect(broken).rejects.toSatisfy((error) => !database.isDuplicateKey(error));
  });

  test('counts the rows that a write matched, changed or not', async () => {
    const { db, tables } = database;
    const { settings } = tables;
    await db.insert(settings).values([setting('count-1'), setting('count-2')]);
    const both = inArray(settings.id, ['count-1', 'count-2']);
    const write = () => db.update(settings).set({ changedAt: 7 }).where(both);
    expect(database.affectedRows(await write())).toBe(2);
    expect(database.affectedRows(await write())).toBe(2);
    expect(database.affectedRows(await db.delete(settings).where(both))).toBe(2);
    expect(database.affectedRows(await db.delete(settings).where(both))).toBe(0);
  });

  test('orders, limits and joins', async () => {
    const { db, tables } = database;
    const { settings } = tables;
    const rows = ['c', 'a', 'b'].map((letter, index) => setting(`order-${letter}`, 100 + index));
    await db.insert(settings).values(rows);
    const found = await db
      .select({ id: settings.id, by: tables.users.name })
      .from(settings)
      .leftJoin(tables.users, eq(tables.users.id, settings.id))
      .where(and(gt(settings.changedAt, 99), sql`${settings.id} like 'order-%'`))
      .orderBy(asc(settings.id))
      .limit(2);
    expect(found).toEqual([
      { id: 'order-a', by: null },
      { id: 'order-b', by: null },
    ]);
  });

  test('applies all of a transaction or nothing', async () => {
    const { db, tables } = database;
    const { settings } = tables;
    const failing = database.transaction(async (tx) => {
      await tx.insert(settings).values(setting('half'));
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    expect(await db.select().from(settings).where(eq(settings.id, 'half'))).toEqual([]);
  });

  test('loses no update of ten callers that read and write one row at once', async () => {
    const { db, tables } = database;
    const { settings } = tables;
    const isCounter = eq(settings.id, 'counter');
    await db.insert(settings).values(setting('counter', 0));
    const increment = () =>
      database.transaction(async (tx) => {
        const [row] = await database.forUpdate(tx.select().from(settings).where(isCounter));
        const changedAt = (row?.changedAt ?? 0) + 1;
        await tx.update(settings).set({ changedAt }).where(isCounter);
      });
    const single = (id: string) => db.insert(settings).values(setting(`beside-${id}`));
    // Each waits for its previous call: of a hundred at once, the last would wait longer for a
    // connection than the database allows.
    const caller = async (_: unknown, name: number) => {
      for (let i = 0; i < 10; i += 1) await Promise.all([increment(), single(`${name}-${i}`)]);
    };
    await Promise.all(Array.from({ length: 10 }, caller));
    const [row] = await db.select().from(settings).where(isCounter);
    expect(row?.changedAt).toBe(100);
  });

  test('repeats a transaction that the database rolled back because of a deadlock', async () => {
    const { db, tables } = database;
    const { settings } = tables;
    await db.insert(settings).values([setting('lock-a', 0), setting('lock-b', 0)]);
    const addTo = (first: string, second: string) =>
      database.transaction(async (tx) => {
        for (const id of [first, second]) {
          const isIt = eq(settings.id, id);
          await tx.update(settings).set({ changedAt: sql`changed_at + 1` }).where(isIt);
        }
      });
    const crossing = () => [addTo('lock-a', 'lock-b'), addTo('lock-b', 'lock-a')];
    for (let i = 0; i < 2; i += 1) await Promise.all(Array.from({ length: 5 }, crossing).flat());
    const rows = await db
      .select()
      .from(settings)
      .where(inArray(settings.id, ['lock-a', 'lock-b']));
    expect(rows.map(({ changedAt }) => changedAt)).toEqual([20, 20]);
  });
});
