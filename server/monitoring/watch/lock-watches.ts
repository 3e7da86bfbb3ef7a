import type { WatchAnswer } from '../../contract/lock/watch';
import type { Clock } from '../../platform/clock';
import type { Log } from '../../platform/log';
import { Periodic } from '../../platform/periodic';
import type { TimeSlice } from '../lock-list/order/time-slice';
import { AnswerTurns } from './answer-turns';
import { OpenWatch } from './open-watch';
import { VersionSeal } from './version-seal';
import type { WatchJournals } from './watch-journals';
import { positionText, type WatchPosition } from './watch-position';
import type { WatchReader } from './watch-reader';
import type { WatchTarget } from './watch-target';
import type { WatchedNamespace } from './watched-namespace';

/** Watches are woken at most once per tick, however many changes there are. */
const TICK_MS = 100;

/** How a watch is answered. */
export interface WatchPace {
  /** The watch is answered after this time at the latest, even without a change. */
  waitMs: number;
  signal: AbortSignal;
  /** Called whenever the watch begins to wait. */
  onWaiting: () => void;
  /** Whether each answer needs its own request, which costs more than building the answer. */
  isPolled: boolean;
}

/**
 * The watches of services. All are woken in one tick, from what this process reads in any case: a
 * watch never reads a store. Together they may use a share of one core, and wait when it is used
 * up.
 */
export class LockWatches {
  /** How many states were sent, and how many answers said that a position was not kept. */
  readonly answered = { states: 0, resets: 0 };
  private readonly open = new Set<OpenWatch>();
  private readonly seal = new VersionSeal();
  private readonly turns: AnswerTurns;
  private readonly ticking: Periodic;
  private isDraining = false;

  /** @param processId unique to this process */
  constructor(
    private readonly journals: WatchJournals,
    private readonly reader: WatchReader,
    private readonly slice: () => TimeSlice,
    private readonly clock: Clock,
    private readonly processId: string,
    log: Pick<Log, 'warn'>,
  ) {
    this.turns = new AnswerTurns(slice, () => clock.monotonic());
    this.ticking = new Periodic({
      job: 'wake watches',
      everyMs: TICK_MS,
      run: () => this.tick(),
      log,
    });
  }

  /** Whether watches are answered later because they have used up their share of a core. */
  get isSlowed(): boolean {
    return this.turns.isSlowed;
  }

  /** How many watches are open. */
  get count(): number {
    return this.open.size;
  }

  /**
   * Yields changes of some locks, until the signal is aborted. The first answer has what changed
   * after `since`, or the present states. Until the caller requests the next answer, changes are
   * kept for it.
   *
   * @throws LockyardError `BACKEND_DOWN` before the first reading of the backend
   */
  async *follow(
    target: WatchTarget,
    since: WatchPosition | null,
    pace: WatchPace,
  ): AsyncGenerator<WatchAnswer, void> {
    const { journals, reader, turns, seal, processId } = this;
    const { signal } = pace;
    const watched = journals.of(target);
    const watch = new OpenWatch(target, watched, { journals, reader, turns, seal, processId });
    this.open.add(watch);
    watched.join(watch);
    this.ticking.start();
    if (this.isDraining) watch.end();
    try {
      while (since !== null && !(await watch.catchUp(since, pace))) {
        const isMidway = since.after !== null;
        yield { locks: [], position: positionText(since), reset: false, more: isMidway };
        if (signal.aborted || this.isDraining) return;
      }
      watch.begin(since);
      do {
        const answer = await watch.next(pace);
        this.answered.states += answer.locks.length;
        this.answered.resets += Number(answer.reset);
        yield answer;
      } while (!signal.aborted && !this.isDraining);
    } finally {
      watched.leave(watch);
      watched.usedAt = this.clock.monotonic();
      this.open.delete(watch);
    }
  }

  /** Answers every open watch now, and ends streams: their callers connect elsewhere. */
  drain(): void {
    this.isDraining = true;
    this.turns.hurry();
    for (const watch of this.open) watch.end();
  }

  async close(): Promise<void> {
    this.drain();
    await this.ticking.stop();
  }

  private async tick(): Promise<void> {
    const namespaces = this.journals.current();
    if (namespaces.length === 0) void this.ticking.stop();
    const slice = this.slice();
    for (const watched of namespaces) await this.wake(watched, slice);
    this.turns.spend(slice.spentMs);
  }

  private async wake(watched: WatchedNamespace, slice: TimeSlice): Promise<void> {
    this.journals.checkReachable(watched);
    this.journals.checkQuiet(watched);
    const covered = {
      version: this.journals.version,
      readUpTo: this.reader.readUpTo(watched.backend),
    };
    const woken = new Set<OpenWatch>();
    for (const change of watched.takeUnsent()) {
      for (const watch of watched.watchesOf(change.name)) {
        if (watch.note(change.name, change.version)) woken.add(watch);
        if (slice.isOver) await slice.pause();
      }
    }
    watched.covered = covered;
    await slice.forEach(woken, (watch) => watch.wake());
  }
}
