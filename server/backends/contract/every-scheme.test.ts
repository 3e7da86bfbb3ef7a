import { expect, it } from 'vitest';
import { parseBackendUrl } from '@/db/backend-url';
import { storeNames } from '../testing/stores-under-test';
import { contractStores } from './contract-stores';

it('every scheme that a backend may have is put to the contract', () => {
  const complaint = String(parseBackendUrl('nothing:there', '/'));
  const [schemes = ''] = complaint.split(',');
  const known = [...schemes.matchAll(/([a-z]+):/g)].map(([, scheme]) => scheme ?? '');
  expect(known.length).toBeGreaterThan(1);
  expect([...storeNames].sort()).toEqual(known.sort());
  expect(Object.keys(contractStores)).toEqual(expect.arrayContaining(known));
});
