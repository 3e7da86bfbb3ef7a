import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Mode } from '../../contract/primitives';
import { decide } from '../lock/decide';
import { Campaign, type Referee } from '../testing/campaign';
import { steps } from '../testing/campaign-steps';
import { HoldLedger } from '../testing/hold-ledger';
import type { Written } from '../testing/lock-world';
import { PROPERTY_MS, RUNS } from '../testing/property-runs';

/** Judges by what was written and when, on the store's clock, not by what the record says. */
class ExclusionReferee implements Referee {
  private readonly ledger = new HoldLedger();

  onWritten(written: Written): void {
    const { writtenAt } = written;
    this.ledger.onWritten(written);
    expectTogether(written.after.holds.map(({ mode }) => mode));
    for (const { hold, ending } of this.ledger.entries.values()) {
      const endedHere = ending?.writtenAt === writtenAt;
      if (endedHere && ending.cause === 'expired') {
        expect(hold.expiresAt, 'a lease was cut short').toBeLessThanOrEqual(writtenAt);
      }
    }
    const tokens = [...this.ledger.entries.keys()];
    const live = tokens.filter((token) => this.ledger.isLive(token, writtenAt));
    expectTogether(live.map((token) => this.ledger.entry(token).hold.mode));
    const valid = tokens.filter((token) => isValid(written, token));
    const isOwned = (token: number) => this.ledger.entry(token).hold.releasedAt === undefined;
    expect(valid).toEqual(live.filter(isOwned));
  }
}

/** An exclusive hold is alone; shared ones may be many, and so may permit holds. */
function expectTogether(modes: Mode[]): void {
  if (modes.includes('exclusive')) expect(modes).toHaveLength(1);
  expect(new Set(modes).size, 'holds of several modes').toBeLessThanOrEqual(1);
}

function isValid({ after, writtenAt, context }: Written, token: number): boolean {
  const { answer } = decide(after, { verb: 'check', token }, { ...context, now: writtenAt });
  return answer.valid;
}

it(
  'promise 1: at most one exclusive hold is live at any instant of the backend’s clock',
  () => {
    fc.assert(
      fc.property(steps, (played) => {
        new Campaign([new ExclusionReferee()]).play(played);
      }),
      RUNS,
    );
  },
  PROPERTY_MS,
);
