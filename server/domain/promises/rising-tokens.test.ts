import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LockRecord } from '../lock-record';
import { restoredLock } from '../restored-record';
import { Campaign, type Referee } from '../testing/campaign';
import { type Step, steps } from '../testing/campaign-steps';
import { holdsMoved } from '../testing/hold-ledger';
import type { LockWorld, Written } from '../testing/lock-world';
import { PROPERTY_MS, RUNS } from '../testing/property-runs';

class TokenReferee implements Referee {
  private highest = 0;

  onWritten({ before, after, decision }: Written): void {
    const { granted } = holdsMoved(before, after);
    for (const { token } of granted) {
      expect(Number.isSafeInteger(token)).toBe(true);
      expect(token).toBeGreaterThan(this.highest);
      this.highest = token;
    }
    if (granted.length > 0) expect(after.lastToken).toBe(this.highest);
    const told = decision.events.flatMap((e) => (e.kind === 'granted' ? [e.token] : []));
    expect(told).toEqual(granted.map(({ token }) => token));
  }
}

/** What may happen to a store between two commands. */
const mishaps = fc.constantFrom('none', 'forgotten', 'wiped', 'setBack', 'restored', 'clockBack');
type Mishap = 'none' | 'forgotten' | 'wiped' | 'setBack' | 'restored' | 'clockBack';

const MONTH_MS = 30 * 86_400_000;

/** Forgetting is for free records at rest; a store that lost its memory, or its clock with it, raises its epoch. */
function befall(world: LockWorld, mishap: Mishap, old: LockRecord | null): void {
  if (mishap === 'forgotten') {
    world.pass(MONTH_MS);
    world.run({ verb: 'settle' });
    if (world.record?.holds.length === 0 && world.record.queue.length === 0) world.record = null;
  } else if (mishap !== 'none') {
    world.epoch += 1;
    if (mishap === 'wiped') world.record = null;
    if (mishap === 'setBack') world.record = old;
    if (mishap === 'restored') world.record = old && restoredLock(old, restoration(world)).next;
    if (mishap === 'clockBack') {
      world.record = null;
      world.pass(-MONTH_MS);
    }
  }
}

const restoration = ({ epoch, now }: LockWorld) => ({
  epoch,
  now,
  grantsFrom: now,
  by: 'restore',
  reason: 'a test',
});

it(
  'promise 2: tokens rise for ever, across forgetting, lost memories and restored backups',
  () => {
    const chapters = fc.array(fc.tuple(steps, mishaps), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(chapters, (played: [Step[], Mishap][]) => {
        const campaign = new Campaign([new TokenReferee()]);
        let backup: LockRecord | null = null;
        for (const [chapter, mishap] of played) {
          const old = backup;
          backup = campaign.world.record;
          campaign.play(chapter).dropPending();
          befall(campaign.world, mishap, old);
        }
      }),
      RUNS,
    );
  },
  PROPERTY_MS,
);
