import type { ReleaseRequestCommand } from '@/server/core/lock/lock-command';
import type { LockEvent } from '@/server/core/lock/lock-event';
import { isReleased, type LockRecord } from '@/server/core/lock/lock-record';

type Verb = ReleaseRequestCommand['verb'];

const NEVER = Number.POSITIVE_INFINITY;

/** What operators have asked of the holder of one hold. */
interface Asked {
  /** The rev of each of their requests, by verb. */
  revs: Record<Verb, Set<number>>;
  /** When the first of them was written, by the clock that is never set; `NEVER`: none was. */
  since: Record<Verb, number>;
  /** The latest end of its lease that was ever set. */
  endsAt: number;
  /** The latest end that its lease may have since its renewals were blocked; `NEVER` before. */
  endsAtMost: number;
}

const VERB_OF: Partial<Record<LockEvent['kind'], Verb>> = {
  asked: 'askRelease',
  stopped: 'stopRenewals',
};

/** Checks that a holder learns what operators ask of it, and that blocked renewals are blocked. */
export class ReleaseRequestReferee {
  /** By lock and token. */
  private readonly asked = new Map<string, Asked>();

  /**
   * The violations in a step, in words.
   *
   * @param instant when it was taken, by the clock that is never set
   */
  violations(id: string, record: LockRecord, events: LockEvent[], instant: number): string[] {
    for (const event of events) this.observe(id, event, instant);
    return record.holds
      .filter((hold) => !isReleased(hold))
      .flatMap(({ token, expiresAt, askedToRelease, renewalsStopped }) => {
        const { since, endsAtMost } = this.of(id, token);
        const wrong: [boolean, string][] = [
          [since.askRelease < NEVER && !askedToRelease, 'no longer knows that it is wanted'],
          [since.stopRenewals < NEVER && !renewalsStopped, 'may be renewed again'],
          [!!askedToRelease && since.askRelease === NEVER, 'is wanted, and by no operator'],
          [!!renewalsStopped && since.stopRenewals === NEVER, 'is blocked by no operator'],
          [expiresAt > endsAtMost, 'was renewed, and an operator had blocked that'],
        ];
        return wrong.flatMap(([isWrong, how]) => (isWrong ? [`${token} ${how}`] : []));
      });
  }

  /** Whether this request of an operator was written with this rev. */
  wasWritten(id: string, token: number, verb: Verb, rev: number): boolean {
    return this.of(id, token).revs[verb].has(rev);
  }

  /** Whether an operator had asked this of the holder before an instant. */
  wasAskedBefore(id: string, token: number, verb: Verb, instant: number): boolean {
    return this.of(id, token).since[verb] < instant;
  }

  /** Whether an operator has blocked the renewals of this hold. */
  isBlocked(id: string, token: number): boolean {
    return this.of(id, token).since.stopRenewals < NEVER;
  }

  private observe(id: string, { kind, token, expiresAt = 0, rev }: LockEvent, instant: number) {
    if (token === undefined) return;
    const asked = this.of(id, token);
    asked.endsAt = Math.max(asked.endsAt, expiresAt);
    if (kind === 'extended') asked.endsAtMost = Math.max(asked.endsAtMost, expiresAt);
    const verb = VERB_OF[kind];
    if (!verb) return;
    asked.revs[verb].add(rev);
    asked.since[verb] = Math.min(asked.since[verb], instant);
    if (verb === 'stopRenewals') asked.endsAtMost = Math.min(asked.endsAtMost, asked.endsAt);
  }

  private of(id: string, token: number): Asked {
    const key = `${id} ${token}`;
    const asked = this.asked.get(key) ?? {
      revs: { askRelease: new Set<number>(), stopRenewals: new Set<number>() },
      since: { askRelease: NEVER, stopRenewals: NEVER },
      endsAt: 0,
      endsAtMost: NEVER,
    };
    this.asked.set(key, asked);
    return asked;
  }
}
