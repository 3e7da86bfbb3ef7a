import { COMMAND_GRACE_MS, DEADLINES_EVERY_MS } from '../../core/timing';
import { Periodic } from '../../platform/periodic';
import type { EngineContext } from '../engine-context';
import { backendDown, contended } from '../refusals';
import { Linked } from './linked';
import { PendingReply } from './pending-reply';

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
