import { expect, test } from 'vitest';
import { ZnodeCache } from './znode-cache';

const HEAD = 'x'.repeat(100);

const version = (number: number) => ({
  version: number,
  content: { rev: number + 1, writer: 'w', head: HEAD, queue: '' },
  queueIn: null,
  children: [],
});

test('records stay cached however often others are written', () => {
  const cache = new ZnodeCache();
  const ids = Array.from({ length: 10_000 }, (_, i) => `lock-${i}`);
  for (const id of ids) cache.noteRecord(id, version(0));
  for (let written = 1; written <= 200_000; written += 1) {
    cache.noteRecord('busy', version(written));
  }
  expect(ids.filter((id) => cache.record(id) === undefined)).toEqual([]);
});

test('of too many records the least recently written are dropped, never the latest', () => {
  const cache = new ZnodeCache();
  for (let i = 0; i < 200_000; i += 1) cache.noteRecord(`lock-${i}`, version(0));
  expect(cache.record('lock-0')).toBeUndefined();
  expect(cache.record('lock-199999')).toEqual(version(0));
});

test('a dropped record uses no space, and is unknown', () => {
  const cache = new ZnodeCache();
  cache.noteRecord('kept', version(0));
  for (let i = 0; i < 200_000; i += 1) {
    cache.noteRecord(`lock-${i}`, version(0));
    cache.dropRecord(`lock-${i}`);
  }
  expect(cache.record('lock-5')).toBeUndefined();
  expect(cache.record('kept')).toEqual(version(0));
});
