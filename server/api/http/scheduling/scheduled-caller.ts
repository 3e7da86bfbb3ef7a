import { CALL_CLASSES } from './call-class';
import { InFlightCounter } from './in-flight-counter';
import type { ScheduledTurn } from './request-scheduler';

/** Capacity is shared between these: an API key, or an address from which the console is used. */
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
    this.first = first?.next ?? null;
    if (!this.first) this.last = null;
    return first;
  }
}
