import type {
  Change,
  ReadRecord,
  ReadResult,
  RecordKey,
  SwapResult,
} from '@/server/storage/record-store';
import { SimConnection } from './sim-connection';
import type { SimDatabase } from './sim-database';
import type { SimLink } from './sim-link';
import type { SimScheduler } from './sim-scheduler';

/** By how much the clock that it reports is at most behind. */
const BEHIND_MAX_MS = 20;

/** By how much what a process knows of the clock, from how long its writes take, is behind. */
export const CLOCK_BEHIND_MAX_MS = 400;

/** How long it takes between two reads: mostly hardly any time. */
const GAP_MS = 1;
const LONG_GAP_MS = 300;

/**
 * A connection to a store that reads one record or answer after another, as ZooKeeper does: others
 * write in between. It knows only a lower bound of its clock, and tests no answers.
 */
export class SlowReadsConnection extends SimConnection {
  override readonly testsAnswers = false;
  readonly estimatesClock = true;

  constructor(
    database: SimDatabase,
    link: SimLink,
    private readonly scheduler: SimScheduler,
    private readonly random: () => number,
  ) {
    super(database, link);
  }

  override read(keys: RecordKey[], requestKeys: string[]): Promise<ReadResult> {
    return this.link.callInSteps('read', (done) => {
      const read: ReadResult = { records: [], storedAnswers: [] };
      const records = keys.map((key, i) => () => {
        read.records[i] = this.database.read([key], []).records[0] as ReadRecord;
      });
      const storedAnswers = requestKeys.map((key) => () => {
        read.storedAnswers.push(...this.database.read([], [key]).storedAnswers);
      });
      const end = () => {
        const now = this.earliest();
        done({ ...read, records: read.records.map((one) => ({ ...one, now })) });
      };
      // Answers come last: one that is absent then was absent when its record was read.
      this.oneAfterAnother(records, () => this.oneAfterAnother(storedAnswers, end));
    });
  }

  override swap(changes: Change[]): Promise<SwapResult[]> {
    return this.link.callInSteps('swap', (done) => {
      const results: SwapResult[] = [];
      const swaps = changes.map((change, i) => () => {
        const [result] = this.database.swap([change]);
        results[i] = result?.applied ? result : lost(this.earliest());
      });
      this.oneAfterAnother(swaps, () => this.readCurrent(changes, results, done));
    });
  }

  override swapAll(changes: Change[]): Promise<SwapResult[]> {
    return this.link.callInSteps('swap', (done) => {
      const results = this.database.swap(changes, true);
      if (results.every(({ applied }) => applied)) return done(results);
      const now = this.earliest();
      this.readCurrent(
        changes,
        results.map(() => lost(now)),
        done,
      );
    });
  }

  private readCurrent(
    changes: Change[],
    results: SwapResult[],
    done: (results: SwapResult[]) => void,
  ): void {
    const all = [...results];
    const reads = changes.flatMap(({ key }, i) => {
      const result = results[i];
      if (!result || result.applied) return [];
      return () => {
        const record = this.database.read([key], []).records[0]?.record;
        const current = record ? { rev: record.rev, writer: record.writer } : null;
        all[i] = { ...result, current };
      };
    });
    this.oneAfterAnother(reads, () => done(all));
  }

  /** Takes these steps in random order, each at an instant of its own. */
  private oneAfterAnother(steps: (() => void)[], end: () => void): void {
    const left = [...steps];
    const next = () => {
      const [step] = left.splice(Math.floor(this.random() * left.length), 1);
      if (!step) return end();
      step();
      const gapMs = this.random() * (this.random() < 0.2 ? LONG_GAP_MS : GAP_MS);
      this.scheduler.after(gapMs, null, next);
    };
    next();
  }

  private earliest(): number {
    return this.database.now() - Math.floor(this.random() * BEHIND_MAX_MS);
  }
}

const lost = (now: number): SwapResult => ({ applied: false, now, current: null });
