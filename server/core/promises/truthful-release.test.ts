import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Lost, ReleaseAnswer } from '../../contract/lock/answers';
import type { ReleaseCommand } from '../lock/lock-command';
import { type Answered, Campaign, type Referee } from '../testing/campaign';
import { SKEW_MAX_MS, steps } from '../testing/campaign-steps';
import { HoldLedger, holdsMoved } from '../testing/hold-ledger';
import type { Written } from '../testing/lock-world';
import { PROPERTY_MS, RUNS } from '../testing/property-runs';

class ReleaseReferee implements Referee {
  private readonly ledger = new HoldLedger();
  private readonly firstAnswers = new Map<string, ReleaseAnswer>();

  onWritten(written: Written): void {
    this.ledger.onWritten(written);
    for (const { hold, ending } of this.ledger.entries.values()) {
      if (ending?.cause === 'expired') expect(ending.at).toBe(hold.expiresAt);
    }
  }

  onAnswered(answered: Answered): void {
    const { command, decision } = answered.proposal;
    if (command.verb !== 'release') return;
    const answer = decision.answer as ReleaseAnswer;
    const isRemembered = decision.storedAnswers.some(({ key }) => key === command.request?.key);
    if (this.isReplay(command, answer, isRemembered)) return;
    if (answer.outcome === 'lost') this.checkLost(command, answer, answered);
    else this.checkStep(command, answer, answered);
  }

  /** A request id keeps its first answer, if that changed something. */
  private isReplay(
    { request }: ReleaseCommand,
    answer: ReleaseAnswer,
    isRemembered: boolean,
  ): boolean {
    if (!request) return false;
    const first = this.firstAnswers.get(request.key);
    if (first) expect({ ...answer, freesInMs: 0 }).toEqual({ ...first, freesInMs: 0 });
    else if (isRemembered) this.firstAnswers.set(request.key, answer);
    return first !== undefined;
  }

  private checkStep({ token }: ReleaseCommand, answer: ReleaseAnswer, answered: Answered): void {
    const { written } = answered;
    if (answer.outcome === 'released' && answer.freesAt !== undefined) {
      const { hold, ending } = this.ledger.entry(token);
      expect(ending).toBe(null);
      expect(hold.expiresAt).toBe(answer.freesAt);
      expect(hold.releasedAt).toBeLessThanOrEqual(answered.proposal.context.now + SKEW_MAX_MS);
      return;
    }
    expect(written, `${answer.outcome} though nothing was written`).not.toBe(null);
    if (!written) return;
    const { ended, changed } = holdsMoved(written.before, written.after);
    if (answer.outcome === 'released') {
      expect(ended.find((hold) => hold.token === token)).toMatchObject({ count: 1 });
      expect(this.ledger.entry(token).ending).toMatchObject({ cause: 'released' });
    } else if (answer.outcome === 'decremented') {
      expect(changed).toMatchObject([{ hold: { token, count: answer.holdCount } }]);
      expect(changed[0]?.was.count).toBe(answer.holdCount + 1);
      expect(answer.holdCount).toBeGreaterThan(0);
    }
  }

  private checkLost({ token, owner }: ReleaseCommand, answer: Lost, answered: Answered): void {
    const entry = this.ledger.entries.get(token);
    expect(answer.at).toBeLessThanOrEqual(answered.proposal.context.now + SKEW_MAX_MS);
    if (!entry || entry.hold.owner !== owner || !entry.ending) {
      expect(answer).toMatchObject({ cause: 'superseded' });
      expect(answer).not.toHaveProperty('by');
      return;
    }
    const { at, by, reason } = entry.ending;
    expect(answer.cause).toBe(this.ledger.expectedCause(token));
    if (answer.cause === 'superseded') {
      expect(answer.at, 'answered as over before it was').toBeGreaterThanOrEqual(at - SKEW_MAX_MS);
    } else {
      expect([answer.at, answer.by, answer.reason]).toEqual([at, by, reason]);
    }
  }
}

it(
  'promise 5: releases answer `released`, `decremented` or `lost`, with true cause, actor and time',
  () => {
    fc.assert(
      fc.property(steps, (played) => {
        new Campaign([new ReleaseReferee()]).play(played);
      }),
      RUNS,
    );
  },
  PROPERTY_MS,
);
