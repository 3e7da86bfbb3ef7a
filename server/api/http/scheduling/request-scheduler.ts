import type { Clock } from '../../../platform/clock';
import { CALL_CLASSES, type CallClass } from './call-class';
import { InFlightCounter, ScheduledCaller } from './scheduled-caller';
import { SchedulerTally } from './scheduler-tally';
import { SharedWindow } from './shared-window';
import { WaitingTurns } from './waiting-turns';

/** How much work may start on arrival in one turn of the event loop. Calls beyond it are queued. */
const AT_ONCE_UNITS = 8;

/** For how long queued calls are started in one turn of the event loop, before sockets are read. */
const TURN_MS = 4;
/** The clock is read once per this many plain calls. */
const READ_CLOCK_EVERY = 8;

/** Units of all keys together: two full packets of the engine. */
const WHOLE_WINDOW = 512;
/**
 * How many console calls, and pages, may be in flight while programs call, and while they do not.
 */
export const BUSY_CAPACITY = 4;
const IDLE_CAPACITY = 64;

/**
 * After the answers to a key that usually returns this soon, other keys begin no more work for up
 * to this long. Its next calls then share a packet with theirs; otherwise they would miss that
 * packet and wait for a whole one.
 */
const RETURN_WITHIN_MS = 2;
/** A caller counts as active for this long after its last call. */
const LINGER_MS = 20;
/** Work under way for longer than two of these no longer counts. */
const GENERATION_MS = 100;
/** When to try again if every waiting caller has used its room. */
const CHECK_AGAIN_MS = 20;

/** One call, from its request to its answer. */
export class ScheduledTurn {
  /** How long the call waited for its turn, in milliseconds. */
  delayMs = 0;
  next: ScheduledTurn | null = null;
  /** The generation in which it began; null: not begun, or ended. */
  begunIn: number | null = null;

  constructor(
    private readonly scheduler: RequestScheduler,
    readonly caller: ScheduledCaller,
    readonly classIndex: number,
    readonly units: number,
    readonly arrivedAt: number,
    readonly run: (turn: ScheduledTurn) => void,
  ) {}

  /**
   * Ends the turn: the call is answered, or waits for something outside, so others may begin.
   * Idempotent.
   */
  end(): void {
    if (this.begunIn !== null) this.scheduler.ended(this, this.begunIn);
    this.begunIn = null;
  }
}

/**
 * Shares this process between its callers. While there is room a call begins immediately. Otherwise
 * calls are queued: the more urgent class first, though each lower one keeps a small share; within
 * a class callers take turns. While several API keys are active, each may have little work in
 * flight, so that a key whose callers send without a pause fills its own queue, not the engine's.
 *
 * Nothing is refused or dropped here, and calls of one caller and class begin in order of arrival.
 */
export class RequestScheduler {
  readonly tally = new SchedulerTally();
  private readonly callers = new Map<string, ScheduledCaller>();
  /** How many of the callers are programs. */
  private programs = 0;
  private readonly inFlightOfPrograms = new InFlightCounter();
  /** By class. */
  private readonly inFlightOfPeople = CALL_CLASSES.map(() => new InFlightCounter());
  private readonly waiting = new WaitingTurns((caller, classIndex) =>
    this.hasRoom(caller, classIndex),
  );
  /** No waiting caller had room when last checked. */
  private isFull = false;
  private expected: ScheduledCaller | null = null;
  private expectedBy = 0;
  private begunAtOnce = 0;
  private turnAt = 0;
  private generation = 0;
  private isTurnOpen = false;
  private checkAgain: NodeJS.Timeout | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly window = new SharedWindow(),
  ) {}

  /**
   * Runs a call when its turn comes, perhaps immediately.
   *
   * @param caller an API key's id for `hold` and `service`, else an address
   * @param units how much work it is, counted in plain calls
   * @param run begins the call and must not throw; the call must end its turn, whatever its outcome
   */
  submit(
    callClass: CallClass,
    caller: string,
    units: number,
    run: (turn: ScheduledTurn) => void,
  ): void {
    this.openTurn();
    const classIndex = CLASS_INDEX[callClass];
    const owner = this.callerOf(caller, classIndex);
    owner.hasChanged = true;
    this.noteReturn(owner);
    const turn = new ScheduledTurn(this, owner, classIndex, units, this.turnAt, run);
    const isNext = this.waiting.size === 0 || (this.isFull && owner.waiting === 0);
    if (isNext && this.begunAtOnce < AT_ONCE_UNITS && this.hasRoom(owner, classIndex)) {
      this.begunAtOnce += units;
      this.begin(turn, false);
    } else {
      this.waiting.push(turn);
      this.tally.arrived(classIndex);
    }
  }

  /** Like `submit`, but resolves with the turn when it comes. */
  turn(callClass: CallClass, caller: string, units: number): Promise<ScheduledTurn> {
    return new Promise((resolve) => this.submit(callClass, caller, units, resolve));
  }

  /** Only for `ScheduledTurn`. */
  ended({ caller, classIndex, units }: ScheduledTurn, begunIn: number): void {
    caller.inFlight.end(this.generation, begunIn, units);
    this.inFlightWith(caller, classIndex).end(this.generation, begunIn, units);
    caller.hasChanged = true;
    this.isFull = false;
    if (this.programs > 1 && caller.isProgram) this.expectReturn(caller);
    if (this.waiting.size > 0) this.openTurn();
  }

  /** Begins a turn of the event loop. Calls still queued at its end resume after socket reads. */
  private openTurn(): void {
    if (this.isTurnOpen) return;
    this.isTurnOpen = true;
    this.turnAt = this.clock.monotonic();
    const generation = Math.floor(this.turnAt / GENERATION_MS);
    if (generation !== this.generation) this.window.adapt();
    this.generation = generation;
    this.forgetIdle();
    setImmediate(this.closeTurn);
  }

  private readonly closeTurn = (): void => {
    this.isTurnOpen = false;
    this.begunAtOnce = 0;
    if (this.waiting.size > 0) this.serve();
  };

  private serve(): void {
    clearTimeout(this.checkAgain);
    const startedAt = this.clock.monotonic();
    for (let unread = 0; this.waiting.size > 0; ) {
      const turn = this.waiting.take();
      if (!turn) {
        this.isFull = true;
        this.checkAgain = setTimeout(
          this.waitNoLonger,
          this.expected ? RETURN_WITHIN_MS : CHECK_AGAIN_MS,
        );
        return;
      }
      this.isFull = false;
      turn.delayMs = Math.max(0, startedAt - turn.arrivedAt);
      this.begin(turn, true);
      unread += turn.units;
      if (unread < READ_CLOCK_EVERY) continue;
      unread = 0;
      if (this.clock.monotonic() - startedAt >= TURN_MS) break;
    }
    if (this.waiting.size > 0) this.openTurn();
  }

  private readonly waitNoLonger = (): void => {
    this.expected = null;
    this.openTurn();
  };

  private begin(turn: ScheduledTurn, wasWaiting: boolean): void {
    const { caller, classIndex, units } = turn;
    turn.begunIn = this.generation;
    caller.inFlight.begin(this.generation, units);
    this.inFlightWith(caller, classIndex).begin(this.generation, units);
    this.tally.began(classIndex, turn.delayMs, wasWaiting);
    turn.run(turn);
  }

  /** Calls of class `hold` may use twice the room of other calls. */
  private hasRoom(caller: ScheduledCaller, classIndex: number): boolean {
    const together = this.inFlightWith(caller, classIndex).count(this.generation);
    if (!caller.isProgram) return together < (this.programs > 0 ? BUSY_CAPACITY : IDLE_CAPACITY);
    const share = classIndex === CLASS_INDEX.hold ? 2 : 1;
    if (together >= WHOLE_WINDOW * share) return false;
    if (this.programs < 2) return true;
    if (classIndex !== CLASS_INDEX.hold && this.expectsAnother(caller)) return false;
    return caller.inFlight.count(this.generation) < this.window.size * share;
  }

  /** The shared work that measures a caller's room: of all programs, or of a console class. */
  private inFlightWith({ isProgram }: ScheduledCaller, classIndex: number): InFlightCounter {
    return isProgram
      ? this.inFlightOfPrograms
      : (this.inFlightOfPeople[classIndex] as InFlightCounter);
  }

  private expectsAnother(caller: ScheduledCaller): boolean {
    const { expected } = this;
    return expected !== null && expected !== caller && this.turnAt < this.expectedBy;
  }

  private expectReturn(caller: ScheduledCaller): void {
    if (caller.waiting > 0 || caller.inFlight.count(this.generation) > 0) return;
    const now = this.clock.monotonic();
    caller.idleSince = now;
    if (caller.usualReturnMs > RETURN_WITHIN_MS) return;
    this.expected = caller;
    this.expectedBy = now + RETURN_WITHIN_MS;
  }

  private noteReturn(caller: ScheduledCaller): void {
    if (this.expected === caller) this.expected = null;
    if (caller.idleSince === null) return;
    caller.recordAbsence(this.turnAt - caller.idleSince);
    caller.idleSince = null;
  }

  private callerOf(id: string, classIndex: number): ScheduledCaller {
    const known = this.callers.get(id);
    if (known) return known;
    const caller = new ScheduledCaller(id, classIndex <= CLASS_INDEX.service);
    this.callers.set(id, caller);
    if (caller.isProgram) this.programs += 1;
    return caller;
  }

  private forgetIdle(): void {
    const { turnAt, generation } = this;
    for (const caller of this.callers.values()) {
      if (caller.hasChanged) {
        caller.hasChanged = false;
        caller.lastChangeAt = turnAt;
        continue;
      }
      const isBusy = caller.waiting > 0 || caller.inFlight.count(generation) > 0;
      if (isBusy || turnAt - caller.lastChangeAt <= LINGER_MS) continue;
      this.callers.delete(caller.id);
      if (caller.isProgram) this.programs -= 1;
    }
  }
}

const CLASS_INDEX = Object.fromEntries(CALL_CLASSES.map((name, i) => [name, i])) as Record<
  CallClass,
  number
>;
