import { randomBytes } from 'node:crypto';
import { sinceEra } from '../../core/fencing-token';
import { liveHolds } from '../../core/lock/lock-record';
import type { ShardOf } from '../../core/rendezvous-hash';
import { type Restore, restoredCounter, restoredLock } from '../../core/restored-record';
import { decodeCounter, encodeCounter } from '../codec/counter-codec';
import { decodeRecord, encodeRecord } from '../codec/record-codec';
import { failedWith, PACKET_TOO_LARGE } from '../mysql/mysql-connection';
import type { MysqlStore } from '../mysql/mysql-store';
import { bytes, CLOCK, quote } from '../mysql/packets/sql-text';
import { isOwnRecord, recordId } from '../record-id';
import type { Change, Cursor, ReadRecord, RecordStore } from '../record-store';
import type { ShardMapStamp } from './shard-map-stamp';

/** Records moved per batch. */
const RECORDS_AT_ONCE = 100;

/** A record that exists. */
type Found = ReadRecord & { record: NonNullable<ReadRecord['record']> };

/** One shard while its records are moved. */
export interface MovingShard {
  name: string;
  store: MysqlStore;
  /** Whether it has lost records: what is left may be older than what was granted. */
  isLost: boolean;
}

/** All records of a shard, in pages; without Lockyard's own records, which stay on their shard. */
async function* pagesOf(store: RecordStore): AsyncGenerator<Found[]> {
  let cursor: Cursor | null = { namespace: null, after: null };
  while (cursor) {
    const page = await store.scan(cursor, RECORDS_AT_ONCE);
    const isMovable = (read: ReadRecord): read is Found =>
      read.record !== null && !isOwnRecord(read.key);
    yield page.records.filter(isMovable);
    cursor = page.next;
  }
}

/** The longest remaining lease on these shards, by their own clocks; and how many records. */
export async function longestLease(
  shards: MovingShard[],
): Promise<{ leftMs: number; records: number }> {
  let [leftMs, records] = [0, 0];
  for (const { store } of shards) {
    for await (const page of pagesOf(store)) {
      records += page.length;
      for (const { key, record, now } of page) {
        if (key.kind === 'counter') continue;
        const lock = orNull(() => decodeRecord(record).record);
        for (const { expiresAt } of liveHolds(lock, now))
          leftMs = Math.max(leftMs, expiresAt - now);
      }
    }
  }
  return { leftMs, records };
}

/**
 * Moves every record to its home shard, and rewrites the records of a shard that lost data. Holds
 * that are moved end: their leases were judged by another clock. Values, freezes and the last token
 * stay.
 *
 * A copy has a higher rev than its original and is written before the original is removed. So this
 * may be interrupted anywhere: when repeated, it finds one or both, and the higher rev is right. No
 * other process may change records meanwhile: the stores have the fence of this move.
 *
 * @returns how many records were moved or rewritten
 */
export async function moveRecords(
  shards: MovingShard[],
  homeOf: ShardOf,
  restoration: Omit<Restore, 'now'>,
): Promise<number> {
  let moved = 0;
  for (const from of shards) {
    for await (const page of pagesOf(from.store)) {
      for (const [home, to] of shards.entries()) {
        const reads = page.filter(({ key }) => homeOf(recordId(key)) === home);
        if (reads.length === 0 || (to === from && !from.isLost)) continue;
        await copyTo(to, reads, restoration);
        if (to !== from)
          await from.store.deleteRecords(reads.map(({ key, record }) => ({ key, ...record })));
        moved += reads.length;
      }
    }
  }
  return moved;
}

async function copyTo(
  { store, name }: MovingShard,
  reads: Found[],
  restoration: Omit<Restore, 'now'>,
): Promise<void> {
  const keys = reads.map(({ key }) => key);
  const { records } = await store.read(keys, []);
  const changes = reads.flatMap((read, i): Change[] => {
    const { record: there = null, now = read.now } = records[i] ?? {};
    const isCopied = there !== null && there.rev > read.record.rev;
    const aheadMs = Math.max(0, now - read.now);
    return isCopied ? [] : [copyOf(read, there, { ...restoration, aheadMs })];
  });
  const results = changes.length > 0 ? await store.swap(changes) : [];
  if (results.every(({ applied }) => applied)) return;
  if (results.some(({ isTooLarge }) => isTooLarge)) {
    throw new Error(
      `A record is more than the shard ${name} accepts at once (max_allowed_packet).`,
    );
  }
  throw new Error(`Another program writes to the shard ${name}.`);
}

function copyOf(
  { key, record, now }: Found,
  there: Found['record'] | null,
  restoration: Omit<Restore, 'now'>,
): Change {
  const change = {
    key,
    expect: there && { rev: there.rev, writer: there.writer },
    clock: { past: 0, ahead: Number.POSITIVE_INFINITY },
    writer: randomBytes(8).toString('base64url'),
    events: [],
    storedAnswers: [],
    extensions: [],
  };
  if (key.kind === 'counter') {
    const counter = orNull(() => decodeCounter(record).record);
    if (!counter) return { ...change, ...unchangedCopy(record, now) };
    const next = restoredCounter(counter, now, restoration.aheadMs);
    return { ...change, rev: next.rev, head: encodeCounter(next).head, queue: '' };
  }
  const lock = orNull(() => decodeRecord(record).record);
  if (!lock) return { ...change, ...unchangedCopy(record, now) };
  const { next, events } = restoredLock(lock, { ...restoration, now });
  const { head, queue } = encodeRecord(next, null);
  return { ...change, rev: next.rev, head, queue: queue ?? '', events };
}

/** A record that cannot be decoded is never granted, on either shard. */
function unchangedCopy({ rev, head, queue }: Found['record'], now: number) {
  return { rev: Math.max(rev, sinceEra(now)) + 1, head, queue };
}

function orNull<T>(decode: () => T): T | null {
  try {
    return decode();
  } catch {
    return null;
  }
}

/** Answers moved per batch. */
const ANSWERS_AT_ONCE = 500;

const COLUMNS = 'id, input_hash, answer, expires_at, lock_id';

interface Answer {
  id: string;
  lockId: string | null;
  /** Its id, input hash and answer, as the values of an insert. */
  texts: string;
  /** On the clock of the shard that it was read from. */
  expiresAt: number;
}

/**
 * Moves the answers remembered for request ids to the shards that now have their records. An answer
 * of an earlier version does not name its record, so every shard gets it. Each is kept for as long
 * as before, by the clock of its new shard. May be interrupted and repeated.
 *
 * @param stamp that of the move
 */
export async function moveAnswers(
  shards: ShardMapStamp[],
  homeOf: ShardOf,
  stamp: string,
): Promise<void> {
  const clocks = await Promise.all(shards.map(clockOf));
  for (const [i, from] of shards.entries()) {
    for (let after: string | null = ''; after !== null; ) {
      const answers = await answersOf(from, after);
      for (const [home, to] of shards.entries()) {
        const theirs = answers.filter(({ lockId }) => lockId === null || homeOf(lockId) === home);
        if (to === from || theirs.length === 0) continue;
        const aheadMs = (clocks[home] ?? 0) - (clocks[i] ?? 0);
        await insertAnswers(to, theirs, aheadMs, stamp);
        const gone = theirs.filter(({ lockId }) => lockId !== null).map(({ id }) => quote(id));
        if (gone.length > 0) {
          await from.change(stamp, [`DELETE FROM lock_requests WHERE id IN (${gone})`]);
        }
      }
      after = answers.length < ANSWERS_AT_ONCE ? null : (answers.at(-1)?.id ?? null);
    }
  }
}

async function clockOf(shard: ShardMapStamp): Promise<number> {
  const [rows] = await shard.ask([`SELECT ${CLOCK}`]);
  return Number(rows?.[0]?.[0]);
}

/** Answers that are too large for one packet are split into two, and so on. */
async function insertAnswers(
  to: ShardMapStamp,
  answers: Answer[],
  aheadMs: number,
  stamp: string,
): Promise<void> {
  const values = answers.map(({ texts, expiresAt, lockId }) => {
    return `(${texts},${expiresAt + aheadMs},${lockId === null ? 'NULL' : bytes(lockId)})`;
  });
  const insert =
    `INSERT INTO lock_requests (${COLUMNS}) VALUES ${values} ON DUPLICATE KEY UPDATE ` +
    'input_hash = VALUES(input_hash), answer = VALUES(answer), expires_at = VALUES(expires_at), ' +
    'lock_id = VALUES(lock_id)';
  try {
    await to.change(stamp, [insert]);
  } catch (error) {
    if (answers.length === 1 || !failedWith(error, PACKET_TOO_LARGE)) throw error;
    const half = Math.ceil(answers.length / 2);
    await insertAnswers(to, answers.slice(0, half), aheadMs, stamp);
    await insertAnswers(to, answers.slice(half), aheadMs, stamp);
  }
}

async function answersOf(from: ShardMapStamp, after: string): Promise<Answer[]> {
  const [rows = []] = await from.ask([
    // In the column's character set: for a text in another one, `>` would not use the index.
    `SELECT ${COLUMNS} FROM lock_requests WHERE id > _ascii${quote(after)} AND expires_at > ` +
      `${CLOCK} ORDER BY id LIMIT ${ANSWERS_AT_ONCE}`,
  ]);
  return rows.map(([id, hash, answer, expiresAt, lock]) => {
    const lockId = lock === null ? null : (lock as Buffer).toString('utf8');
    const texts = [id, hash, answer].map((text) => quote(String(text))).join(',');
    return { id: String(id), lockId, texts, expiresAt: Number(expiresAt) };
  });
}
