import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { unwrittenRecord } from '../../core/lock/lock-record';
import { RecordCache } from './record-cache';

const CAPACITY = 100;

function remembering(ids: string[]): RecordCache {
  const records = new RecordCache(CAPACITY);
  for (const id of ids) remember(records, id);
  return records;
}

function remember(records: RecordCache, id: string): void {
  records.entryOf(id).known = { record: unwrittenRecord(1), writer: id, storedQueue: [] };
}

const numbered = (word: string, many: number) =>
  Array.from({ length: many }, (_, i) => `${word}-${i}`);

const known = (records: RecordCache, ids: string[]) =>
  ids.filter((id) => records.get(id)?.writer === id);

it('the cache keeps no more records than its size', () => {
  const ids = numbered('lock', 3 * CAPACITY);
  const records = remembering(ids);
  expect(known(records, ids)).toEqual(ids.slice(-CAPACITY));
});

it('a record that is used again outlives those that are not', () => {
  const hot = numbered('hot', CAPACITY / 2);
  const records = remembering(hot);
  for (const passing of numbered('passing', 20 * CAPACITY)) {
    remember(records, passing);
    for (const id of hot) records.entryOf(id);
  }
  expect(known(records, hot)).toEqual(hot);
});

it('checking whether a record is cached adds no entry', () => {
  const ids = numbered('lock', CAPACITY);
  const records = remembering(ids);
  for (const stranger of numbered('stranger', CAPACITY)) records.get(stranger);
  expect(known(records, ids)).toEqual(ids);
});

it('an evicted record is no longer known, even if its entry is still referenced', () => {
  const records = remembering(['lock']);
  const place = records.entryOf('lock');
  records.evict('lock');
  expect(place.known).not.toBeNull();
  expect(records.get('lock')).toBeNull();
});

it('repeated evictions leak no memory', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const ids = numbered('lock', CAPACITY);
  const records = remembering([...ids, 'one more']);
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = used();
  for (let round = 0; round < 1_000; round += 1) {
    for (const id of ids.slice(0, CAPACITY / 2)) records.evict(id);
    for (const id of ids.slice(0, CAPACITY / 2)) remember(records, id);
  }
  expect(used() - before).toBeLessThan(4_000_000);
  expect(known(records, ['one more'])).toEqual(['one more']);
});
