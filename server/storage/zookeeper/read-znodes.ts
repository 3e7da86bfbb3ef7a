import type { IdempotencyRecord } from '../../core/decision';
import { type StoredRecord, StoreError } from '../record-store';
import type { GuardedConnection } from './client/guarded-connection';
import { getChildren, getData } from './client/wire-calls';
import { decodeAnswerZnode, decodeRecordZnode } from './znode-codec';

/** A znode as it was last seen: its version and its content. */
export interface KnownZnode<T> {
  /** Null: there is no such znode. */
  version: number | null;
  /** Null: no content, whether or not there is a znode. */
  content: T | null;
}

/** A record's znode. */
export interface KnownRecordZnode extends KnownZnode<StoredRecord> {
  /** The child that holds the current queue; null: the znode itself does. */
  queueIn: string | null;
  /** All existing children: that one, and the previous one, which the next write removes. */
  children: string[];
}

/** No znode, as far as is known. */
export const ABSENT = { version: null, content: null };
export const NO_RECORD: KnownRecordZnode = { ...ABSENT, queueIn: null, children: [] };

/** How often a record may be written between the read of its znode and that of its queue. */
const TRIES = 50;

/**
 * A record and its queue. A queue in a child is never overwritten, so one that was read before is
 * not read again. If an operator has removed the child by hand, there is no queue.
 *
 * @param remembered the same record as it was last read
 * @param onReadAgain called if the record changes meanwhile and is read again: the result is then
 *   newer than what the caller reads at the same time
 * @throws StoreError
 */
export async function readRecord(
  connection: GuardedConnection,
  id: string,
  remembered: KnownRecordZnode | undefined,
  onReadAgain: () => void,
): Promise<KnownRecordZnode> {
  const path = connection.layout.record(id);
  let node = await connection.ask(getData(path));
  for (let tries = 0; node && tries < TRIES; tries += 1) {
    const { version, mtime } = node.stat;
    const { effective: content, queueIn, children } = decodeRecordZnode(node.data, mtime);
    const found = { version, content, queueIn, children };
    if (children.length === 0) return found;
    if (queueIn !== null && queueIn === remembered?.queueIn) {
      return withQueue(found, remembered.content?.queue ?? '');
    }
    // These reads may be later than the caller's proof, so they need one of their own.
    const [queue, listed, again] = await Promise.all([
      queueIn === null ? null : connection.ask(getData(connection.layout.queue(id, queueIn))),
      connection.ask(getChildren(path)),
      connection.ask(getData(path)),
      connection.prove(),
    ]);
    const there = { ...found, children: listed?.names ?? [] };
    if (queueIn === null) return there;
    if (queue) return withQueue(there, String(queue.data));
    const isRemoved = again?.stat.version === version;
    if (isRemoved) return { ...there, queueIn: null };
    node = again;
    onReadAgain();
  }
  if (node === null) return NO_RECORD;
  throw new StoreError('A record in ZooKeeper changes too often to be read.', 'no');
}

function withQueue(found: KnownRecordZnode, queue: string): KnownRecordZnode {
  return { ...found, content: found.content && { ...found.content, queue } };
}

export async function readAnswer(
  connection: GuardedConnection,
  key: string,
): Promise<KnownZnode<IdempotencyRecord>> {
  const node = await connection.ask(getData(connection.layout.answer(key)));
  if (node === null) return ABSENT;
  return { version: node.stat.version, content: decodeAnswerZnode(node.data, node.stat.mtime) };
}
