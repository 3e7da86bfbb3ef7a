import type { IdempotencyRecord } from '@/server/core/decision';
import { recordId } from '@/server/storage/record-id';
import type {
  Change,
  Cursor,
  HistoryRow,
  ObsoleteRecord,
  Page,
  ReadResult,
  RecordKey,
  StoredRecord,
  SwapResult,
} from '@/server/storage/record-store';

/** One record's step from one rev to the next, by the database's own clock. */
export interface Step {
  change: Change;
  before: StoredRecord | null;
  after: StoredRecord;
  at: number;
  /** The keys of the answers about the record that were stored in the same step. */
  answers: readonly string[];
}

/** A record that was deleted, by the database's own clock. */
export interface Deletion {
  key: RecordKey;
  before: StoredRecord;
  at: number;
  isByOperator: boolean;
}

/** Ways in which a database can be wrong; each is known from a real one. */
export interface DatabaseFlaws {
  /** Every swap is applied, without any check. */
  ignoresExpectation?: (key: RecordKey) => boolean;
  ignoresClock?: boolean;
  /** A writer that finds its own rev believes it won. */
  comparesRevAlone?: boolean;
  /** A change is applied although a request that must have no answer has one. */
  ignoresAnswers?: boolean;
  /** Changes that belong together are each checked separately. */
  splitsMultiLocks?: boolean;
  /** A deletion does not check whether the record has changed since it was read. */
  deletesWhatChanged?: boolean;
  /** Whether a line of history is never written; the first to be written is line 1. */
  losesHistory?: (line: number) => boolean;
}

/** The records and answers of a database, as of one instant. */
export interface DatabaseSnapshot {
  records: ReadonlyMap<string, { key: RecordKey; stored: StoredRecord }>;
  storedAnswers: ReadonlyMap<string, IdempotencyRecord>;
}

/** Whether an answer is about grants of several locks; it is stored with one of them. */
const isOfSeveral = ({ answer }: IdempotencyRecord) =>
  typeof answer === 'object' && answer !== null && 'grants' in answer;

/** When simulated time began, epoch milliseconds. */
export const BEGAN_AT = Date.UTC(2026, 0, 1);

/**
 * The store that all simulated processes share. Every call is one atomic instant; faults happen on
 * the way to it.
 */
export class SimDatabase {
  private records = new Map<string, { key: RecordKey; stored: StoredRecord }>();
  private storedAnswers = new Map<string, IdempotencyRecord>();
  private readonly rows: { row: HistoryRow; visibleAt: number }[] = [];
  /** Lines of history so far, including those that were never written. */
  private lines = 0;
  private steppedMs = 0;
  /** Unreachable before this time, in milliseconds since the simulation began. */
  awayUntil = 0;
  /** Called with every step that was applied, in order. */
  onStep: (step: Step) => void = () => undefined;
  /** Called with every record that was deleted. */
  onDelete: (deletion: Deletion) => void = () => undefined;
  /** Called when its records were replaced by those of another instant. */
  onRestore: () => void = () => undefined;

  /**
   * @param passedMs milliseconds since the simulation began
   * @param commitMs how much later than its swap a line of history becomes visible
   * @param aheadMs how far its clock is ahead of all others, always
   */
  constructor(
    private readonly passedMs: () => number,
    private readonly commitMs: () => number,
    private readonly flaws: DatabaseFlaws,
    readonly aheadMs = 0,
  ) {}

  now(): number {
    return BEGAN_AT + Math.floor(this.passedMs() + this.steppedMs + this.aheadMs);
  }

  /** The current instant by a clock that is never set and that all processes share. */
  instant(): number {
    return BEGAN_AT + Math.floor(this.passedMs());
  }

  /** Sets the clock forward, or back if negative. */
  step(ms: number): void {
    this.steppedMs += ms;
  }

  read(keys: RecordKey[], requestKeys: string[]): ReadResult {
    const now = this.now();
    return {
      records: keys.map((key) => ({ key, record: this.at(key), now })),
      storedAnswers: requestKeys.flatMap((key) => this.storedAnswers.get(key) ?? []),
    };
  }

  swap(changes: Change[], allOrNone = false): SwapResult[] {
    const now = this.now();
    const { comparesRevAlone, losesHistory, splitsMultiLocks } = this.flaws;
    const befores = changes.map(({ key }) => this.at(key));
    const isGood = changes.map((change, i) => this.holds(change, befores[i] ?? null, now));
    const isTaken =
      allOrNone && !splitsMultiLocks ? isGood.map(() => isGood.every(Boolean)) : isGood;
    const took: Change[] = [];
    const storedAnswersOf = (some: Change[]) => some.flatMap(({ storedAnswers }) => storedAnswers);
    for (const [i, change] of changes.entries()) {
      if (!isTaken[i]) continue;
      const shared = allOrNone ? storedAnswersOf(changes).filter(isOfSeveral) : [];
      const answers = [...change.storedAnswers, ...shared].map(({ key }) => key);
      took.push(this.apply(change, { before: befores[i] ?? null, at: now, answers }));
    }
    const recorded = took.filter(({ events }) => {
      if (events.length === 0) return false;
      this.lines += 1;
      return !losesHistory?.(this.lines);
    });
    if (recorded.length > 0) {
      const row = { id: this.rows.length + 1, at: now, changes: recorded };
      this.rows.push({ row, visibleAt: this.passedMs() + this.commitMs() });
    }
    return changes.map((change, i) => {
      const current = this.at(change.key);
      const seemsTaken = comparesRevAlone && current?.rev === change.rev;
      const applied = (isTaken[i] || seemsTaken) ?? false;
      return { applied, now, current, ...(current && !applied && { found: current }) };
    });
  }

  scan({ namespace, after }: Cursor, limit: number): Page {
    const now = this.now();
    const from = after ? recordId(after) : '';
    const found = [...this.records]
      .filter(([id, { key }]) => id > from && (namespace === null || key.namespace === namespace))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, limit);
    const records = found.map(([, { key, stored }]) => ({ key, record: stored, now }));
    const last = found.length === limit ? found.at(-1)?.[1].key : undefined;
    return { records, next: last ? { namespace, after: last } : null };
  }

  /** Until when an answer is stored; 0: it is not. */
  answerUntil(key: string): number {
    return this.storedAnswers.get(key)?.expiresAt ?? 0;
  }

  /** Deletes records that are still as they were read, if the clock has reached their time. */
  deleteRecords(obsolete: ObsoleteRecord[], isByOperator: boolean): boolean[] {
    const at = this.now();
    return obsolete.map(({ key, rev, writer, notBefore = 0 }) => {
      const before = this.at(key);
      const isSame = before?.rev === rev && before.writer === writer;
      if (!before || at < notBefore || !(isSame || this.flaws.deletesWhatChanged)) return false;
      this.records.delete(recordId(key));
      this.onDelete({ key, before, at, isByOperator });
      return true;
    });
  }

  /** All records. */
  all(): { key: RecordKey; stored: StoredRecord }[] {
    return [...this.records.values()];
  }

  /**
   * A copy of the data, to be restored later. Neither copying nor restoring touches the history,
   * which shows the referee what happened.
   */
  snapshot(): DatabaseSnapshot {
    return { records: new Map(this.records), storedAnswers: new Map(this.storedAnswers) };
  }

  restore({ records, storedAnswers }: DatabaseSnapshot): void {
    this.records = new Map(records);
    this.storedAnswers = new Map(storedAnswers);
    this.onRestore();
  }

  /** Lines of history that can be seen by now. */
  history(isAskedFor: (id: number) => boolean, limit: number): HistoryRow[] {
    const seen = this.rows.filter(
      ({ row, visibleAt }) => visibleAt <= this.passedMs() && isAskedFor(row.id),
    );
    return seen.slice(0, limit).map(({ row }) => row);
  }

  /** Lines of history that could be seen at a time, in milliseconds since the simulation began. */
  historyVisibleAt(at: number): HistoryRow[] {
    return this.rows.filter(({ visibleAt }) => visibleAt <= at).map(({ row }) => row);
  }

  /** Every line of history, visible or not. */
  wholeHistory(): HistoryRow[] {
    return this.rows.map(({ row }) => row);
  }

  private at(key: RecordKey): StoredRecord | null {
    return this.records.get(recordId(key))?.stored ?? null;
  }

  private holds(change: Change, kept: StoredRecord | null, now: number): boolean {
    const { key, expect, clock, unanswered = [] } = change;
    const { ignoresExpectation, ignoresClock, ignoresAnswers } = this.flaws;
    if (!ignoresAnswers && unanswered.some((request) => this.storedAnswers.has(request)))
      return false;
    const isExpected = kept?.rev === expect?.rev && kept?.writer === expect?.writer;
    const isInTime = now >= clock.past && now < clock.ahead;
    return (isExpected || !!ignoresExpectation?.(key)) && (isInTime || !!ignoresClock);
  }

  private apply(change: Change, step: Omit<Step, 'change' | 'after'>): Change {
    const { before } = step;
    const { key, rev, writer, head, queue, storedAnswers, extensions } = change;
    const after = { rev, writer, head, queue: queue ?? before?.queue ?? '' };
    this.records.set(recordId(key), { key, stored: after });
    for (const storedAnswer of storedAnswers)
      this.storedAnswers.set(storedAnswer.key, storedAnswer);
    for (const { keys, expiresAt } of extensions) {
      for (const requestKey of keys) {
        const storedAnswer = this.storedAnswers.get(requestKey);
        if (storedAnswer) this.storedAnswers.set(requestKey, { ...storedAnswer, expiresAt });
      }
    }
    this.onStep({ ...step, change, after });
    return change;
  }
}
