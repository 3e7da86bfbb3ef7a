import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '@/db/database';
import { migrate } from '@/db/migrate';
import { openSqlite } from '@/db/sqlite/open-sqlite';
import type { SqliteFile } from '@/db/sqlite/sqlite-file';
import { creation, eventOf, freshKey, readOne, swapOne } from '../conformance/testing/changes';
import { SqliteStore } from './sqlite-store';

let folder: string;
let database: Database;
let store: SqliteStore;
let passedMs: number;
/** For each write, in order: whether the store reported its caller as alone. */
let wereAlone: boolean[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ly-sqlite-lone-'));
  passedMs = 0;
  wereAlone = [];
  database = await openSqlite(join(folder, 'lockyard.db'));
  await migrate(database);
  const clock = { now: () => passedMs, monotonic: () => passedMs };
  store = await SqliteStore.open(observed(database.sqlite as SqliteFile), clock);
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const observed = (file: SqliteFile): SqliteFile => ({
  ...file,
  write: (job, isAlone) =>
    file.write(async (writer) => {
      const result = await job(writer);
      wereAlone.push(isAlone?.() ?? false);
      return result;
    }, isAlone),
});

const swapOneOf = (namespace?: string) => swapOne(store, creation(freshKey(namespace)));

it('reports a caller as alone if callers arrive one at a time', async () => {
  for (let i = 0; i < 3; i += 1) expect((await swapOneOf()).applied).toBe(true);
  expect(wereAlone).toEqual([true, true, true]);
});

it('reports neither two simultaneous callers as alone, nor the next ones for 250 ms', async () => {
  await Promise.all([swapOneOf(), swapOneOf()]);
  await store.swap([creation(freshKey()), creation(freshKey())]);
  await swapOneOf();
  expect(wereAlone).toEqual([false, false, false, false]);
  passedMs += 250;
  await swapOneOf();
  expect(wereAlone.at(-1)).toBe(true);
});

it('reports no caller as alone beside one that reads', async () => {
  await Promise.all([swapOneOf(), readOne(store, freshKey())]);
  expect(wereAlone).toEqual([false]);
});

it('reports no two callers of one lock as alone', async () => {
  await swapOne(store, creation(freshKey(), { events: [eventOf(1), eventOf(1, 'w2')] }));
  expect(wereAlone).toEqual([false]);
});

it("does not count Lockyard's own records as callers", async () => {
  await Promise.all([swapOneOf('.lockyard'), swapOneOf(), readOne(store, freshKey('.lockyard'))]);
  await store.swap([creation(freshKey('.lockyard')), creation(freshKey())]);
  expect(wereAlone).toEqual([true, true, true]);
});
