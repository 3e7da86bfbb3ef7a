import { expect, test } from 'vitest';
import { openTestDatabase } from '@/db/testing/test-database';
import { StoreIncarnation } from './store-incarnation';

test('a loss is told as quiet for one longest lease from the moment it was seen, also before it is mended', async () => {
  const database = await openTestDatabase('sqlite');
  try {
    const life = await StoreIncarnation.open(database, 'orders', 1);
    const first = await life.begin(await life.read(), null);
    await life.recordRun(first.life ?? '', { runId: 'whole' }, null);
    await life.recordLease(30_000);
    const seen = { what: 'empty', now: 1_000_000, epochAbove: 0, life: null } as const;
    const { life: next } = await life.begin(await life.read(), seen);
    expect(life.loss).toEqual({ at: 1_000_000, what: 'empty', grantsFrom: 1_030_000 });
    await life.startQuietPeriod(next ?? '', 1_002_000);
    await life.recordRun(next ?? '', { runId: 'whole' }, null);
    expect(life.loss).toEqual({ at: 1_000_000, what: 'empty', grantsFrom: 1_032_000 });
    await life.recordLease(90_000);
    expect(life.loss?.grantsFrom).toBe(1_032_000);
  } finally {
    await database.close();
  }
});

test('a memory that belongs to another backend in use is not taken from it, and one that was left behind is', async () => {
  const database = await openTestDatabase('sqlite');
  try {
    const orders = await StoreIncarnation.open(database, 'orders', 1);
    const { life } = await orders.begin(await orders.read(), null);
    const seen = { what: 'stranger', now: 1_000_000, epochAbove: 1, life } as const;
    const beside = await StoreIncarnation.open(database, 'billing', 1, ['orders']);
    await expect(beside.begin(await beside.read(), seen)).rejects.toThrow('"orders"');
    expect(beside.duplicate).toBe('orders');
    const after = await StoreIncarnation.open(database, 'billing', 1, []);
    expect(await after.begin(await after.read(), seen)).toMatchObject({ epoch: 2 });
  } finally {
    await database.close();
  }
});

test('a life that was found whole is not found again by whoever began to mend it before that and slept', async () => {
  const database = await openTestDatabase('sqlite');
  try {
    const fast = await StoreIncarnation.open(database, 'orders', 1);
    const slow = await StoreIncarnation.open(database, 'orders', 1);
    const { life } = await fast.begin(await fast.read(), null);
    expect((await slow.read()).runId).toBe(null);
    expect(await fast.recordRun(life ?? '', { runId: 'run' }, null)).toBe(true);
    expect(await slow.recordRun(life ?? '', { runId: 'run' }, null)).toBe(false);
    expect(await slow.recordRun(life ?? '', { runId: 'next run' }, 'run')).toBe(true);
  } finally {
    await database.close();
  }
});
