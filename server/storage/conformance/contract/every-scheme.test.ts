import { expect, it } from 'vitest';
import { BACKEND_SCHEMES } from '@/db/urls/backend-url';
import { parseShardList } from '@/db/urls/shard-list';
import { storeNames } from '../testing/stores-under-test';
import { contractStores } from './contract-stores';

const isSecured = (scheme: string) => BACKEND_SCHEMES.includes(scheme.replace(/s$/, ''));
const known = BACKEND_SCHEMES.filter((scheme) => !scheme.endsWith('s') || !isSecured(scheme));

it('every scheme of a backend is tested by the contract', () => {
  expect(known.length).toBeGreaterThan(1);
  expect([...storeNames].sort()).toEqual(known.sort());
  expect(Object.keys(contractStores)).toEqual(expect.arrayContaining(known));
});

it('every scheme whose databases may be shards is also tested as a shard', () => {
  const sharding = known.filter((scheme) => {
    const urls = ['a', 'b'].map((host) => `${scheme}://${host}/1`);
    return typeof parseShardList('orders', urls.join()) !== 'string';
  });
  expect(sharding.length).toBeGreaterThan(0);
  const rows = sharding.map((scheme) => `${scheme}, as a shard`);
  expect(Object.keys(contractStores)).toEqual(expect.arrayContaining(rows));
});
