import { expect, test } from 'vitest';
import { openTestDatabase } from '@/db/test-database';
import { BackendLife } from './backend-life';

test('a loss is told as quiet for one longest lease from the moment it was seen, also before it is mended', async () => {
  const database = await openTestDatabase('sqlite');
  try {
    const life = await BackendLife.open(database, 'orders', 1);
    const first = await life.begin(await life.read(), null);
    await life.found(first.life ?? '', 'whole');
    await life.cover(30_000);
    const seen = { what: 'empty', now: 1_000_000, epochAbove: 0 } as const;
    const { life: next } = await life.begin(await life.read(), seen);
    expect(life.loss).toEqual({ at: 1_000_000, what: 'empty', grantsFrom: 1_030_000 });
    await life.keepQuiet(next ?? '', 1_002_000);
    await life.found(next ?? '', 'whole');
    expect(life.loss).toEqual({ at: 1_000_000, what: 'empty', grantsFrom: 1_032_000 });
    await life.cover(90_000);
    expect(life.loss?.grantsFrom).toBe(1_032_000);
  } finally {
    await database.close();
  }
});
