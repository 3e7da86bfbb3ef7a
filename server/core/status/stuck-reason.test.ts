import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../contract/namespace-policy';
import { PROPERTY_MS, RUNS } from '../testing/property-runs';
import { SECOND_MS } from '../time-units';
import {
  type HoldForStuck,
  type LockBaselines,
  type StuckFacts,
  type StuckReason,
  stuckReason,
} from './stuck-reason';

const NOW = 1_800_000_000_000;

const hold = (heldMs: number, part: Partial<HoldForStuck> = {}): HoldForStuck => ({
  leaseMs: 30 * SECOND_MS,
  grantedAt: NOW - heldMs,
  renewedAt: NOW - SECOND_MS,
  renewals: 3,
  rev: 5,
  expiresAt: NOW + 29 * SECOND_MS,
  askedToRelease: null,
  ...part,
});
const facts = (heldMs: number, waiters = 0, part: Partial<HoldForStuck> = {}): StuckFacts => ({
  holds: [hold(heldMs, part)],
  waiters,
  oldestWaitAt: waiters > 0 ? NOW - SECOND_MS : null,
});
const norms = (part: Partial<LockBaselines> = {}): LockBaselines => ({
  ownHold: { p50Ms: 2 * SECOND_MS, p99Ms: 10 * SECOND_MS, count: 500 },
  gaveUp: null,
  policy: DEFAULT_POLICY,
  ...part,
});

describe('a lock is stuck', () => {
  it('when it is held for more than five times its own p99 while a caller waits', () => {
    expect(stuckReason(facts(50 * SECOND_MS, 1), norms(), NOW)).toBeNull();
    expect(stuckReason(facts(50 * SECOND_MS + 1, 1), norms(), NOW)).toEqual({
      kind: 'longHold',
      since: NOW - 1,
      limitMs: 50 * SECOND_MS,
      p99Ms: 10 * SECOND_MS,
    });
  });

  it('never before 30 s by its history alone', () => {
    const quick = norms({ ownHold: { p50Ms: 1, p99Ms: 5, count: 500 } });
    expect(stuckReason(facts(30 * SECOND_MS, 9), quick, NOW)).toBeNull();
    expect(stuckReason(facts(30 * SECOND_MS + 1, 9), quick, NOW)).toMatchObject({
      limitMs: 30 * SECOND_MS,
    });
  });

  it('never by a history of fewer than 20 holds', () => {
    const { ownHold } = norms();
    const held = facts(3_600 * SECOND_MS, 5);
    expect(stuckReason(held, norms({ ownHold: null }), NOW)).toBeNull();
    expect(
      stuckReason(held, norms({ ownHold: ownHold && { ...ownHold, count: 19 } }), NOW),
    ).toBeNull();
    expect(
      stuckReason(held, norms({ ownHold: ownHold && { ...ownHold, count: 20 } }), NOW),
    ).not.toBeNull();
  });

  it('when held beyond its namespace’s limit while a caller waits, whatever its history', () => {
    const policy = { ...DEFAULT_POLICY, stuckAfterMs: 20 * SECOND_MS };
    const limit = { kind: 'longHold', limitMs: 20 * SECOND_MS, p99Ms: null };
    for (const ownHold of [null, norms().ownHold]) {
      expect(stuckReason(facts(20 * SECOND_MS, 1), norms({ policy, ownHold }), NOW)).toBeNull();
      const reason = stuckReason(facts(20 * SECOND_MS + 1, 1), norms({ policy, ownHold }), NOW);
      expect(reason).toMatchObject(limit);
    }
    const wide = { ...DEFAULT_POLICY, stuckAfterMs: 3_600 * SECOND_MS };
    expect(stuckReason(facts(51 * SECOND_MS, 1), norms({ policy: wide }), NOW)).toMatchObject({
      p99Ms: 10 * SECOND_MS,
    });
  });

  it('when a caller has waited longer than the namespace allows, even if it is not held', () => {
    const policy = { ...DEFAULT_POLICY, patienceMaxMs: 60 * SECOND_MS };
    const waited = (ms: number): StuckFacts => ({ holds: [], waiters: 1, oldestWaitAt: NOW - ms });
    expect(stuckReason(waited(65 * SECOND_MS), norms({ policy }), NOW)).toBeNull();
    expect(stuckReason(waited(65 * SECOND_MS + 1), norms({ policy }), NOW)).toEqual({
      kind: 'longWait',
      since: NOW - 1,
      limitMs: 60 * SECOND_MS,
    });
  });

  it('when its renewals continue although a waiter gave up during this same hold', () => {
    const held = facts(60 * SECOND_MS);
    const gaveUp = { at: NOW - 20 * SECOND_MS, rev: 6 };
    expect(stuckReason(held, norms({ gaveUp: { ...gaveUp, rev: 5 } }), NOW)).toBeNull();
    expect(stuckReason(held, norms({ gaveUp }), NOW)).toMatchObject({
      kind: 'idleRenewals',
      wish: 'gaveUp',
    });
    const never = facts(60 * SECOND_MS, 0, { renewals: 0 });
    expect(stuckReason(never, norms({ gaveUp }), NOW)).toBeNull();
  });

  it('because of that waiter also if the clock was set back before or after it gave up', () => {
    const held = facts(60 * SECOND_MS);
    const before = { at: NOW + 3_600 * SECOND_MS, rev: 4 };
    expect(stuckReason(held, norms({ gaveUp: before }), NOW)).toBeNull();
    const since = NOW - 10 * SECOND_MS;
    const during = { at: NOW - 3_600 * SECOND_MS, rev: 6 };
    expect(stuckReason(held, norms({ gaveUp: during }), NOW)).toMatchObject({ since });
    const ahead = { at: NOW + 3_600 * SECOND_MS, rev: 6 };
    expect(stuckReason(held, norms({ gaveUp: ahead }), NOW)).toMatchObject({ since: NOW });
  });

  it('when its renewals continue 30 s after the holder learnt of a release request', () => {
    const asked = (agoMs: number, renewedAgoMs: number) =>
      facts(120 * SECOND_MS, 0, {
        askedToRelease: { by: 'ana', reason: 'deploy', at: NOW - agoMs },
        renewedAt: NOW - renewedAgoMs,
      });
    expect(stuckReason(asked(30 * SECOND_MS, SECOND_MS), norms(), NOW)).toBeNull();
    expect(stuckReason(asked(40 * SECOND_MS, 41 * SECOND_MS), norms(), NOW)).toBeNull();
    expect(stuckReason(asked(30 * SECOND_MS + 1, SECOND_MS), norms(), NOW)).toMatchObject({
      kind: 'idleRenewals',
      wish: 'asked',
    });
  });

  it('of a shared lock, when the longest of its holds is', () => {
    const { holds } = facts(60 * SECOND_MS);
    const shared = { holds: [hold(SECOND_MS), ...holds], waiters: 1, oldestWaitAt: NOW };
    expect(stuckReason(shared, norms(), NOW)).toMatchObject({ kind: 'longHold' });
    const lapsed = hold(60 * SECOND_MS, { expiresAt: NOW });
    expect(stuckReason({ ...shared, holds: [hold(SECOND_MS), lapsed] }, norms(), NOW)).toBeNull();
  });
});

const spans = fc.integer({ min: 0, max: 4 * 3_600 * SECOND_MS });
const anyHold: fc.Arbitrary<HoldForStuck> = fc.record({
  leaseMs: fc.integer({ min: 100, max: 60 * SECOND_MS }),
  grantedAt: spans.map((ms) => NOW - ms),
  renewedAt: spans.map((ms) => NOW - ms),
  renewals: fc.integer({ min: 0, max: 400 }),
  rev: fc.nat(10),
  expiresAt: fc.integer({ min: NOW - 10 * SECOND_MS, max: NOW + 60 * SECOND_MS }),
  askedToRelease: fc.option(spans.map((ms) => ({ by: 'ana', reason: 'deploy', at: NOW - ms }))),
});
const anyFacts: fc.Arbitrary<StuckFacts> = fc
  .record({ holds: fc.array(anyHold, { maxLength: 4 }), waits: fc.array(spans, { maxLength: 4 }) })
  .map(({ holds, waits }) => ({
    holds,
    waiters: waits.length,
    oldestWaitAt: waits.length > 0 ? NOW - Math.max(...waits) : null,
  }));
const anyNorms: fc.Arbitrary<LockBaselines> = fc
  .record({
    ownHold: fc.option(
      fc.record({
        p50Ms: fc.constant(1),
        p99Ms: fc.integer({ min: 0, max: 600 * SECOND_MS }),
        count: fc.integer({ min: 1, max: 60 }),
      }),
    ),
    gaveUp: fc.option(fc.record({ at: spans.map((ms) => NOW - ms), rev: fc.nat(10) })),
    patienceMaxMs: fc.integer({ min: 0, max: 600 * SECOND_MS }),
    stuckAfterMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 3_600 * SECOND_MS })),
    standbyExpected: fc.boolean(),
  })
  .map(({ ownHold, gaveUp, ...policy }) => ({ ownHold, gaveUp, policy }));

const check = (property: fc.IRawProperty<unknown>) => fc.assert(property, RUNS);
const live = ({ holds }: StuckFacts) => holds.filter(({ expiresAt }) => expiresAt > NOW);

describe('whatever the lock, `stuck`', () => {
  it(
    'never results from age alone: some caller must want the lock',
    () => {
      check(
        fc.property(anyFacts, anyNorms, ({ holds }, known) => {
          const left = holds.map((each) => ({ ...each, askedToRelease: null }));
          const alone = { holds: left, waiters: 0, oldestWaitAt: null };
          expect(stuckReason(alone, { ...known, gaveUp: null }, NOW)).toBeNull();
        }),
      );
    },
    PROPERTY_MS,
  );

  it(
    'never occurs without the facts that its reason names',
    () => {
      check(
        fc.property(anyFacts, anyNorms, (given, known) => {
          const reason = stuckReason(given, known, NOW);
          if (!reason) return;
          expect(reason.since).toBeLessThanOrEqual(NOW);
          if (reason.kind === 'longWait') {
            expect(NOW - (given.oldestWaitAt ?? NOW)).toBeGreaterThan(
              Math.max(30 * SECOND_MS, known.policy.patienceMaxMs),
            );
            return;
          }
          const longest = Math.max(...live(given).map(({ grantedAt }) => NOW - grantedAt));
          expect(longest).toBeGreaterThan(reason.limitMs);
          if (reason.p99Ms === null) expect(reason.limitMs).toBe(known.policy.stuckAfterMs);
          else expectHistory(reason, known);
          if (reason.kind === 'longHold') expect(given.waiters).toBeGreaterThan(0);
          if (reason.kind === 'idleRenewals') expectWish(reason, given, known);
        }),
      );
    },
    PROPERTY_MS,
  );

  it(
    'does not end because time passes, waiters come or the history has shorter holds',
    () => {
      const later = fc.integer({ min: 0, max: 10 * SECOND_MS });
      const share = fc.double({ min: 0, max: 1, noNaN: true });
      check(
        fc.property(anyFacts, anyNorms, later, share, (given, known, ms, shorter) => {
          if (!stuckReason(given, known, NOW)) return;
          const lasting = given.holds.map((each) =>
            each.expiresAt > NOW ? { ...each, expiresAt: NOW + 60 * SECOND_MS } : each,
          );
          const more = {
            holds: lasting,
            waiters: given.waiters + 1,
            oldestWaitAt: given.oldestWaitAt ?? NOW,
          };
          const { ownHold } = known;
          const quicker = ownHold && { ...ownHold, p99Ms: Math.floor(ownHold.p99Ms * shorter) };
          expect(stuckReason({ ...given, holds: lasting }, known, NOW + ms)).not.toBeNull();
          expect(stuckReason(more, known, NOW)).not.toBeNull();
          expect(stuckReason(given, { ...known, ownHold: quicker }, NOW)).not.toBeNull();
        }),
      );
    },
    PROPERTY_MS,
  );
});

function expectHistory(
  reason: { limitMs: number; p99Ms: number | null },
  { ownHold }: LockBaselines,
) {
  expect(reason.p99Ms).toBe(ownHold?.p99Ms);
  expect(ownHold?.count).toBeGreaterThanOrEqual(20);
  expect(reason.limitMs).toBe(Math.max(30 * SECOND_MS, 5 * (reason.p99Ms ?? 0)));
}

function expectWish(
  reason: Extract<StuckReason, { kind: 'idleRenewals' }>,
  given: StuckFacts,
  { gaveUp, policy }: LockBaselines,
) {
  if (!policy.standbyExpected) expect(given.waiters).toBe(0);
  const held = live(given).filter(({ renewals }) => renewals > 0);
  const hears = ({ askedToRelease, renewedAt }: HoldForStuck) =>
    askedToRelease !== null &&
    renewedAt > askedToRelease.at &&
    NOW - askedToRelease.at > 30 * SECOND_MS;
  const isMet =
    reason.wish === 'asked'
      ? held.some(hears)
      : held.some(({ rev }) => gaveUp !== null && gaveUp.rev > rev);
  expect(isMet).toBe(true);
}
