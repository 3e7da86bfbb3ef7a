import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { BACKEND_SCHEMES } from '@/db/urls/backend-url';
import { parseShardList } from '@/db/urls/shard-list';
import { serversUnderTest } from '../testing/servers-under-test';

const isSecured = (scheme: string) => BACKEND_SCHEMES.includes(scheme.replace(/s$/, ''));
const known = BACKEND_SCHEMES.filter((scheme) => !scheme.endsWith('s') || !isSecured(scheme));

it('every scheme of a backend has its bad days, alone and as shards', () => {
  const sharding = known.filter((scheme) => {
    const urls = ['a', 'b'].map((host) => `${scheme}://${host}/1`);
    return typeof parseShardList('orders', urls.join()) !== 'string';
  });
  expect(sharding.length).toBeGreaterThan(0);
  const expected = [...known, ...sharding.map((scheme) => `sharded ${scheme}`)];
  expect(Object.keys(serversUnderTest).sort()).toEqual(expected.sort());
});

it('every store with bad days is tested in a file of its own', () => {
  const files = readdirSync(import.meta.dirname);
  const names = Object.keys(serversUnderTest);
  const expected = names.map((name) => `${name.replaceAll(' ', '-')}.test.ts`);
  expect(files).toEqual(expect.arrayContaining(expected));
});
