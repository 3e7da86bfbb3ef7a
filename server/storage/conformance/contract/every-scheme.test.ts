import { expect, it } from 'vitest';
import { parseBackendUrl } from '@/db/urls/backend-url';
import { parseShardList } from '@/db/urls/shard-list';
import { storeNames } from '../testing/stores-under-test';
import { contractStores } from './contract-stores';

const complaint = String(parseBackendUrl('nothing:there', '/'));
const [schemes = ''] = complaint.split(',');
const known = [...schemes.matchAll(/([a-z]+):/g)].map(([, scheme]) => scheme ?? '');

it('every scheme of a backend is tested by the contract', () => {
  expect(known.length).toBeGreaterThan(1);
  expect([...storeNames].sort()).toEqual(known.sort());
  expect(Object.keys(contractStores)).toEqual(expect.arrayContaining(known));
});

it('so is every scheme whose databases may be shards, as a shard', () => {
  const sharding = known.filter((scheme) => {
    const urls = ['a', 'b'].map((host) => `${scheme}://${host}/1`);
    return typeof parseShardList('orders', urls.join()) !== 'string';
  });
  expect(sharding.length).toBeGreaterThan(0);
  const rows = sharding.map((scheme) => `${scheme}, as a shard`);
  expect(Object.keys(contractStores)).toEqual(expect.arrayContaining(rows));
});
