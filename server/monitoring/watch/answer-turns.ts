import { yieldToStream } from '../lock-list/lock-list-streams';
import type { TimeSlice } from '../lock-list/order/time-slice';
import { TimeBudget } from '../lock-list/time-budget';

/** For how long answers are built before other work of this process gets a turn. */
const REST_AFTER_MS = 3;

/** While large answers wait, they get one turn in this many. */
const TURNS_PER_LARGE = 4;

interface Turn {
  build: (slice: TimeSlice) => Promise<void>;
  extraMs: number;
}

/**
 * Builds answers one after another, within a share of one core, and rests in between: a thousand
 * watches that are woken together, or many lists, must not delay callers that acquire locks. Small
 * answers come before large ones, which get every fourth turn.
 */
export class AnswerTurns {
  private readonly small: Turn[] = [];
  private readonly large: Turn[] = [];
  private readonly budget: TimeBudget;
  private isWorking = false;
  private taken = 0;
  private unrestedMs = 0;
  private isHurried = false;

  constructor(
    private readonly newSlice: () => TimeSlice,
    monotonic: () => number,
  ) {
    this.budget = new TimeBudget(monotonic);
  }

  /** Whether answers are delayed because they have used up their share. */
  get isSlowed(): boolean {
    return this.budget.isSlowed;
  }

  /**
   * Builds an answer when its turn has come, and settles with its result.
   *
   * @param extraMs what the answer costs in addition, in milliseconds of a core
   */
  run<T>(
    build: (slice: TimeSlice) => T | Promise<T>,
    { isLarge, extraMs }: { isLarge: boolean; extraMs: number },
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const turn: Turn = {
        build: async (slice) => {
          try {
            resolve(await build(slice));
          } catch (error) {
            reject(error);
          }
        },
        extraMs,
      };
      (isLarge ? this.large : this.small).push(turn);
      if (!this.isWorking) void this.work();
    });
  }

  /** Counts other work for watches towards their share. */
  spend(ms: number): void {
    this.budget.spend(ms);
  }

  /** From now on no answer waits for its share. */
  hurry(): void {
    this.isHurried = true;
  }

  private async work(): Promise<void> {
    this.isWorking = true;
    for (let turn = this.take(); turn; turn = this.take()) {
      await this.withinShare();
      const slice = this.newSlice();
      await turn.build(slice);
      // What the caller immediately does with the answer counts too.
      await yieldToStream();
      const spentMs = slice.spentMs + turn.extraMs;
      this.budget.spend(spentMs);
      this.unrestedMs += spentMs;
      if (this.unrestedMs < REST_AFTER_MS || this.isHurried) continue;
      this.unrestedMs = 0;
      await slice.pause();
    }
    this.isWorking = false;
  }

  private take(): Turn | undefined {
    this.taken += 1;
    const isForLarge = this.taken % TURNS_PER_LARGE === 0;
    const [first, second] = isForLarge ? [this.large, this.small] : [this.small, this.large];
    return first.shift() ?? second.shift();
  }

  private async withinShare(): Promise<void> {
    const waitMs = this.isHurried ? 0 : this.budget.waitMs();
    if (waitMs === 0) return;
    this.budget.noteDelay();
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}
