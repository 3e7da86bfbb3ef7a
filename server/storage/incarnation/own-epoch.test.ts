import { expect, it } from 'vitest';
import { openTestDatabase, TEST_DIALECTS } from '@/db/testing/test-database';
import { adoptOwnEpoch } from './own-epoch';

it.each(TEST_DIALECTS)(
  'no process lowers the epoch that another has stored in %s',
  async (dialect) => {
    const control = await openTestDatabase('sqlite');
    const own = await openTestDatabase(dialect);
    const adopt = (epoch: number) =>
      adoptOwnEpoch(control, own, 'orders', { epoch, grantsFrom: 0 }, 1);
    const adopted = async () => {
      const past = { epoch: 1, grantsFrom: 0 };
      await adoptOwnEpoch(control, own, 'orders', past, 1);
      return past.epoch;
    };
    try {
      await Promise.all([adopt(2), adopt(5)]);
      expect(await adopted()).toBe(5);
      await Promise.all([adopt(12), adopt(7)]);
      expect(await adopted()).toBe(12);
    } finally {
      await control.close();
      await own.close();
    }
  },
);
