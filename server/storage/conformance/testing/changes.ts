import type { CounterEvent } from '../../../core/counter/counter-event';
import type { LockEvent } from '../../../core/lock/lock-event';
import { newWriter } from '../../../engine/new-writer';
import type { Change, RecordKey, RecordStore, StoredRecord, SwapResult } from '../../record-store';

let lastName = 0;

/** A key that no other test uses. */
export function freshKey(namespace = 'default'): RecordKey {
  lastName += 1;
  return { namespace, name: `lock-${lastName}-${newWriter()}` };
}

/**
 * The fields in which a change differs from the default one, which creates its record and has no
 * deadline and no events.
 */
export type ChangeOverrides = Partial<Omit<Change, 'key'>>;

export function creation(key: RecordKey, parts: ChangeOverrides = {}): Change {
  return {
    key,
    expect: null,
    clock: { past: 0, ahead: Number.POSITIVE_INFINITY },
    writer: newWriter(),
    rev: 1,
    head: 'head',
    queue: '',
    events: [],
    storedAnswers: [],
    extensions: [],
    ...parts,
  };
}

/** A change to the next rev of a record, which leaves its queue unchanged. */
export function update(
  key: RecordKey,
  seen: { rev: number; writer: string },
  parts: ChangeOverrides = {},
): Change {
  const expect = { rev: seen.rev, writer: seen.writer };
  return creation(key, { expect, rev: seen.rev + 1, queue: null, ...parts });
}

/** A minimal event of a lock with a given rev and owner. */
export const eventOf = (rev: number, owner = 'w1'): LockEvent => ({
  kind: 'renewed',
  at: 1_000,
  rev,
  service: 'orders',
  owner,
  token: rev,
});

/** A minimal event of a counter with a given rev and reason. */
export const counterEventOf = (rev: number, reason = 'sale'): CounterEvent => ({
  kind: 'adjusted',
  at: 1_000,
  rev,
  service: '',
  value: rev,
  delta: 1,
  reason,
});

export async function swapOne(store: RecordStore, change: Change): Promise<SwapResult> {
  const [result] = await store.swap([change]);
  if (!result) throw new Error('A swap returned no result for its change.');
  return result;
}

/** As `swapOne`, together with a change that is always applied. */
export async function swapBesideAnother(store: RecordStore, change: Change): Promise<SwapResult> {
  const [result, other] = await store.swap([change, creation(freshKey())]);
  if (!result || !other?.applied) throw new Error('A swap did not apply the other change.');
  return result;
}

export async function readOne(
  store: RecordStore,
  key: RecordKey,
): Promise<{ record: StoredRecord | null; now: number }> {
  const { records } = await store.read([key], []);
  const [read] = records;
  if (!read) throw new Error('A read returned nothing for its key.');
  return read;
}

/** The record; throws if there is none. */
export async function stored(store: RecordStore, key: RecordKey): Promise<StoredRecord> {
  const { record } = await readOne(store, key);
  if (!record) throw new Error('There is no such record.');
  return record;
}

/** Creates a record and returns the version that a later change can expect. */
export async function created(
  store: RecordStore,
  key: RecordKey,
  parts: ChangeOverrides = {},
): Promise<{ rev: number; writer: string }> {
  const change = creation(key, parts);
  const { applied } = await swapOne(store, change);
  if (!applied) throw new Error('A record could not be created.');
  return { rev: change.rev, writer: change.writer };
}
