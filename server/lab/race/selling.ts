import { setTimeout } from 'node:timers/promises';
import type { CatalogueEntry } from '@/server/strategies/catalogue';
import { isDeadlock } from '@/server/strategies/mysql-error';
import { NotGranted } from '@/server/strategies/not-granted';
import type { LabProgress } from '../../contract/console/lab/lab-race';
import type { LabOrder } from '../lab-order';
import type { RunPlace } from './entry-servers';
import { type PausedBuyer, pauseInPlace, pauseInThread } from './paused-buyer';
import { type Contender, type EntryParts, type RaceEntry, RefusedWrite } from './race-entry';
import { failureOf } from './race-failure';
import type { Confirmation, Think } from './stock';
import type { Tally } from './tally';
import { thinkTimes } from './think-times';
import { within } from './within';

const SAMPLE_EVERY_MS = 250;
/** How long orders that are under way may take to end, before their connections are closed. */
const DRAIN_MS = 10_000;
/** How often to check again while the paused buyer may still put units back. */
const CHECK_AGAIN_MS = 20;
/** A session of ZooKeeper lasts at least this long; other locks end with their lease. */
const ZOOKEEPER_SESSION_MS = 10_000;

/** For example, a frozen server neither answers nor closes a connection. */
const notAnswered = (orders: number) =>
  `${orders} orders were not answered within ${DRAIN_MS / 1_000} s of the end.`;

/** The parts that all entries of one race share. */
export interface RaceContext {
  order: LabOrder;
  place: RunPlace;
  /** The built program of the paused buyer's thread. */
  pausedProgram: URL;
  report(message: LabProgress): void;
  stopping: AbortSignal;
}

interface SellingParts {
  entry: CatalogueEntry;
  raceEntry: RaceEntry;
  contender: Contender;
  parts: EntryParts;
  tally: Tally;
  context: RaceContext;
}

export interface EndOfSelling {
  /** Why the selling could not be finished; null if it was. */
  failure: string | null;
  ranOutOfTime: boolean;
  /** The time limit, which is longer by the pause if there is a paused buyer. */
  limitMs: number;
  /** How the paused buyer's order ended; null if there was no paused buyer. */
  paused: string | null;
  /** The time until every buyer had been refused, or until the end. */
  sellingMs: number;
}

/** The race was over before an order came to its turn: the order was given up. */
class GivenUp extends Error {}

/** The buyers of one entry. */
export class Selling {
  private failure: string | null = null;
  private ranOutOfTime = false;
  private pausedOutcome: string | null = null;
  /** How many buyers have been refused at least once. */
  private refused = 0;
  private lastAnsweredAt = 0;
  /** Aborted by the first failure, or when the race is stopped. */
  private readonly ending = new AbortController();
  /** When the buyers began. */
  private startedAt = performance.now();
  private readonly limitMs: number;
  private readonly pauseMs: number;

  constructor(private readonly given: SellingParts) {
    const { order } = given.context;
    const isSession = given.entry.needs.includes('zookeeper');
    this.pauseMs = isSession ? 1.5 * ZOOKEEPER_SESSION_MS : 2 * order.leaseMs;
    this.limitMs = order.perEntryMs + (order.pause ? this.pauseMs : 0);
  }

  /** Sells until all buyers have finished, or a limit ends them. Never rejects. */
  async run(): Promise<EndOfSelling> {
    const { order, stopping } = this.given.context;
    const paused = order.pause ? this.startPaused() : null;
    const sampling = this.sample();
    // `AbortSignal.any` would keep all of this in memory for as long as the race runs.
    const stop = () => this.ending.abort();
    this.ending.signal.addEventListener('abort', () => void paused?.stop(), { once: true });
    stopping.addEventListener('abort', stop);
    if (stopping.aborted) stop();
    try {
      await paused?.paused;
      this.startedAt = performance.now();
      const thinkOf = thinkTimes(order.thinkMs, order.seed);
      const buyers = Array.from({ length: order.workers }, (_, i) => this.buy(thinkOf(i)));
      let unfinished = order.workers;
      for (const buyer of buyers) {
        void buyer.then(() => {
          unfinished -= 1;
        });
      }
      const all = Promise.all([...buyers, paused?.ended]).then(() => undefined);
      const drained = new Promise<void>((resolve) => {
        const drain = () => resolve(within(DRAIN_MS, all));
        if (this.ending.signal.aborted) drain();
        else this.ending.signal.addEventListener('abort', drain, { once: true });
      });
      await Promise.race([within(this.limitMs + DRAIN_MS, all), drained]);
      if (unfinished > 0) this.failure ??= notAnswered(unfinished);
    } finally {
      stopping.removeEventListener('abort', stop);
      clearInterval(sampling);
      await paused?.stop();
    }
    if (stopping.aborted) this.failure ??= 'The race was stopped.';
    const isSoldOut = this.refused === order.workers;
    return {
      failure: this.failure,
      ranOutOfTime: this.ranOutOfTime,
      limitMs: this.limitMs,
      sellingMs: (isSoldOut ? this.lastAnsweredAt : performance.now()) - this.startedAt,
      paused: order.pause ? (this.pausedOutcome ?? 'did not end in time') : null,
    };
  }

  private isOver(): boolean {
    if (this.ending.signal.aborted) return true;
    if (performance.now() - this.startedAt < this.limitMs) return false;
    this.ranOutOfTime = true;
    return true;
  }

  /** Keeps ordering until an order is refused as sold out. */
  private async buy(think: Think): Promise<void> {
    let hasBeenRefused = false;
    // An order that was not granted is the same order when it is tried again.
    let orderedAt: number | null = null;
    while (!this.isOver()) {
      orderedAt ??= performance.now();
      try {
        const outcome = await this.given.contender.confirm(() => this.inTurn(think));
        // A refused buyer only checks again, as often as it likes: that says nothing of the speed.
        if (outcome === 'sold' || !hasBeenRefused) this.answered(outcome, orderedAt);
        orderedAt = null;
        if (outcome === 'sold') continue;
        if (!hasBeenRefused) this.refused += 1;
        hasBeenRefused = true;
        if (!this.mayRestoreStock()) return;
        await setTimeout(CHECK_AGAIN_MS);
      } catch (error) {
        if (error instanceof NotGranted || error instanceof GivenUp) continue;
        if (error instanceof RefusedWrite || isDeadlock(error)) this.given.tally.note('retry');
        else this.fail(error);
      }
    }
  }

  /** Without this, the whole queue of a lock would still think, one after another. */
  private async inTurn(think: Think): Promise<void> {
    if (this.isOver()) throw new GivenUp();
    await think();
  }

  private answered(outcome: Confirmation, orderedAt: number): void {
    this.lastAnsweredAt = performance.now();
    this.given.tally.answer(outcome, this.lastAnsweredAt - orderedAt);
  }

  private fail(error: unknown): void {
    this.failure ??= failureOf(error);
    this.ending.abort();
  }

  /** Whether the paused buyer may still overwrite the quantity with an older one. */
  private mayRestoreStock(): boolean {
    return this.given.context.order.pause && this.pausedOutcome === null;
  }

  private startPaused(): PausedBuyer {
    const { order, place, pausedProgram } = this.given.context;
    const { pauseMs } = this;
    const { prefix, waitMs, pollEveryMs } = this.given.parts;
    const buyer = this.given.raceEntry.isServed
      ? pauseInPlace(this.given.contender, pauseMs)
      : pauseInThread(pausedProgram, {
          entryId: this.given.entry.id,
          place,
          prefix,
          leaseMs: order.leaseMs,
          patience: { waitMs, pollEveryMs },
          pauseMs,
        });
    void buyer.ended.then((outcome) => {
      this.pausedOutcome = outcome;
    });
    return buyer;
  }

  private sample(): NodeJS.Timeout {
    let before = { answered: 0, at: performance.now() };
    return setInterval(() => {
      const now = { answered: this.given.tally.answered, at: performance.now() };
      const perMs = (now.answered - before.answered) / (now.at - before.at);
      before = now;
      this.given.context.report({
        kind: 'sample',
        id: this.given.entry.id,
        elapsedMs: Math.round(now.at - this.startedAt),
        sold: this.given.tally.sold,
        opsPerSecond: Math.round(perMs * 1_000),
      });
    }, SAMPLE_EVERY_MS);
  }
}
