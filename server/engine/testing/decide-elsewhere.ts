import type { DecisionContext } from '../../core/decision';
import { decide } from '../../core/lock/decide';
import type { LockCommand } from '../../core/lock/lock-command';
import { decodeRecord, encodeRecord } from '../../storage/codec/record-codec';
import { readOne, swapOne, update } from '../../storage/conformance/testing/changes';
import type { Store } from '../../storage/conformance/testing/stores-under-test';
import type { RecordKey } from '../../storage/record-store';

/** Runs a command on an existing lock as another process would, without its engine. */
export async function decideElsewhere(
  store: Store,
  key: RecordKey,
  command: LockCommand,
  by: Pick<DecisionContext, 'process' | 'isAlive'>,
): Promise<void> {
  const { record, now } = await readOne(store, key);
  const known = record && decodeRecord(record);
  if (!record || !known) throw new Error('There is no such record.');
  const policy = { queueLimit: 200, lockDelayMs: 0 };
  const context = { now, epoch: 1, ...by, callerOf: () => null, storedAnswer: null, policy };
  const { next, events } = decide(known.record, command, context);
  if (!next) throw new Error('It changes nothing.');
  const { head, queue } = encodeRecord(next, known);
  await swapOne(store, update(key, record, { head, queue, events }));
}
