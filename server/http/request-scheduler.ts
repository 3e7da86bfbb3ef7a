import type { Clock } from '../clock';
import { CALL_CLASSES, type CallClass } from './call-class';
import { ScheduledCaller } from './scheduled-caller';
import { SchedulerTally } from './scheduler-tally';
import { SharedWindow } from './shared-window';
import { UnderWay } from './under-way';

/** So much work is begun as it arrives, before anybody has to wait for a turn. */
const AT_ONCE_UNITS = 8;

/** Work begun in one turn of the event loop; then sockets are read, so that nothing urgent is overlooked. */
const TURN_MS = 4;
/** The clock is read once in so many calls. */
const READ_CLOCK_EVERY = 8;

/** Units of all keys together: two full packets of the engine. */
const WHOLE_WINDOW = 512;
/** Console calls under way, and pages, while programs call and while they do not. */
const BUSY_ROOM = 2;
const IDLE_ROOM = 64;

/** Between two of its calls a caller counts as active for so long. */
const LINGER_MS = 20;
/** What has been under way for longer than two of these does not count. */
const GENERATION_MS = 100;
/** How soon to look again when each caller that waits has enough under way. */
const LOOK_AGAIN_MS = 20;

/** By class: after so many units of higher classes one call goes first, whatever waits above it. */
const PASSED_OVER_MAX = [Number.POSITIVE_INFINITY, 4, 16, 32];

/** One call on its way from its request to its answer. */
export class ScheduledTurn {
  /** How long the call waited for its turn, in milliseconds. */
  delayMs = 0;
  next: ScheduledTurn | null = null;
  /** Null: not begun, or over. */
  begunIn: number | null = null;

  constructor(
    private readonly scheduler: RequestScheduler,
    readonly caller: ScheduledCaller,
    readonly place: number,
    readonly units: number,
    readonly arrivedAt: number,
    readonly run: (turn: ScheduledTurn) => void,
  ) {}

  /**
   * The call is answered, or waits for something that is not this process: others may begin. May be called again, which
   * does nothing.
   */
  end(): void {
    if (this.begunIn !== null) this.scheduler.ended(this, this.begunIn);
    this.begunIn = null;
  }
}

/**
 * Shares this process between its callers, in one place. While there is room a call begins at once. Otherwise calls wait
 * in lines: the more urgent class first, though a lower one keeps a small part; within a class one caller after the
 * other. While several API keys are active each may have little under way, so that a key whose callers send without a
 * pause fills its own line and not the engine.
 *
 * Nothing is refused or dropped here, and calls of one caller and class begin in the order in which they came.
 */
export class RequestScheduler {
  readonly tally = new SchedulerTally();
  private readonly callers = new Map<string, ScheduledCaller>();
  /** How many of those are programs. */
  private programs = 0;
  /** By class: callers with calls that wait, in the order of their turns. */
  private readonly rounds: ScheduledCaller[][] = CALL_CLASSES.map(() => []);
  /** By class: units of higher classes that began while it waited. */
  private readonly passedOver = CALL_CLASSES.map(() => 0);
  private readonly ofPrograms = new UnderWay();
  /** By class. */
  private readonly ofPeople = CALL_CLASSES.map(() => new UnderWay());
  private waiting = 0;
  private begunAtOnce = 0;
  private turnAt = 0;
  private generation = 0;
  private isTurnOpen = false;
  private lookAgain: NodeJS.Timeout | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly window = new SharedWindow(),
  ) {}

  /**
   * Runs a call when its turn comes, perhaps at once.
   *
   * @param caller an API key's id for `hold` and `service`, else an address
   * @param units how much work it is, counted in plain calls
   * @param run begins the call and must not throw; whatever becomes of the call has to end its turn
   */
  submit(
    callClass: CallClass,
    caller: string,
    units: number,
    run: (turn: ScheduledTurn) => void,
  ): void {
    this.openTurn();
    const place = PLACES[callClass];
    const owner = this.callerOf(caller, place);
    owner.isFresh = true;
    const turn = new ScheduledTurn(this, owner, place, units, this.turnAt, run);
    const isQuiet = this.waiting === 0 && this.begunAtOnce < AT_ONCE_UNITS;
    if (isQuiet && this.hasRoom(owner, place)) {
      this.begunAtOnce += units;
      this.begin(turn, false);
    } else {
      this.wait(turn);
    }
  }

  /** As `submit`: answers the turn that has come. */
  turn(callClass: CallClass, caller: string, units: number): Promise<ScheduledTurn> {
    return new Promise((resolve) => this.submit(callClass, caller, units, resolve));
  }

  /** For `ScheduledTurn` alone. */
  ended({ caller, place, units }: ScheduledTurn, begunIn: number): void {
    caller.underWay.end(this.generation, begunIn, units);
    this.together(caller, place).end(this.generation, begunIn, units);
    caller.isFresh = true;
    if (this.waiting > 0) this.openTurn();
  }

  /** Begins a turn of the event loop. What waits at its end goes on once its sockets were read. */
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
    if (this.waiting > 0) this.serve();
  };

  private serve(): void {
    clearTimeout(this.lookAgain);
    const startedAt = this.clock.monotonic();
    for (let served = 0; this.waiting > 0; ) {
      const turn = this.takeNext();
      if (!turn) {
        this.lookAgain = setTimeout(() => this.openTurn(), LOOK_AGAIN_MS);
        return;
      }
      turn.delayMs = Math.max(0, startedAt - turn.arrivedAt);
      this.begin(turn, true);
      served += 1;
      const readsClock = served % READ_CLOCK_EVERY === 0;
      if (readsClock && this.clock.monotonic() - startedAt >= TURN_MS) break;
    }
    if (this.waiting > 0) this.openTurn();
  }

  private begin(turn: ScheduledTurn, wasWaiting: boolean): void {
    const { caller, place, units } = turn;
    turn.begunIn = this.generation;
    caller.underWay.begin(this.generation, units);
    this.together(caller, place).begin(this.generation, units);
    this.tally.began(place, turn.delayMs, wasWaiting);
    turn.run(turn);
  }

  private wait(turn: ScheduledTurn): void {
    const { caller, place } = turn;
    const line = caller.lines[place] ?? never();
    if (line.isEmpty) this.rounds[place]?.push(caller);
    line.push(turn);
    caller.waiting += 1;
    this.waiting += 1;
    this.tally.arrived(place);
  }

  /** The call whose turn it is; null if each caller that waits has enough under way. */
  private takeNext(): ScheduledTurn | null {
    for (let place = LAST; place > 0; place -= 1) {
      if ((this.passedOver[place] ?? 0) < (PASSED_OVER_MAX[place] ?? 0)) continue;
      const turn = this.take(place);
      if (turn) return turn;
    }
    for (let place = 0; place <= LAST; place += 1) {
      const turn = this.take(place);
      if (turn) return turn;
    }
    return null;
  }

  private take(place: number): ScheduledTurn | null {
    const round = this.rounds[place] ?? never();
    for (let full = 0; full < round.length; ) {
      const caller = round.shift() ?? never();
      if (!this.hasRoom(caller, place)) {
        round.push(caller);
        full += 1;
      } else if (caller.debt > 0 && round.length > 0) {
        caller.debt -= 1;
        round.push(caller);
        full = 0;
      } else {
        return this.takeFrom(caller, place, round);
      }
    }
    return null;
  }

  private takeFrom(
    caller: ScheduledCaller,
    place: number,
    round: ScheduledCaller[],
  ): ScheduledTurn | null {
    const line = caller.lines[place] ?? never();
    const turn = line.shift() ?? never();
    if (line.isEmpty) caller.debt = 0;
    else {
      caller.debt += turn.units - 1;
      round.push(caller);
    }
    caller.waiting -= 1;
    this.waiting -= 1;
    this.passedOver[place] = 0;
    for (let lower = place + 1; lower <= LAST; lower += 1) {
      const isWaiting = (this.rounds[lower]?.length ?? 0) > 0;
      this.passedOver[lower] = isWaiting ? (this.passedOver[lower] ?? 0) + turn.units : 0;
    }
    return turn;
  }

  /** What keeps holds finds room where other calls of its key find none. */
  private hasRoom(caller: ScheduledCaller, place: number): boolean {
    const together = this.together(caller, place).count(this.generation);
    if (!caller.isProgram) return together < (this.programs > 0 ? BUSY_ROOM : IDLE_ROOM);
    const share = place === PLACES.hold ? 2 : 1;
    if (together >= WHOLE_WINDOW * share) return false;
    return this.programs < 2 || caller.underWay.count(this.generation) < this.window.size * share;
  }

  /** What counts against a room that callers share. */
  private together({ isProgram }: ScheduledCaller, place: number): UnderWay {
    return isProgram ? this.ofPrograms : (this.ofPeople[place] ?? never());
  }

  private callerOf(id: string, place: number): ScheduledCaller {
    const known = this.callers.get(id);
    if (known) return known;
    const caller = new ScheduledCaller(id, place <= PLACES.service);
    this.callers.set(id, caller);
    if (caller.isProgram) this.programs += 1;
    return caller;
  }

  private forgetIdle(): void {
    const { turnAt, generation } = this;
    for (const caller of this.callers.values()) {
      if (caller.isFresh) {
        caller.isFresh = false;
        caller.lastAt = turnAt;
        continue;
      }
      const isBusy = caller.waiting > 0 || caller.underWay.count(generation) > 0;
      if (isBusy || turnAt - caller.lastAt <= LINGER_MS) continue;
      this.callers.delete(caller.id);
      if (caller.isProgram) this.programs -= 1;
    }
  }
}

const PLACES = Object.fromEntries(CALL_CLASSES.map((name, i) => [name, i])) as Record<
  CallClass,
  number
>;
const LAST = CALL_CLASSES.length - 1;

function never(): never {
  throw new Error('The scheduler lost track of its own lines.');
}
