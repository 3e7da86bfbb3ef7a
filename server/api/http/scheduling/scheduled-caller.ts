import { CALL_CLASSES } from './call-class';
import type { ScheduledTurn } from './request-scheduler';
import { UnderWay } from './under-way';

/** Between whom capacity is shared: one API key, or one address that the console is used from. */
export class ScheduledCaller {
  readonly underWay = new UnderWay();
  /** By class, oldest first. */
  readonly lines = CALL_CLASSES.map(() => new Line());
  /** Calls that wait, of all classes. */
  waiting = 0;
  /** A call came, or ended, since the scheduler last looked. */
  isFresh = true;
  /** When that was so, as far as the scheduler saw. */
  lastAt = 0;
  /** Since when all of its calls are answered; null while one is not. */
  idleSince: number | null = null;
  /** How soon after its answers it usually comes back, in milliseconds. */
  comesBackMs = Number.POSITIVE_INFINITY;
  /** Units that it was served beyond its part of a round. */
  debt = 0;

  constructor(
    readonly id: string,
    readonly isProgram: boolean,
  ) {}

  wasAwayFor(ms: number): void {
    const { comesBackMs } = this;
    this.comesBackMs = Number.isFinite(comesBackMs) ? comesBackMs + (ms - comesBackMs) / 4 : ms;
  }
}

class Line {
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
