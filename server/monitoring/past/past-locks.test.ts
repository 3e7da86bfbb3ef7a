import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '@/db/database';
import { openTestDatabase } from '@/db/testing/test-database';
import type { LockEvent } from '../../core/lock/lock-event';
import { recordId } from '../../storage/record-id';
import { eventRows, insertionsOf } from '../history/recorder/event-rows';
import { TimeSlice } from '../lock-list/order/time-slice';
import { readFormerLock, readPastLocks } from './past-locks';

const AT = 1_800_000_000_000;
const GRANTED_AT = AT - 60_000;
const LATER = AT + 60_000;

let database: Database;

/** What any store has. */
const ofAnyStore = (at = AT) => ({
  database,
  publicIds: new Map([['default', 'default']]),
  atOf: () => at,
  lockDelayMsOf: () => 0,
});

beforeAll(async () => {
  database = await openTestDatabase('sqlite');
  const commit = (name: string, rev: number, kind: LockEvent['kind'], at: number, more: object) => {
    const event = { kind, at, rev, service: 'orders', owner: 'w1', token: 7, ...more };
    return {
      id: rev,
      at,
      changes: [{ key: { namespace: 'default', name }, rev, events: [event] }],
    };
  };
  const rows = eventRows('default', [
    commit('left', 1, 'granted', GRANTED_AT, { waitedMs: 0, expiresAt: GRANTED_AT + 5_000 }),
    commit('used', 2, 'granted', GRANTED_AT, { waitedMs: 0, expiresAt: AT + 60_000 }),
    commit('left', 3, 'expired', GRANTED_AT + 5_000, { heldMs: 5_000 }),
    commit('used', 4, 'released', AT + 5_000, { heldMs: AT + 5_000 - GRANTED_AT }),
    commit('gone', 5, 'granted', AT - 1_000, { waitedMs: 0, expiresAt: AT + 60_000 }),
    // The clock was set back.
    commit('gone', 6, 'asked', AT - 9_000, { by: 'Ana', reason: 'deploy' }),
    commit('gone now', 7, 'granted', AT, { waitedMs: 0, expiresAt: AT + 60_000 }),
    commit('gone later', 8, 'granted', LATER - 3_000, { waitedMs: 0, expiresAt: LATER + 60_000 }),
    commit('gone later', 9, 'queued', LATER - 2_000, { owner: 'w2', token: undefined }),
    commit('gone later', 10, 'timeout', LATER + 1_000, {
      ...{ owner: 'w2', token: undefined, waitedMs: 3_000 },
    }),
  ]);
  await database.raw.batch(insertionsOf(database.kind, rows), false);
});
afterAll(() => database.close());

/** What is read of `used`, which is held, and `left`, which has an incident. */
async function read(lookedIntoMax: number) {
  const lockId = recordId({ namespace: 'default', name: 'left' });
  const { rows, isCut } = await readPastLocks(
    {
      ...ofAnyStore(),
      open: { rows: [], isLagging: false, silent: new Map() },
      knownUntilOf: () => AT,
      others: [{ store: 'default', lockId }],
      slice: new TimeSlice(() => AT),
    },
    lookedIntoMax,
  );
  const found = rows.map(({ key, record }) => {
    return [key.name, record.holds.length, record.ended?.cause ?? null];
  });
  return { found, isCut };
}

test('a lock whose lease had expired is shown as such, however many others were held', async () => {
  const all = [
    ['left', 0, 'expired'],
    ['used', 1, null],
  ];
  expect(await read(1)).toEqual({ found: all, isCut: false });
});

test('a lock of which nothing could be read is left out, and the page says so', async () => {
  expect(await read(0)).toEqual({ found: [['used', 1, null]], isCut: true });
});

/** What is read of a lock of a backend that is no longer configured. */
async function readFormer(name: string) {
  const lockId = recordId({ namespace: 'default', name });
  const { row, isKnown } = await readFormerLock(ofAnyStore(), 'gone', lockId, null);
  return { isKnown, readAt: row.readAt, holds: row.record.holds };
}

test('a hold of a removed backend without an end is shown as of the latest event', async () => {
  const hold = { token: 7, grantedAt: AT - 1_000, expiresAt: AT + 60_000 };
  const askedToRelease = { by: 'Ana', reason: 'deploy', at: AT - 9_000 };
  expect(await readFormer('gone')).toMatchObject({
    isKnown: false,
    readAt: AT - 1_000,
    holds: [{ ...hold, askedToRelease }],
  });
});

test('a lock of a removed backend is known at the instant of its last event', async () => {
  const hold = { token: 7, grantedAt: AT, expiresAt: AT + 60_000 };
  expect(await readFormer('gone now')).toMatchObject({ isKnown: true, readAt: AT, holds: [hold] });
});

test('a hold of a removed backend without an end is shown with a wait that has one', async () => {
  const lockId = recordId({ namespace: 'default', name: 'gone later' });
  const from = ofAnyStore(LATER);
  const { rows } = await readPastLocks({
    ...from,
    open: { rows: [], isLagging: false, silent: new Map() },
    knownUntilOf: () => LATER,
    others: [],
    slice: new TimeSlice(() => AT),
  });
  const [found] = rows;
  expect(found?.record).toMatchObject({ holds: [], queue: [{ owner: 'w2' }] });
  const { row, isKnown } = await readFormerLock(from, 'default', lockId, found ?? null);
  expect({ isKnown, record: row.record }).toMatchObject({
    isKnown: false,
    record: { holds: [{ owner: 'w1', token: 7 }], queue: [{ owner: 'w2' }] },
  });
});
