import { type FileHandle, open } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Database } from '@/db/database';
import { openTestDatabase } from '@/db/testing/test-database';
import { systemClock } from '../../platform/clock';
import { created, creation, eventOf, freshKey, readOne } from '../conformance/testing/changes';
import { openStore } from '../open-store';
import type { HistorySource, RecordStore } from '../record-store';

let database: Database;
let store: RecordStore & HistorySource;
beforeEach(async () => {
  database = await openTestDatabase('sqlite');
  store = await openStore({ kind: 'sqlite', path: '' }, database, systemClock);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await database.close();
});

const pages = async (sql: string) => {
  const answer = await database.sqlite?.write((writer) => writer.execute(sql));
  return Number(answer?.rows[0]?.[0]);
};

it('a full disk is reported with nothing changed; once there is space the file works', async () => {
  const key = freshKey();
  await created(store, key);
  const limit = await pages('pragma max_page_count');
  await pages(`pragma max_page_count = ${await pages('pragma page_count')}`);
  const change = creation(freshKey(), { queue: 'q'.repeat(100_000), events: [eventOf(1)] });
  const refused = { applied: 'no', refusal: expect.stringContaining('is full') };
  await expect(store.swap([change])).rejects.toMatchObject(refused);
  await expect(store.swapAll([change])).rejects.toMatchObject(refused);
  expect((await readOne(store, change.key)).record).toBe(null);
  expect((await readOne(store, key)).record).not.toBe(null);
  await pages(`pragma max_page_count = ${limit}`);
  expect(await store.swap([change])).toMatchObject([{ applied: true }]);
});

it('a failing disk is reported, and the file works again once the log was rewritten', async () => {
  const handle = await open(import.meta.filename);
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  await created(store, freshKey());
  const disk = vi.spyOn(prototype, 'datasync').mockRejectedValue(new Error('EIO'));
  const refusal = expect.stringContaining('did not reach its disk');
  const doubtful = [creationWithEvent(), creationWithEvent()];
  // Two at once, so that neither is flushed on the event loop.
  const written = await Promise.allSettled(doubtful.map((change) => store.swap([change])));
  const error = expect.objectContaining({ applied: 'unknown', refusal });
  expect(written).toContainEqual({ status: 'rejected', reason: error });
  const later = creationWithEvent();
  await expect(store.swap([later])).rejects.toMatchObject({ applied: 'no', refusal });
  await expect(store.read([later.key], [])).rejects.toMatchObject({ applied: 'no', refusal });
  disk.mockRestore();
  const read = async () => (await readOne(store, later.key)).record;
  await expect.poll(() => read().catch(() => 'refused'), { timeout: 5_000 }).toBe(null);
  for (const { key, writer } of doubtful) {
    expect((await readOne(store, key)).record).toMatchObject({ writer });
  }
  expect(await store.swap([later])).toMatchObject([{ applied: true }]);
});

const creationWithEvent = () => creation(freshKey(), { events: [eventOf(1)] });
