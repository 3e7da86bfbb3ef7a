import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseBackendUrl } from '@/db/backend-url';
import { serversUnderTest } from '../testing/servers-under-test';

const complaint = String(parseBackendUrl('nothing:there', '/'));
const [schemes = ''] = complaint.split(',');
const known = [...schemes.matchAll(/([a-z]+):/g)].map(([, scheme]) => scheme ?? '');

it('every scheme that a backend may have has its bad days', () => {
  expect(known.length).toBeGreaterThan(1);
  expect(Object.keys(serversUnderTest).sort()).toEqual(known.sort());
});

it('every store that has bad days lives through them in a file of its own', () => {
  const files = readdirSync(import.meta.dirname);
  const expected = Object.keys(serversUnderTest).map((name) => `${name}.test.ts`);
  expect(files).toEqual(expect.arrayContaining(expected));
});
