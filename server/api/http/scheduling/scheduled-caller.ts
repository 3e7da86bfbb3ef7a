import { CALL_CLASSES } from './call-class';
import type { ScheduledTurn } from './request-scheduler';

/**
 * Counts units of work in flight, by generations of time. Work begun two generations ago no longer
 * counts: it waits for a lock, or for a store that does not respond, and must not block other
 * calls.
 */
export class InFlightCounter {
  private recent = 0;
  private older = 0;
  private generation = 0;

  count(generation: number): number {
    this.roll(generation);
    return this.recent + this.older;
  }

  begin(generation: number, units: number): void {
    this.roll(generation);
    this.recent += units;
  }

  end(generation: number, begunIn: number, units: number): void {
    this.roll(generation);
    if (begunIn === generation) this.recent -= units;
    else if (begunIn === generation - 1) this.older -= units;
  }

  private roll(generation: number): void {
    if (generation === this.generation) return;
    this.older = generation === this.generation + 1 ? this.recent : 0;
    this.recent = 0;
    this.generation = generation;
  }
}

/**
 * One of those that share the capacity: an API key, or an address from which the console is used.
 */
export class ScheduledCaller {
  readonly inFlight = new InFlightCounter();
  /** By class, oldest first. */
  readonly queues = CALL_CLASSES.map(() => new TurnQueue());
  /** Waiting calls of all classes. */
  waiting = 0;
  /** A call arrived or ended since the scheduler last checked. */
  hasChanged = true;
  /** When the scheduler last found `hasChanged`. */
  lastChangeAt = 0;
  /** Since when all of its calls are answered; null while one is not. */
  idleSince: number | null = null;
  /** The usual time from its answers to its next call, in milliseconds. */
  usualReturnMs = Number.POSITIVE_INFINITY;
  /** Units served beyond its share of a round. */
  debt = 0;

  constructor(
    readonly id: string,
    readonly isProgram: boolean,
  ) {}

  recordAbsence(ms: number): void {
    const { usualReturnMs } = this;
    this.usualReturnMs = Number.isFinite(usualReturnMs)
      ? usualReturnMs + (ms - usualReturnMs) / 4
      : ms;
  }
}

class TurnQueue {
  private first: ScheduledTurn | null = null;
  private last: ScheduledTurn | null = null;

  get isEmpty(): boolean {
    return this.first === null;
  }

  push(turn: ScheduledTurn): void {
    if (this.last) this.last.next = turn;
    else this.first = turn;
    this.last = turn;
  }

  shift(): ScheduledTurn | null {
    const { first } = this;
    if (!first) return null;
    this.first = first.next;
    if (!this.first) this.last = null;
    // Otherwise an ended turn in the old heap generation would keep all later ones in memory.
    first.next = null;
    return first;
  }
}
