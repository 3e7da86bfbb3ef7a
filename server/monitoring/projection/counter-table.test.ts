import { expect, test } from 'vitest';
import { NameCount } from '../../engine/names/name-count';
import { type CounterEntry, CounterTable } from './counter-table';

const entry = (rev: number, value: number | null): CounterEntry => ({
  id: 'default/shop/stock',
  ...{ namespace: 'shop', name: 'stock', backend: 'default', storeId: 'default' },
  ...{ rev, value, floor: null, ceiling: null, createdAt: 0, lastMove: null, readAt: 0 },
  searchText: 'shop/stock',
});

test('a counter that could not be read is shown again once it can, whatever its rev was', () => {
  const table = new CounterTable(new NameCount(() => 0));
  table.store(entry(8, 40));
  table.store(entry(7, 50));
  expect(table.get('default/shop/stock')).toMatchObject({ rev: 8, value: 40 });
  table.store(entry(9_000, null));
  table.store(entry(9, 41));
  expect(table.get('default/shop/stock')).toMatchObject({ rev: 9, value: 41 });
});
