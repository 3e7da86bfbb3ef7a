import { Periodic } from '../platform/periodic';
import type { PendingCommand } from './pending-command';

/**
 * How long after its budget a command may still be waited for: for the packet that was under way
 * when that ended.
 */
const GRACE_MS = 1_100;

const SWEEP_EVERY_MS = 100;

/** A place in the list of those that are watched. */
export interface WatchedCommand {
  pending: PendingCommand | null;
  before: WatchedCommand;
  after: WatchedCommand;
}

/**
 * Watches that every command is answered in time, whatever its store does. Commands are kept in the
 * order in which they came, so a sweep looks at those alone that are overdue.
 *
 * A list whose places are cut loose when they are left: of a set that so many pass through, the
 * garbage collector keeps dead parts, and all that was ever in them, for a long time.
 */
export class Deadlines {
  private readonly end: WatchedCommand;
  private readonly sweeping = new Periodic({
    job: 'answer overdue commands',
    everyMs: SWEEP_EVERY_MS,
    run: () => this.sweep(),
  });

  /** @param refuse answers the caller of an overdue command, which is no longer waited for */
  constructor(
    private readonly monotonic: () => number,
    private readonly refuse: (pending: PendingCommand) => void,
  ) {
    const end = { pending: null } as WatchedCommand;
    end.before = end;
    end.after = end;
    this.end = end;
  }

  watch(pending: PendingCommand): WatchedCommand {
    const { end } = this;
    const entry: WatchedCommand = { pending, before: end.before, after: end };
    end.before.after = entry;
    end.before = entry;
    this.sweeping.start();
    return entry;
  }

  answered(place: WatchedCommand): void {
    if (!place.pending) return;
    place.before.after = place.after;
    place.after.before = place.before;
    place.pending = null;
    place.before = place;
    place.after = place;
  }

  private sweep(): void {
    const now = this.monotonic();
    for (;;) {
      const { after: first } = this.end;
      const { pending } = first;
      if (!pending) break;
      if (pending.dueAt + GRACE_MS > now) return;
      this.answered(first);
      this.refuse(pending);
    }
    void this.sweeping.stop();
  }
}
