import type { LockyardError } from '../contract/errors';
import { COMMAND_GRACE_MS, DEADLINES_EVERY_MS } from '../core/timing';
import { Periodic } from '../platform/periodic';
import type { EngineContext } from './engine-context';
import { backendDown, contended, unknownIfDenied } from './refusals';

/** An entry of a circular doubly linked list. Outside a list it is linked to itself. */
class Linked {
  before: Linked = this;
  after: Linked = this;

  linkBefore(next: Linked): void {
    this.before = next.before;
    this.after = next;
    next.before.after = this;
    next.before = this;
  }

  unlink(): void {
    this.before.after = this.after;
    this.after.before = this.before;
    this.before = this;
    this.after = this;
  }
}

/** The reply to a caller that waits for its answer or refusal. */
export class PendingReply<R> extends Linked {
  /** Whether its caller was answered or refused: then it must not be decided again. */
  isAnswered = false;
  /** Whether a swap with its change is under way, or has an unknown outcome. */
  mayBeApplied = false;
  /** Whether one of its changes was applied, which deciding it again does not undo. */
  wasApplied = false;
  /** Whether another transaction had its row locked, so that it waits for another turn. */
  isHindered = false;

  /** @param dueAt when its time budget ends, on the monotonic clock */
  constructor(
    readonly dueAt: number,
    private readonly resolve: (result: R) => void,
    private readonly reject: (error: unknown) => void,
  ) {
    super();
  }

  /** Answers the caller. False: it was refused before. */
  protected resolveOnce(result: R): boolean {
    if (this.isAnswered) return false;
    this.end();
    this.resolve(result);
    return true;
  }

  /**
   * Whether another transaction had its row locked until its budget ended: it must be refused now,
   * since the result of another attempt could be too late.
   */
  isHinderedPast(now: number): boolean {
    return this.isHindered && now >= this.dueAt;
  }

  /** Refuses the caller, with `UNKNOWN` if the error would wrongly say that nothing was changed. */
  refuse(error: LockyardError): void {
    this.end();
    this.reject(this.mayBeApplied || this.wasApplied ? unknownIfDenied(error) : error);
  }

  private end(): void {
    this.isAnswered = true;
    this.unlink();
  }
}

/**
 * Ensures that every command is answered in time, even if its store does not respond. They are
 * listed by due time, so a sweep reads only those that are overdue. Most arrive in that order: then
 * a new one is the last.
 *
 * A linked list rather than a set: when many entries pass through a set, the garbage collector
 * keeps its dead parts, with all their former entries, for a long time.
 */
export class Deadlines {
  private readonly list = new Linked();
  private readonly sweeping = new Periodic({
    job: 'answer overdue commands',
    everyMs: DEADLINES_EVERY_MS,
    run: () => this.sweep(),
  });

  constructor(private readonly context: EngineContext) {}

  watch(reply: PendingReply<never>): void {
    let next = this.list;
    while (isDueAfter(next.before, reply)) next = next.before;
    reply.linkBefore(next);
    this.sweeping.start();
  }

  /** Refuses overdue commands, which may still be applied. */
  private sweep(): void {
    const now = this.context.monotonic();
    for (;;) {
      const first = this.list.after;
      if (!(first instanceof PendingReply)) break;
      if (first.dueAt + COMMAND_GRACE_MS > now) return;
      const why = first.isHindered ? contended() : backendDown(null);
      first.refuse(this.context.membership.refusal ?? why);
    }
    void this.sweeping.stop();
  }
}

function isDueAfter(one: Linked, other: PendingReply<never>): boolean {
  return one instanceof PendingReply && one.dueAt > other.dueAt;
}
