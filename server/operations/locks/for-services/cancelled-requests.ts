import type { RequestIdentity } from '../../../core/request-fingerprint';
import type { Clock } from '../../../platform/clock';

/** How late an acquire can arrive after its own cancel. */
const KEPT_MS = 60_000;

/** The most that are kept; of more, the oldest are forgotten. */
const KEPT_MAX = 10_000;

/**
 * Acquires that were cancelled at this process a moment ago. One that arrives after its own cancel,
 * because a proxy or a busy server delayed it, must not get the lock: its caller has gone.
 */
export class CancelledRequests {
  /** When each was cancelled, by request and owner, the earliest first. */
  private readonly cancelledAt = new Map<string, number>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  note(request: RequestIdentity, owner: string): void {
    const id = idOf(request, owner);
    this.cancelledAt.delete(id);
    this.cancelledAt.set(id, this.clock.monotonic());
    const oldest = this.clock.monotonic() - KEPT_MS;
    for (const [other, at] of this.cancelledAt) {
      if (at >= oldest && this.cancelledAt.size <= KEPT_MAX) return;
      this.cancelledAt.delete(other);
    }
  }

  has(request: RequestIdentity, owner: string): boolean {
    if (!request.remembered || this.cancelledAt.size === 0) return false;
    const at = this.cancelledAt.get(idOf(request, owner));
    return at !== undefined && this.clock.monotonic() - at <= KEPT_MS;
  }
}

const idOf = ({ key }: RequestIdentity, owner: string) => `${key} ${owner}`;
