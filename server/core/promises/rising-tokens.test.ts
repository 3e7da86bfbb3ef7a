import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Deletion, IDLE_MS, IDLE_WHERE_FILLING_MS, lockDeletion } from '../deletion/deletion';
import type { LockRecord } from '../lock/lock-record';
import { restoredLock } from '../restored-record';
import { Campaign, type Referee } from '../testing/campaign';
import { type Step, steps } from '../testing/campaign-steps';
import { holdsMoved } from '../testing/hold-ledger';
import type { LockWorld, Written } from '../testing/lock-world';
import { PROPERTY_MS, RUNS } from '../testing/property-runs';

class TokenReferee implements Referee {
  private highest = 0;
  private highestRev = 0;

  onWritten({ before, after, decision }: Written): void {
    const { granted } = holdsMoved(before, after);
    for (const { token } of granted) {
      expect(Number.isSafeInteger(token)).toBe(true);
      expect(token).toBeGreaterThan(this.highest);
      this.highest = token;
    }
    expect(after.rev).toBeGreaterThan(this.highestRev);
    this.highestRev = after.rev;
    if (granted.length > 0) expect(after.lastToken).toBe(this.highest);
    const recorded = decision.events.flatMap((e) => (e.kind === 'granted' ? [e.token] : []));
    expect(recorded).toEqual(granted.map(({ token }) => token));
  }

  /** The store has lost its data. Earlier tokens are below the new epoch; revs may repeat. */
  onLoss(): void {
    this.highestRev = 0;
  }

  /** The lock was granted many times without a check of each grant. */
  onBurst({ lastToken, rev }: LockRecord): void {
    this.highest = lastToken;
    this.highestRev = rev;
  }
}

/** What may happen to a store between two commands. */
const MISHAPS = [
  'none',
  'tidied',
  'tidiedEarly',
  'wiped',
  'setBack',
  'restored',
  'clockBack',
] as const;
type Mishap = (typeof MISHAPS)[number];

interface Chapter {
  steps: Step[];
  /**
   * How many more grants happen than milliseconds pass, so that tokens and revs outrun the clock.
   */
  burst: number;
  mishap: Mishap;
}

const MONTH_MS = 30 * 86_400_000;

/** Whether a record may be deleted, as maintenance and operators ask it. */
type Rule = (record: LockRecord, epoch: number, now: number) => Deletion;

/**
 * Only records that the rule allows are deleted; a store that lost its data, or its clock with it,
 * raises its epoch.
 */
function befall(world: LockWorld, mishap: Mishap, old: LockRecord | null, rule: Rule): void {
  if (mishap === 'tidied' || mishap === 'tidiedEarly') {
    world.pass(mishap === 'tidied' ? IDLE_MS : IDLE_WHERE_FILLING_MS);
    world.run({ verb: 'expireAndPromote' });
    const { record, epoch, now } = world;
    if (record && rule(record, epoch, now).notBefore <= now) world.record = null;
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

function played(chapters: Chapter[], rule: Rule): void {
  const referee = new TokenReferee();
  const campaign = new Campaign([referee]);
  const { world } = campaign;
  let backup: LockRecord | null = null;
  for (const { steps: chapter, burst, mishap } of chapters) {
    const old = backup;
    backup = world.record;
    campaign.play(chapter).dropPending();
    const { record } = world;
    if (record && burst > 0) {
      world.record = { ...record, rev: record.rev + burst, lastToken: record.lastToken + burst };
      referee.onBurst(world.record);
    }
    const { epoch } = world;
    befall(world, mishap, old, rule);
    if (world.epoch > epoch) referee.onLoss();
  }
}

const chaptersOf = (bursts: readonly number[], mishaps: readonly Mishap[]) =>
  fc.array(
    fc.record({
      steps,
      burst: fc.constantFrom(...bursts),
      mishap: fc.constantFrom(...mishaps),
    }),
    { minLength: 1, maxLength: 5 },
  );

it(
  'promise 2: tokens strictly increase, across deletion, data losses and restored backups',
  () => {
    const chapters = chaptersOf([0, 0, 900_000, 3_000_000_000], MISHAPS);
    fc.assert(
      fc.property(chapters, (all) => played(all, lockDeletion)),
      RUNS,
    );
  },
  PROPERTY_MS,
);

it(
  'a build that deletes a lock whose tokens run ahead of the clock is found',
  () => {
    const broken: Rule = (record, epoch, now) =>
      lockDeletion({ ...record, rev: 1, lastToken: 0 }, epoch, now);
    // Only what the build does wrong, so that any seed finds it.
    const chapters = chaptersOf([3_000_000_000], ['tidied', 'tidiedEarly']);
    const found = fc.check(
      fc.property(chapters, (all) => played(all, broken)),
      { ...RUNS, endOnFailure: true },
    );
    expect(found.failed).toBe(true);
  },
  PROPERTY_MS,
);
