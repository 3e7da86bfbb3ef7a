import type { LockEvent } from '@/server/core/lock/lock-event';
import { type Hold, isReleased, type LockRecord } from '@/server/core/lock/lock-record';

/** One step of a lock in the database; `at`: by the database's clock. */
interface LockStep {
  old: LockRecord | null;
  record: LockRecord;
  events: readonly LockEvent[];
  at: number;
}

/** Checks that a lock with a minimum hold time is not freed sooner. */
export class LeastTimeReferee {
  /** Holds that ended too soon without force: correct only if no caller had received the grant. */
  private readonly undone = new Set<string>();

  /** The violations in a step, in words. */
  observe(id: string, { old, record, events, at }: LockStep): string[] {
    const wrong: string[] = [];
    for (const hold of old?.holds ?? []) {
      const { token, keptUntil = 0 } = hold;
      const next = record.holds.find((other) => other.token === token);
      const isForced = events.some((event) => event.kind === 'forced' && event.token === token);
      const isTooSoon = !next && !isForced && at < keptUntil;
      if (!isReleased(hold)) {
        if (isTooSoon && !isKept(events, token)) this.undone.add(`${id} ${token}`);
      } else if (isTooSoon) {
        wrong.push(`${token} was released, and freed ${keptUntil - at} ms too soon`);
      } else if (next && !isSame(hold, next)) {
        wrong.push(`${token} was changed after its release`);
      }
    }
    return wrong;
  }

  /** Whether a hold that a caller received and released was freed too soon. */
  wasFreedTooSoon(id: string, token: number): boolean {
    return this.undone.has(`${id} ${token}`);
  }
}

const isKept = (events: readonly LockEvent[], token: number) =>
  events.some((event) => event.kind === 'kept' && event.token === token);

const isSame = (one: Hold, other: Hold) =>
  one.releasedAt === other.releasedAt && one.expiresAt === other.expiresAt;
