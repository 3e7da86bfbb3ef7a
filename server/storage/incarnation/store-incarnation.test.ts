import { expect, test, vi } from 'vitest';
import { openTestDatabase } from '@/db/testing/test-database';
import { StoreIncarnation } from './store-incarnation';

test('a detected data loss pauses grants for one longest lease, even before recovery', async () => {
  const database = await openTestDatabase('sqlite');
  try {
    const incarnation = await StoreIncarnation.open(database, 'orders', 1);
    const first = await incarnation.begin(await incarnation.read(), null);
    await incarnation.recordRun(first.incarnation ?? '', { runId: 'whole' }, null);
    await incarnation.recordLease(30_000);
    const seen = { what: 'empty', now: 1_000_000, epochAbove: 0, incarnation: null } as const;
    const { incarnation: next } = await incarnation.begin(await incarnation.read(), seen);
    expect(incarnation.loss).toEqual({ at: 1_000_000, what: 'empty', grantsFrom: 1_030_000 });
    await incarnation.startQuietPeriod(next ?? '', 1_002_000);
    await incarnation.recordRun(next ?? '', { runId: 'whole' }, null);
    expect(incarnation.loss).toEqual({ at: 1_000_000, what: 'empty', grantsFrom: 1_032_000 });
    await incarnation.recordLease(90_000);
    expect(incarnation.loss?.grantsFrom).toBe(1_032_000);
  } finally {
    await database.close();
  }
});

test('each running process reports a data loss once, and one of them as its own', async () => {
  const database = await openTestDatabase('sqlite');
  try {
    const found = await StoreIncarnation.open(database, 'orders', 1);
    const other = await StoreIncarnation.open(database, 'orders', 1);
    const first = await found.begin(await found.read(), null);
    await found.recordRun(first.incarnation ?? '', { runId: 'whole' }, null);
    await found.recordLease(30_000);
    const reported = [found, other].map((incarnation) => {
      const losses: { all: unknown[]; own: unknown[] } = { all: [], own: [] };
      incarnation.onLoss = (loss) => void losses.all.push(loss);
      incarnation.onOwnLoss = (loss) => void losses.own.push(loss);
      return losses;
    });
    const seen = { what: 'empty', now: 1_000_000, epochAbove: 0, incarnation: null } as const;
    const { incarnation: next } = await found.begin(await found.read(), seen);
    await other.read();
    await found.startQuietPeriod(next ?? '', 1_002_000);
    await found.recordRun(next ?? '', { runId: 'whole' }, null);
    await other.read();
    const loss = { at: 1_000_000, what: 'empty', grantsFrom: 1_030_000 };
    expect(reported).toEqual([
      { all: [loss], own: [loss] },
      { all: [loss], own: [] },
    ]);

    const later = await StoreIncarnation.open(database, 'orders', 1);
    later.onLoss = () => expect.unreachable('it was known at the start');
    await later.read();
  } finally {
    await database.close();
  }
});

test('a data loss soon after a restore pauses grants for as long as the restore does', async () => {
  const database = await openTestDatabase('sqlite');
  try {
    const { db, tables } = database;
    const incarnation = await StoreIncarnation.open(database, 'orders', 1);
    const first = await incarnation.begin(await incarnation.read(), null);
    await incarnation.recordRun(first.incarnation ?? '', { runId: 'whole' }, null);
    await incarnation.recordLease(30_000);
    const pauseMs = 3_600_000;
    const home = { id: 'default', epoch: 2, createdAt: 1, grantsFrom: Date.now() + pauseMs };
    await db.insert(tables.backends).values(home);
    const seen = { what: 'empty', now: 1_000_000, epochAbove: 0, incarnation: null } as const;
    const { incarnation: next } = await incarnation.begin(await incarnation.read(), seen);
    await incarnation.startQuietPeriod(next ?? '', 1_000_000);
    await incarnation.recordRun(next ?? '', { runId: 'whole' }, null);
    expect(incarnation.grantsFrom).toBeGreaterThan(1_000_000 + pauseMs - 60_000);
    expect(incarnation.grantsFrom).toBeLessThanOrEqual(1_000_000 + pauseMs + 1_000);
  } finally {
    await database.close();
  }
});

test('an overtaken reading does not shorten the pause after a data loss', async () => {
  const database = await openTestDatabase('sqlite');
  try {
    const incarnation = await StoreIncarnation.open(database, 'orders', 1);
    const first = await incarnation.begin(await incarnation.read(), null);
    await incarnation.recordRun(first.incarnation ?? '', { runId: 'whole' }, null);
    await incarnation.recordLease(30_000);
    const beforeLoss = await database.db.select().from(database.tables.backends);
    const seen = { what: 'empty', now: 1_000_000, epochAbove: 0, incarnation: null } as const;
    const { incarnation: next } = await incarnation.begin(await incarnation.read(), seen);

    let letThrough = () => {};
    const isLetThrough = new Promise<void>((resolve) => {
      letThrough = resolve;
    });
    const late = { from: () => ({ where: () => isLetThrough.then(() => beforeLoss) }) };
    vi.spyOn(database.db, 'select').mockReturnValueOnce(late as never);
    const slow = incarnation.read();

    await incarnation.startQuietPeriod(next ?? '', 1_002_000);
    await incarnation.recordRun(next ?? '', { runId: 'whole' }, null);
    letThrough();
    await slow;
    expect(incarnation.grantsFrom).toBe(1_032_000);
  } finally {
    await database.close();
  }
});

test('a clock that was ahead at an earlier data loss does not prolong the pause', async () => {
  const database = await openTestDatabase('sqlite');
  try {
    const incarnation = await StoreIncarnation.open(database, 'orders', 1);
    const first = await incarnation.begin(await incarnation.read(), null);
    await incarnation.recordRun(first.incarnation ?? '', { runId: 'whole' }, null);
    await incarnation.recordLease(30_000);
    for (const now of [9_000_000, 1_000_000]) {
      const seen = { what: 'empty', now, epochAbove: 0, incarnation: null } as const;
      const { incarnation: next } = await incarnation.begin(await incarnation.read(), seen);
      await incarnation.startQuietPeriod(next ?? '', now);
      await incarnation.recordRun(next ?? '', { runId: 'whole' }, null);
      expect(incarnation.grantsFrom).toBe(now + 30_000);
    }
  } finally {
    await database.close();
  }
});

test('a lease that is found in a store is recorded unless a longer one is', async () => {
  const database = await openTestDatabase('sqlite');
  try {
    const incarnation = await StoreIncarnation.open(database, 'orders', 1);
    const other = await StoreIncarnation.open(database, 'orders', 1);
    expect(await incarnation.recordFoundLease(30_000)).toBe(30_000);
    expect(await other.recordFoundLease(20_000)).toBe(30_000);
    expect((await incarnation.read()).longestLeaseMs).toBe(30_000);
  } finally {
    await database.close();
  }
});

test('a process that starts in a recovery decides in no epoch that the store accepts', async () => {
  const database = await openTestDatabase('sqlite');
  try {
    const one = await StoreIncarnation.open(database, 'orders', 1);
    const first = await one.begin(await one.read(), null);
    await one.recordRun(first.incarnation ?? '', { runId: 'whole' }, null);
    const seen = { what: 'empty', now: 1_000_000, epochAbove: 0, incarnation: null } as const;
    const { incarnation: next, epoch } = await one.begin(await one.read(), seen);
    const two = await StoreIncarnation.open(database, 'orders', 1);
    expect([one.epoch, two.epoch, epoch]).toEqual([1, 1, 2]);
    await one.recordRun(next ?? '', { runId: 'whole' }, null);
    await two.read();
    expect([one.epoch, two.epoch]).toEqual([2, 2]);
  } finally {
    await database.close();
  }
});

test('an incarnation of a backend in use is refused, of a removed one taken over', async () => {
  const database = await openTestDatabase('sqlite');
  try {
    const orders = await StoreIncarnation.open(database, 'orders', 1);
    const { incarnation } = await orders.begin(await orders.read(), null);
    const seen = { what: 'stranger', now: 1_000_000, epochAbove: 1, incarnation } as const;
    const beside = await StoreIncarnation.open(database, 'billing', 1, ['orders']);
    await expect(beside.begin(await beside.read(), seen)).rejects.toThrow('"orders"');
    expect(beside.duplicate).toBe('orders');
    const after = await StoreIncarnation.open(database, 'billing', 1, []);
    expect(await after.begin(await after.read(), seen)).toMatchObject({ epoch: 2 });
  } finally {
    await database.close();
  }
});

test('an incarnation found complete is not recorded again by a process that stalled', async () => {
  const database = await openTestDatabase('sqlite');
  try {
    const fast = await StoreIncarnation.open(database, 'orders', 1);
    const slow = await StoreIncarnation.open(database, 'orders', 1);
    const { incarnation } = await fast.begin(await fast.read(), null);
    expect((await slow.read()).runId).toBe(null);
    expect(await fast.recordRun(incarnation ?? '', { runId: 'run' }, null)).toBe(true);
    expect(await slow.recordRun(incarnation ?? '', { runId: 'run' }, null)).toBe(false);
    expect(await slow.recordRun(incarnation ?? '', { runId: 'next run' }, 'run')).toBe(true);
  } finally {
    await database.close();
  }
});
