import type { IdempotencyRecord } from '../../core/decision';
import type { ConnectionProvider } from './client/guarded-connection';
import { sync } from './client/wire-calls';
import { type KnownRecordZnode, type KnownZnode, readAnswer, readRecord } from './read-znodes';

const WEIGHT_OF_RECORDS = 32_000_000;
const WEIGHT_OF_ANSWERS = 16_000_000;
const WEIGHT_OF_ONE = 300;

/**
 * Which version of a znode held a rev and writer: a swap compares versions, and its caller knows
 * only rev and writer. Learnt from reads and swaps; a remembered version may only be offered to
 * ZooKeeper for comparison.
 */
export class ZnodeCache {
  private readonly records = new RecentMap<KnownRecordZnode>(WEIGHT_OF_RECORDS, weightOfRecord);
  private readonly answers = new RecentMap<KnownZnode<IdempotencyRecord>>(
    WEIGHT_OF_ANSWERS,
    () => WEIGHT_OF_ONE * 2,
  );
  /** How often everything was dropped: what an earlier read returns is not cached. */
  private age = 0;

  record(id: string): KnownRecordZnode | undefined {
    return this.records.get(id);
  }

  answer(key: string): KnownZnode<IdempotencyRecord> | undefined {
    return this.answers.get(key);
  }

  noteRecord(id: string, known: KnownRecordZnode): void {
    this.records.set(id, known);
  }

  noteAnswer(key: string, known: KnownZnode<IdempotencyRecord>): void {
    this.answers.set(key, known);
  }

  dropRecord(id: string): void {
    this.records.delete(id);
  }

  dropAnswer(key: string): void {
    this.answers.delete(key);
  }

  dropAll(): void {
    this.records.clear();
    this.answers.clear();
    this.age += 1;
  }

  /**
   * Reads the current records: never older than any answer given to any caller before this call.
   * No record is newer than the answers, so one that is absent had not been stored by its change.
   *
   * @throws StoreError
   */
  async read(
    session: ConnectionProvider,
    ids: string[],
    answerKeys: string[],
  ): Promise<{ records: KnownRecordZnode[]; answers: KnownZnode<IdempotencyRecord>[] }> {
    const connection = await session.connected();
    const { age } = this;
    const { layout } = connection;
    const synced = connection.ask(sync(layout.tick));
    let isLater = false;
    const onReadAgain = () => {
      isLater = true;
    };
    const asked = ids.map((id) => readRecord(connection, id, this.records.get(id), onReadAgain));
    const askAnswers = () => Promise.all(answerKeys.map((key) => readAnswer(connection, key)));
    const [, records, first] = await Promise.all([
      synced,
      Promise.all(asked),
      askAnswers(),
      connection.prove(),
    ]);
    // An answer that is absent must have been so when the record was read.
    const again = isLater ? Promise.all([askAnswers(), connection.prove()]) : [first];
    const [answers] = await again;
    if (age === this.age) {
      for (const [i, record] of records.entries()) this.noteRecord(ids[i] ?? '', record);
      for (const [i, answer] of answers.entries()) this.noteAnswer(answerKeys[i] ?? '', answer);
    }
    return { records, answers };
  }
}

function weightOfRecord({ content }: KnownRecordZnode): number {
  return WEIGHT_OF_ONE + (content ? content.head.length + content.queue.length : 0);
}

/** The most recently set entries, up to about `capacity` of weight; evicts half at a time. */
class RecentMap<T> {
  private young = new Map<string, T>();
  private old = new Map<string, T>();
  /** The total weight of the young entries. */
  private weight = 0;

  constructor(
    private readonly capacity: number,
    private readonly weightOf: (value: T) => number,
  ) {}

  get(key: string): T | undefined {
    return this.young.get(key) ?? this.old.get(key);
  }

  set(key: string, value: T): void {
    const replaced = this.young.get(key);
    if (replaced !== undefined) this.weight -= this.weightOf(replaced);
    this.young.set(key, value);
    this.weight += this.weightOf(value);
    if (this.weight < this.capacity / 2) return;
    this.old = this.young;
    this.young = new Map();
    this.weight = 0;
  }

  delete(key: string): void {
    const young = this.young.get(key);
    if (young !== undefined) this.weight -= this.weightOf(young);
    this.young.delete(key);
    this.old.delete(key);
  }

  clear(): void {
    this.young.clear();
    this.old.clear();
    this.weight = 0;
  }
}
