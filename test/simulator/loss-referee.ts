import type { Mode } from '@/server/contract/primitives';
import type { LockEvent } from '@/server/core/lock/lock-event';
import type { ObservedHold } from './referee';

/**
 * How many tokens an epoch has: repeated here, since the referee must not rely on the code under
 * test.
 */
const EPOCH_SPAN = 2 ** 41;

/** When a lock was forgotten, and what was true until then. */
interface Loss {
  at: number;
  longestLeaseMs: number;
  epoch: number;
}

/**
 * What the referee still knows after the store has lost it: who may still rely on a lease, and
 * which tokens were used.
 */
export class LossReferee {
  private readonly losses = new Map<string, Loss>();
  /** Locks that were granted or prolonged since they were last forgotten. */
  private readonly served = new Set<string>();
  private longestLeaseMs = 0;
  private epoch = 0;

  /** Called with the events of a lock, after `violation`. */
  watch(id: string, events: readonly LockEvent[]): void {
    for (const { token, expiresAt, at } of events) {
      if (token === undefined || expiresAt === undefined) continue;
      this.served.add(id);
      this.longestLeaseMs = Math.max(this.longestLeaseMs, expiresAt - at);
      this.epoch = Math.max(this.epoch, Math.floor(token / EPOCH_SPAN));
    }
  }

  /** Records a loss. A second one before any caller was served takes nothing from any caller. */
  lose(id: string, at: number, holds: Iterable<ObservedHold>): void {
    for (const hold of holds) hold.lostAt ??= at;
    if (!this.served.delete(id) && this.losses.has(id)) return;
    const { longestLeaseMs, epoch } = this;
    this.losses.set(id, { at, longestLeaseMs, epoch });
  }

  hasLost(id: string): boolean {
    return this.losses.has(id);
  }

  /** Why this lock must not be granted now; null if it may be. */
  violation(
    id: string,
    { token, mode, at }: { token: number; mode: Mode; at: number },
    holds: ReadonlyMap<number, ObservedHold>,
  ): string | null {
    for (const [other, { lostAt, goneAt, expiresAt, mode: held }] of holds) {
      const isCountedOn =
        lostAt !== null && (goneAt === null || goneAt >= lostAt) && expiresAt > at;
      if (isCountedOn && (mode === 'exclusive' || held === 'exclusive')) {
        return `${token} was granted while the lost hold ${other} may still be relied on`;
      }
    }
    const lost = this.losses.get(id);
    if (!lost) return null;
    if (token < (lost.epoch + 1) * EPOCH_SPAN) {
      return `${token} was granted after a loss, in the epoch before it`;
    }
    const tooSoonMs = lost.at + lost.longestLeaseMs - at;
    return tooSoonMs > 0 ? `${token} was granted ${tooSoonMs} ms too soon after a loss` : null;
  }
}
