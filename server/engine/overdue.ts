import type { PendingCommand } from './pending-command';

/** How long after its budget a command may still be waited for: for the packet that was under way when that ended. */
const GRACE_MS = 1_100;

const SWEEP_EVERY_MS = 100;

/**
 * Watches that every command is answered in time, whatever its store does. Commands are kept in the order in which they
 * came, so a sweep looks at those alone that are overdue.
 */
export class Overdue {
  private readonly watched = new Set<PendingCommand>();
  private timer: NodeJS.Timeout | undefined;

  /** @param give tells the caller of an overdue command that nobody will wait for it any longer */
  constructor(
    private readonly monotonic: () => number,
    private readonly give: (pending: PendingCommand) => void,
  ) {}

  watch(pending: PendingCommand): void {
    this.watched.add(pending);
    this.timer ??= setInterval(() => this.sweep(), SWEEP_EVERY_MS).unref();
  }

  answered(pending: PendingCommand): void {
    this.watched.delete(pending);
  }

  private sweep(): void {
    const now = this.monotonic();
    for (const pending of this.watched) {
      if (pending.dueAt + GRACE_MS > now) break;
      this.watched.delete(pending);
      this.give(pending);
    }
    if (this.watched.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
