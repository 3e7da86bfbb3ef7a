import { randomInt } from 'node:crypto';
import { LOCK_STATUSES, type LockStatus } from '../../contract/console/console-terms';
import { DEFAULT_RETENTION } from '../../core/retention';
import { HEAT_LOCKS_MAX, HEAT_STEPS_MS } from '../../core/statistics/heat-steps';
import { worseStatus } from '../../core/status/worse-status';
import type { Clock } from '../../platform/clock';
import type { ShouldContinue } from '../../platform/periodic';
import { SerialQueue } from '../../platform/serial-queue';
import type { LockTable } from '../lock-list/table/lock-table';
import type { HeatRecord, HeatTable } from './heat-table';

/** How many locks one step counts at most; the rest are left out. */
const COUNTED_MAX = 5_000;

/** How many steps may wait for the control database; beyond that the oldest are lost. */
const ENDED_MAX = 1_000;

/** How often a longer step is stored: a killed process loses no more than this. */
const STORE_EVERY_MS = 5 * 60_000;

/** The most time counted between two readings; a pause of this process can make it longer. */
const GAP_MAX_MS = 5_000;

/** Marks are random, so that those of two processes differ. */
const MARKS_END = 2 ** 48 - 1;

/** Counts how long each lock is waited for, and stores those most waited for in each step. */
export class HeatRecorder {
  private readonly steps = HEAT_STEPS_MS.map((stepMs) => new HeatStep(stepMs));
  private readAt: number | null = null;
  /** What was counted must not be stored by two calls at the same time. */
  private readonly turns = new SerialQueue();

  constructor(
    private readonly table: Pick<LockTable, 'slice' | 'slotsEnd' | 'columns' | 'at'>,
    private readonly stored: Pick<HeatTable, 'add' | 'prune'>,
    private readonly clock: Clock,
    private readonly historyMs = DEFAULT_RETENTION.historyMs,
  ) {}

  /**
   * Counts from the next reading on, as after another process did this work. What was counted
   * before is added to what others store of the same step.
   */
  restart(): void {
    this.readAt = null;
  }

  /** Counts the time since the last call, and stores the steps that have ended. */
  run(): Promise<void> {
    return this.turns.run(() => this.countAndStore());
  }

  private async countAndStore(): Promise<void> {
    const now = this.clock.now();
    const passedMs = this.readAt === null ? 0 : Math.min(GAP_MAX_MS, now - this.readAt);
    this.readAt = now;
    for (const step of this.steps) step.advance(now);
    if (passedMs > 0) await this.count(passedMs);
    for (const step of this.steps) await step.store(this.stored);
  }

  /** Stores what was counted of the steps under way too: others may continue them. */
  flush(): Promise<void> {
    return this.turns.run(async () => {
      for (const step of this.steps) {
        step.end();
        await step.store(this.stored);
      }
    });
  }

  private async count(passedMs: number): Promise<void> {
    const { table } = this;
    const { columns } = table;
    await table.slice().times(table.slotsEnd, (slot) => {
      const callers = columns.blockedCallers[slot] as number;
      const row = callers === 0 ? null : table.at(slot);
      if (!row) return;
      const status = LOCK_STATUSES[columns.statuses[slot] as number] as LockStatus;
      const { publicBackend: backend, key } = row;
      const waiterMs = callers * passedMs;
      for (const step of this.steps) step.add(row.id, { backend, key, waiterMs, status });
    });
  }

  async prune(shouldContinue?: ShouldContinue): Promise<void> {
    await this.stored.prune(this.clock.now(), this.historyMs, shouldContinue);
  }
}

class HeatStep {
  private at = Number.NaN;
  /** The part of the step that is being counted. */
  private part = Number.NaN;
  private readonly locks = new Map<string, HeatRecord>();
  /** Steps that have ended and are not stored yet, each with the mark of its addition. */
  private readonly ended: { at: number; records: HeatRecord[]; mark: number }[] = [];

  constructor(private readonly stepMs: number) {}

  add(id: string, record: HeatRecord): void {
    const known = this.locks.get(id);
    if (known) {
      known.waiterMs += record.waiterMs;
      known.status = worseStatus(known.status, record.status);
    } else if (this.locks.size < COUNTED_MAX) this.locks.set(id, { ...record });
  }

  /** Begins another step, or part of one, unless the current one includes this instant. */
  advance(now: number): void {
    const part = Math.floor(now / STORE_EVERY_MS);
    const at = Math.floor(now / this.stepMs) * this.stepMs;
    if (at === this.at && part === this.part) return;
    this.end();
    this.at = at;
    this.part = part;
  }

  /** Lets what was counted be stored. If the step continues, the rest of it is added later. */
  end(): void {
    const ranked = [...this.locks.values()].sort((a, b) => b.waiterMs - a.waiterMs);
    const records = ranked.slice(0, HEAT_LOCKS_MAX);
    const mark = randomInt(1, MARKS_END);
    if (records.length > 0) this.ended.push({ at: this.at, records, mark });
    if (this.ended.length > ENDED_MAX) this.ended.shift();
    this.locks.clear();
  }

  async store(stored: Pick<HeatTable, 'add'>): Promise<void> {
    for (let step = this.ended[0]; step; step = this.ended[0]) {
      await stored.add(this.stepMs, step.at, step.records, step.mark);
      this.ended.shift();
    }
  }
}
