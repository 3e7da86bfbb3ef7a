import { CALL_CLASSES } from './call-class';
import type { ScheduledTurn } from './request-scheduler';
import type { ScheduledCaller } from './scheduled-caller';

/** By class: after this many units of higher classes, one of its calls goes first. */
const PASSED_OVER_MAX = [Number.POSITIVE_INFINITY, 4, 16, 32];

const LAST = CALL_CLASSES.length - 1;

/**
 * Calls that wait for their turn: the more urgent class first, though each lower one keeps a small
 * share; within a class callers take turns; calls of one caller and class in order of arrival.
 */
export class WaitingTurns {
  size = 0;
  /** By class: callers with waiting calls, in the order of their turns. */
  private readonly rounds: ScheduledCaller[][] = CALL_CLASSES.map(() => []);
  /** By class: units of higher classes served while it waited. */
  private readonly passedOver = CALL_CLASSES.map(() => 0);

  /** @param hasRoom whether a call of this caller and class may begin now */
  constructor(private readonly hasRoom: (caller: ScheduledCaller, classIndex: number) => boolean) {}

  push(turn: ScheduledTurn): void {
    const { caller, classIndex } = turn;
    const queue = caller.queues[classIndex] ?? never();
    if (queue.isEmpty) this.rounds[classIndex]?.push(caller);
    queue.push(turn);
    caller.waiting += 1;
    this.size += 1;
  }

  /** Takes the next call; null if no queued call has room. */
  take(): ScheduledTurn | null {
    for (let classIndex = LAST; classIndex > 0; classIndex -= 1) {
      if ((this.passedOver[classIndex] ?? 0) < (PASSED_OVER_MAX[classIndex] ?? 0)) continue;
      const turn = this.takeOf(classIndex);
      if (turn) return turn;
    }
    for (let classIndex = 0; classIndex <= LAST; classIndex += 1) {
      const turn = this.takeOf(classIndex);
      if (turn) return turn;
    }
    return null;
  }

  private takeOf(classIndex: number): ScheduledTurn | null {
    const round = this.rounds[classIndex] ?? never();
    for (let full = 0; full < round.length; ) {
      const caller = round.shift() ?? never();
      if (!this.hasRoom(caller, classIndex)) {
        round.push(caller);
        full += 1;
      } else if (caller.debt > 0 && round.length > 0) {
        caller.debt -= 1;
        round.push(caller);
        full = 0;
      } else {
        return this.takeFrom(caller, classIndex, round);
      }
    }
    return null;
  }

  private takeFrom(
    caller: ScheduledCaller,
    classIndex: number,
    round: ScheduledCaller[],
  ): ScheduledTurn {
    const queue = caller.queues[classIndex] ?? never();
    const turn = queue.shift() ?? never();
    if (queue.isEmpty) {
      caller.debt = 0;
    } else {
      caller.debt += turn.units - 1;
      round.push(caller);
    }
    caller.waiting -= 1;
    this.size -= 1;
    this.passedOver[classIndex] = 0;
    for (let lower = classIndex + 1; lower <= LAST; lower += 1) {
      const isWaiting = (this.rounds[lower]?.length ?? 0) > 0;
      this.passedOver[lower] = isWaiting ? (this.passedOver[lower] ?? 0) + turn.units : 0;
    }
    return turn;
  }
}

function never(): never {
  throw new Error('The scheduler lost track of its own queues.');
}
