import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RefusalCounts } from '../statistics/refusal-counts';
import { blockedCallers } from './blocking-time';
import { lockStatus, lockTier, type StatusFacts } from './lock-status';
import { statusDeadline } from './status-deadline';
import { type LockBaselines, stuckReason } from './stuck-reason';

const NOW = 100_000_000;

const ago = fc.integer({ min: 0, max: 5_000_000 });
const leaseMs = fc.constantFrom(1_000, 1_333, 30_000, 3_600_000);

const hold = fc
  .record({ heldMs: ago, leaseMs, renewedAgoMs: ago, renewals: fc.nat(3), askedAgoMs: ago })
  .chain((parts) => fc.boolean().map((isAsked) => ({ ...parts, isAsked })))
  .map(({ heldMs, leaseMs: lease, renewedAgoMs, renewals, askedAgoMs, isAsked }) => {
    const grantedAt = NOW - heldMs;
    const renewedAt = renewals === 0 ? grantedAt : NOW - Math.min(renewedAgoMs, heldMs);
    const asked = { by: 'vera', reason: 'stuck', at: NOW - askedAgoMs };
    const expiresAt = renewedAt + lease;
    const askedToRelease = isAsked ? asked : null;
    const times = { grantedAt, renewedAt, expiresAt };
    return { leaseMs: lease, ...times, renewals, rev: 5, askedToRelease };
  });

const facts: fc.Arbitrary<StatusFacts> = fc
  .record({
    holds: fc.array(hold, { maxLength: 3 }),
    waiters: fc.nat(2),
    waitedMs: ago,
    expiredMs: fc.option(ago),
    isFrozen: fc.boolean(),
    delayMs: fc.constantFrom(0, 0, 700, 90_000),
  })
  .map(({ holds, waiters, waitedMs, expiredMs, isFrozen, delayMs }) => ({
    holds,
    waiters,
    oldestWaitAt: waiters > 0 ? NOW - waitedMs : null,
    waitsSinceSum: waiters * (NOW - waitedMs),
    lastExpiredAt: holds.length > 0 || expiredMs === null ? null : NOW - expiredMs,
    isFrozen,
    delayedUntil: delayMs === 0 ? 0 : NOW + delayMs,
  }));

const refusals: fc.Arbitrary<RefusalCounts | null> = fc
  .array(fc.record({ firstAgoMs: ago, lastAgoMs: fc.nat(70_000) }), { maxLength: 3 })
  .map((spans) => {
    const owners = spans.map(({ firstAgoMs, lastAgoMs }, i) => {
      const [firstAt, lastAt] = [NOW - Math.max(firstAgoMs, lastAgoMs), NOW - lastAgoMs];
      return { service: 'orders', owner: `w${i}`, attempts: 2, token: 1, firstAt, lastAt };
    });
    const firstAt = Math.min(...owners.map((each) => each.firstAt));
    const lastAt = Math.max(...owners.map((each) => each.lastAt));
    const all = { attempts: 2 * owners.length, token: 1, firstAt, lastAt };
    return owners.length > 0 ? { all, owners, others: null } : null;
  });

const norms: fc.Arbitrary<LockBaselines> = fc
  .record({
    p99Ms: fc.constantFrom(10, 7_000, 400_000),
    count: fc.constantFrom(3, 500),
    gaveUpAgoMs: ago,
    gaveUpRev: fc.constantFrom(4, 6),
    patienceMaxMs: fc.constantFrom(1_000, 600_000),
    stuckAfterMs: fc.constantFrom(0, 900, 60_000),
    standbyExpected: fc.boolean(),
    refusals,
  })
  .map(({ p99Ms, count, gaveUpAgoMs, gaveUpRev, refusals: refused, ...policy }) => ({
    ownHold: { p50Ms: p99Ms / 2, p99Ms, count },
    gaveUp: { at: NOW - gaveUpAgoMs, rev: gaveUpRev },
    refusals: refused,
    policy,
  }));

const standing = (of: StatusFacts, by: LockBaselines, at: number) => {
  const status = lockStatus(of, by, at, true);
  const isHeld = of.holds.some(({ expiresAt }) => expiresAt > at);
  const blocked = blockedCallers(of, by, at);
  const tier = lockTier(status, of, by, at);
  return { status, tier, why: stuckReason(of, by, at), isHeld, blocked };
};

describe('the deadline of a status', () => {
  it('is no later than a change by time alone: status, tier, reason, hold, callers blocked', () => {
    fc.assert(
      fc.property(
        facts,
        norms,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
        (of, by, shares) => {
          let now = NOW;
          // From deadline to deadline, until nothing can change any more.
          for (let step = 0; step < 60; step += 1) {
            const until = statusDeadline(of, by, now);
            expect(until).toBeGreaterThan(now);
            const end = Math.min(until, now + 10_000_000) - 1;
            const instants = [end, ...shares.map((share) => now + Math.floor((end - now) * share))];
            for (const at of instants) expect(standing(of, by, at)).toEqual(standing(of, by, now));
            if (until === Number.POSITIVE_INFINITY) return;
            now = until;
          }
          throw new Error('Time alone never comes to an end.');
        },
      ),
      { numRuns: 200 },
    );
  });
});
