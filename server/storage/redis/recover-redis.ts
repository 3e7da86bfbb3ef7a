import type { Redis } from 'ioredis';
import { askControlDatabase } from '../incarnation/incarnation-row';
import { longestLeaseFound, type Recovery, recoveredRecord } from '../incarnation/recovered-record';
import type { StoreIncarnation } from '../incarnation/store-incarnation';
import { recordKey } from '../record-id';
import { StoreError } from '../record-store';
import { type Admitted, swapRecords } from './redis-calls';
import { storedRecord } from './redis-codec';
import {
  END_RECOVERY,
  HAS_QUEUE,
  KEYS,
  LIST_RECORDS,
  PREFIX,
  START_INCARNATION,
} from './redis-script';

const RECORDS_AT_ONCE = 200;

/** Each epoch's history numbers start at a multiple of this, so none is ever given twice. */
const HISTORY_SPAN = 2 ** 36;

/**
 * Brings what a Redis still has into a new incarnation. All holds end, and their holders are
 * informed, because later writes may be lost. Freezes and counters stay. Several processes may do
 * this at the same time, and it may be repeated after a crash midway.
 */
export async function recoverRedis(
  redis: Redis,
  store: StoreIncarnation,
  started: Omit<Admitted, 'isDurable' | 'heartbeat'>,
): Promise<void> {
  const { incarnation, epoch } = started;
  const name = `${incarnation}~`;
  const inRecovery: Admitted = { ...started, isDurable: false, incarnation: name, heartbeat: 0 };
  const historyFrom = (epoch - 1) * HISTORY_SPAN;
  const begin = [inRecovery.incarnation, incarnation, epoch, historyFrom];
  const begunAt = await START_INCARNATION.run(redis, begin);
  const { grantsFrom } = await askControlDatabase('Redis', () =>
    store.startQuietPeriod(incarnation, Number(begunAt)),
  );
  // Another process has ended the recovery but not recorded it: writes as in recovery fail now.
  if ((await redis.hget(KEYS.marker, 'life')) === incarnation) return;
  const restoration = { epoch, grantsFrom, now: Number(begunAt) };
  let cursor = '0';
  do {
    const which = ['MATCH', `${PREFIX.record}*`, 'COUNT', RECORDS_AT_ONCE] as const;
    const [next, names] = await redis.scan(cursor, ...which);
    cursor = next;
    const ids = names.map((name) => name.slice(PREFIX.record.length));
    if (ids.length > 0) await recoverRecords(redis, store, inRecovery, ids, restoration);
  } while (cursor !== '0');
  const ended = await END_RECOVERY.run(redis, [inRecovery.incarnation, incarnation]);
  if (ended !== 1) throw new StoreError('Redis lost data during its recovery.', 'no');
}

async function recoverRecords(
  redis: Redis,
  store: StoreIncarnation,
  inRecovery: Admitted,
  ids: string[],
  restoration: Omit<Recovery, 'longestLeaseMs'>,
): Promise<void> {
  await LIST_RECORDS.run(redis, [inRecovery.incarnation, ...ids]);
  const texts = await redis.mget(ids.map((id) => PREFIX.record + id));
  const queues = await redis.mget(ids.map((id) => PREFIX.queue + id));
  const found = ids.flatMap((id, i) => {
    const text = texts[i];
    if (!text) return [];
    const hasQueue = text.startsWith(HAS_QUEUE);
    return { key: recordKey(id), record: storedRecord(text, hasQueue ? (queues[i] ?? '') : '') };
  });
  const longestLeaseMs = await askControlDatabase('Redis', () =>
    store.recordFoundLease(longestLeaseFound(found)),
  );
  const changes = found.flatMap(({ key, record }) =>
    recoveredRecord(key, record, { ...restoration, longestLeaseMs }),
  );
  if (changes.length > 0) await swapRecords(redis, inRecovery, changes, 'each');
}
