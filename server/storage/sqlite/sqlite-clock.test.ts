import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { creation, freshKey, readOne, swapOne } from '../conformance/testing/changes';
import { openBackend } from '../open-store';
import type { HistorySource, RecordStore } from '../record-store';

let folder: string;
let store: RecordStore & HistorySource;
let wallMs: number;
let passedMs: number;
/** How long the process is stopped after each reading of a clock. */
let stoppedMs: number;
const key = freshKey();

const open = async () => {
  const thenStop = (read: number) => {
    passedMs += stoppedMs;
    return read;
  };
  const clock = {
    now: () => thenStop(wallMs + passedMs),
    monotonic: () => thenStop(passedMs),
  };
  store = await openBackend({ kind: 'sqlite', path: join(folder, 'lockyard.db') }, clock);
};
const now = async () => (await readOne(store, key)).now;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ly-sqlite-clock-'));
  wallMs = Date.UTC(2026, 0, 1);
  passedMs = 0.25;
  stoppedMs = 0;
  await open();
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

it('continues at normal speed if the clock of the machine is set back', async () => {
  const before = await now();
  wallMs -= 30_000;
  expect(await now()).toBe(before);
  passedMs += 1_500;
  expect(await now()).toBe(before + 1_500);
  passedMs += 60_000;
  expect(await now()).toBe(before + 61_500);
});

it('follows the clock of the machine if that is ahead', async () => {
  const before = await now();
  wallMs += 10_000;
  expect(await now()).toBe(before + 10_000);
});

it('is not ahead of the machine if the process is stopped between its two readings', async () => {
  stoppedMs = 40;
  await now();
  stoppedMs = 0;
  passedMs += 1;
  expect(await now()).toBe(Math.floor(wallMs + passedMs));
});

it('begins no earlier than a stored instant, and continues from there', async () => {
  passedMs += 5_000;
  const { now: storedAt } = await swapOne(store, creation(key));
  await store.close();
  wallMs -= 30_000;
  await open();
  expect(await now()).toBe(storedAt);
  passedMs += 2_000;
  expect(await now()).toBe(storedAt + 2_000);
});
