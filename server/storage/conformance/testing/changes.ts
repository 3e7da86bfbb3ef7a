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
 * How a change differs from the default one, which creates its record, has no deadline and no
 * events.
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
    memos: [],
    extensions: [],
    ...parts,
  };
}

/** The next rev of a record that was seen, with its queue left alone. */
export function update(
  key: RecordKey,
  seen: { rev: number; writer: string },
  parts: ChangeOverrides = {},
): Change {
  const expect = { rev: seen.rev, writer: seen.writer };
  return creation(key, { expect, rev: seen.rev + 1, queue: null, ...parts });
}

/** A line of history with nothing but a kind, a rev and an owner. */
export const eventOf = (rev: number, owner = 'w1'): LockEvent => ({
  kind: 'renewed',
  at: 1_000,
  rev,
  service: 'orders',
  owner,
  token: rev,
});

export async function swapOne(store: RecordStore, change: Change): Promise<SwapResult> {
  const [result] = await store.swap([change]);
  if (!result) throw new Error('A swap said nothing of its change.');
  return result;
}

/** The same in company: with a change that surely takes. */
export async function swapBesideAnother(store: RecordStore, change: Change): Promise<SwapResult> {
  const [result, company] = await store.swap([change, creation(freshKey())]);
  if (!result || !company?.applied) throw new Error('A swap did not take what surely takes.');
  return result;
}

export async function readOne(
  store: RecordStore,
  key: RecordKey,
): Promise<{ record: StoredRecord | null; now: number }> {
  const { records } = await store.read([key], []);
  const [read] = records;
  if (!read) throw new Error('A read said nothing of its key.');
  return read;
}

/** The record, which must be there. */
export async function stored(store: RecordStore, key: RecordKey): Promise<StoredRecord> {
  const { record } = await readOne(store, key);
  if (!record) throw new Error('There is no such record.');
  return record;
}

/** Creates a record and answers what a later change may expect. */
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
