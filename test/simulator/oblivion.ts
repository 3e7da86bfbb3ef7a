import type { LockEvent } from '@/server/domain/lock-event';
import type { Mode } from '@/server/domain/lock-record';
import type { Tenure } from './truth';

/** Of how many tokens an epoch is: said here once more, since the referee takes nobody's word for it. */
const EPOCH_SPAN = 2 ** 41;

/** When a lock was forgotten, and what was true until then. */
interface Forgotten {
  at: number;
  longestLeaseMs: number;
  epoch: number;
}

/** What the store has forgotten, and the referee has not: who may still count on a lease, and which tokens are used up. */
export class Oblivion {
  private readonly forgotten = new Map<string, Forgotten>();
  /** Locks that were granted or prolonged since they were last forgotten. */
  private readonly served = new Set<string>();
  private longestLeaseMs = 0;
  private epoch = 0;

  /** Told of everything that befalls a lock, after `complaint` of it. */
  watch(id: string, events: readonly LockEvent[]): void {
    for (const { token, expiresAt, at } of events) {
      if (token === undefined || expiresAt === undefined) continue;
      this.served.add(id);
      this.longestLeaseMs = Math.max(this.longestLeaseMs, expiresAt - at);
      this.epoch = Math.max(this.epoch, Math.floor(token / EPOCH_SPAN));
    }
  }

  /** A loss on top of one after which nobody was served yet takes nothing from anybody. */
  forget(id: string, at: number, tenures: Iterable<Tenure>): void {
    for (const tenure of tenures) tenure.lostAt ??= at;
    if (!this.served.delete(id) && this.forgotten.has(id)) return;
    const { longestLeaseMs, epoch } = this;
    this.forgotten.set(id, { at, longestLeaseMs, epoch });
  }

  hasForgotten(id: string): boolean {
    return this.forgotten.has(id);
  }

  /** What is wrong with granting this lock now; null where nothing is. */
  complaint(
    id: string,
    { token, mode, at }: { token: number; mode: Mode; at: number },
    tenures: ReadonlyMap<number, Tenure>,
  ): string | null {
    for (const [other, { lostAt, goneAt, expiresAt, mode: held }] of tenures) {
      const isCountedOn =
        lostAt !== null && (goneAt === null || goneAt >= lostAt) && expiresAt > at;
      if (isCountedOn && (mode === 'exclusive' || held === 'exclusive')) {
        return `${token} was granted while ${other}, which was forgotten, may be counted on`;
      }
    }
    const lost = this.forgotten.get(id);
    if (!lost) return null;
    if (token < (lost.epoch + 1) * EPOCH_SPAN) {
      return `${token} was granted after a loss, in the epoch from before`;
    }
    const tooSoonMs = lost.at + lost.longestLeaseMs - at;
    return tooSoonMs > 0 ? `${token} was granted ${tooSoonMs} ms too soon after a loss` : null;
  }
}
