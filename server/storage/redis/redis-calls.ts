import type { Redis } from 'ioredis';
import { appliedResult } from '../applied-result';
import type { ServerRun } from '../incarnation/incarnation-row';
import { recordId } from '../record-id';
import type { Change, ReadResult, RecordKey, SwapResult } from '../record-store';
import {
  decodeAnswer,
  lostTo,
  requireList,
  storedRecord,
  swapArguments,
  unreadableReply,
} from './redis-codec';
import { READ, SWAP, SWAP_IN_CLUSTER } from './redis-script';

/** What a connection was admitted with. Its scripts get these values, and check them first. */
export interface Admitted extends Required<ServerRun> {
  incarnation: string;
  epoch: number;
  /** Whether the server is a node of a cluster. */
  isCluster: boolean;
  /** The last heartbeat seen; rises while the connection is used. */
  heartbeat: number;
}

/** The first arguments of every script. */
export function admissionArgs({
  incarnation,
  heartbeat,
  replicationId,
  isDurable,
}: Admitted): [string, string] {
  return [incarnation, `${heartbeat} ${replicationId} ${Number(isDurable)}`];
}

export async function readRecords(
  redis: Redis,
  admitted: Admitted,
  keys: RecordKey[],
  requestKeys: string[],
): Promise<ReadResult & { now: number }> {
  const ids = keys.map(recordId);
  const reply = await READ.run(redis, [
    ...admissionArgs(admitted),
    ids.length,
    ...ids,
    ...requestKeys,
  ]);
  const answersFrom = 1 + 2 * ids.length;
  const list = requireList(reply, answersFrom + 2 * requestKeys.length);
  const now = list[0] as number;
  return {
    now,
    records: keys.map((key, i) => {
      const text = list[1 + 2 * i];
      const queue = list[2 + 2 * i];
      const record = typeof text === 'string' ? storedRecord(text, String(queue)) : null;
      return { key, record, now };
    }),
    storedAnswers: requestKeys.flatMap((key, i) => {
      const text = list[answersFrom + 2 * i];
      return typeof text === 'string'
        ? [decodeAnswer(key, text, Number(list[answersFrom + 2 * i + 1]))]
        : [];
    }),
  };
}

/** @param sendBehind sends another command directly after the swap */
export async function swapRecords(
  redis: Redis,
  admitted: Admitted,
  changes: Change[],
  how: 'each' | 'all',
  sendBehind?: () => void,
): Promise<SwapResult[]> {
  const { epoch, isCluster } = admitted;
  const isStale = (change: Change) => change.epoch !== undefined && change.epoch !== epoch;
  const args = [...admissionArgs(admitted), ...swapArguments(changes, how, isStale)];
  const script = isCluster ? SWAP_IN_CLUSTER : SWAP;
  const list = requireList(await script.run(redis, args, sendBehind), 1 + changes.length);
  const now = list[0] as number;
  const entry = list[1 + changes.length];
  const historyId = typeof entry === 'number' ? entry : undefined;
  return changes.map((change, i) => {
    const reply = list[1 + i] ?? null;
    if (reply === 1) return appliedResult(change, now, historyId);
    if (reply !== null && typeof reply !== 'string') throw unreadableReply();
    return { applied: false, now, ...(reply === null ? { current: null } : lostTo(reply)) };
  });
}
