import { expect, test } from 'vitest';
import {
  type BackendHealth,
  outagesOf,
  outageText,
  refusalText,
  type ShardHealth,
} from './backend-health';

const SERVES = { reachable: true };
const SILENT = { reachable: false };
const REJECTS = { reachable: false, refusal: 'It is read-only.' };

const withShards = (...shards: object[]) => ({ ...SILENT, shards: shards as ShardHealth[] });

test('a store that rejects requests is not said to be not responding', () => {
  expect(outagesOf(SERVES)).toEqual([]);
  expect(outagesOf({ ...REJECTS, reachable: true })).toEqual([]);
  expect(outagesOf(SILENT)).toEqual(['not responding']);
  expect(outagesOf(REJECTS)).toEqual(['rejecting requests']);
});

test('a backend of which shards reject requests reads like a plain one', () => {
  expect(outagesOf(withShards(SERVES, REJECTS))).toEqual(['rejecting requests']);
  expect(outagesOf(withShards(REJECTS, SERVES, SILENT))).toEqual([
    'not responding',
    'rejecting requests',
  ]);
  expect(outagesOf(withShards(SERVES, SILENT))).toEqual(['not responding']);
  // It has been read again only in part.
  expect(outagesOf(withShards(SERVES))).toEqual(['not responding']);
  const disabled = { ...withShards(SERVES, REJECTS), refusal: 'Another list is in force.' };
  expect(outagesOf(disabled)).toEqual(['disabled on this server']);
});

test('backends that fail to serve are named by how they fail', () => {
  const backends = [
    { id: 'cache', ...REJECTS },
    { id: 'orders', ...SILENT },
    { id: 'jobs', ...withShards(SILENT, REJECTS) },
    { id: 'again', ...SERVES },
  ] as BackendHealth[];
  expect(outageText([], backends)).toBe('');
  expect(outageText(['cache'], backends)).toBe('cache rejecting requests');
  expect(outageText(['orders', 'cache', 'again', 'jobs'], backends)).toBe(
    'orders, again not responding; cache rejecting requests; ' +
      'jobs not responding or rejecting requests',
  );
});

test('the reasons of shards name them', () => {
  expect(refusalText(REJECTS)).toBe('It is read-only.');
  expect(refusalText({ ...REJECTS, reachable: true })).toBe('');
  const full = { ...SILENT, name: 'db3/c', refusal: 'It is full.' };
  const shards = withShards(SERVES, SILENT, { ...REJECTS, name: 'db2/b' }, full);
  expect(refusalText(shards)).toBe('On db2/b: It is read-only. On db3/c: It is full.');
});
