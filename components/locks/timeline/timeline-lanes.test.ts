import { describe, expect, it } from 'vitest';
import type { LockDetail } from '@/server/contract/console/lock-row';
import type { HoldBar, WaitBar } from '@/server/contract/console/past/lock-timeline';
import { DEFAULT_POLICY } from '@/server/contract/namespace-policy';
import { shareAt, timelineLanes } from './timeline-lanes';

const NOW = 1_000_000;
const span = { from: NOW - 100_000, to: NOW, now: NOW };
const none = { holds: [], waits: [], moreWaits: 0 };

const holdOf = (from: number, to: number | null, more: Partial<HoldBar> = {}): HoldBar => {
  const end = to === null ? null : ('released' as const);
  return { from, to, service: 'orders', owner: 'w', token: from, end, count: 1, ...more };
};

const waitOf = (owner: string, from: number, to: number | null): WaitBar => {
  return { from, to, service: 'orders', owner, end: to === null ? null : 'timeout' };
};

/** A lock that is held since `grantedAt`, with waiters that wait since `waitingSince`. */
function detailOf(grantedAt: number | null, stuckSince: number | null, waitingSince: number[]) {
  const hold = { token: 7, grantedAt, service: 'orders', owner: 'holder' };
  return {
    row: {
      hold: grantedAt === null ? null : hold,
      stuck: stuckSince === null ? null : { kind: 'longHold', since: stuckSince },
      ownHold: { p50Ms: 1_000, p99Ms: 10_000, count: 100 },
    },
    holds: grantedAt === null ? [] : [hold],
    waiters: waitingSince.map((enqueuedAt, i) => {
      return { enqueuedAt, service: 'orders', owner: `q${i}`, ticket: i };
    }),
    policy: DEFAULT_POLICY,
  } as unknown as LockDetail;
}

describe('the lanes of a timeline', () => {
  it('cut the present hold at its p99 and where it became stuck', () => {
    const { holds } = timelineLanes(
      none,
      detailOf(NOW - 80_000, NOW - 20_000, [NOW - 5_000]),
      span,
    );
    expect(holds[0]?.segments).toEqual([
      { tone: 'held', left: 0.2, width: expect.closeTo(0.1), from: NOW - 80_000 },
      { tone: 'long', left: 0.3, width: expect.closeTo(0.5), from: NOW - 70_000 },
      { tone: 'stuck', left: 0.8, width: expect.closeTo(0.2), from: NOW - 20_000 },
    ]);
  });

  it('draw the present reading once, not again from the history', () => {
    const past = {
      ...none,
      holds: [holdOf(NOW - 80_000, null, { token: 7 })],
      waits: [waitOf('q0', NOW - 5_000, null)],
    };
    const { holds, lanes } = timelineLanes(past, detailOf(NOW - 80_000, null, [NOW - 5_000]), span);
    expect(holds).toHaveLength(1);
    expect(lanes).toHaveLength(1);
    expect(lanes[0]?.bars).toHaveLength(1);
  });

  it('draw a wait of a past instant as of then, whenever it ended', () => {
    const waits = [
      waitOf('q0', NOW - 5_000, NOW + 8_000),
      waitOf('q0', NOW - 9_000, NOW - 6_000),
      waitOf('gone', NOW - 5_000, NOW - 1_000),
    ];
    const { lanes } = timelineLanes({ ...none, waits }, detailOf(null, null, [NOW - 5_000]), span);
    const drawn = lanes.flatMap(({ owner, bars }) => bars.map(({ to }) => [owner, to]));
    expect(drawn).toEqual([
      ['q0', NOW - 6_000],
      ['q0', null],
      ['gone', NOW - 1_000],
    ]);
  });

  it('show a past hold as stuck where it was far beyond its limit while there was a waiter', () => {
    const holds = [holdOf(NOW - 95_000, NOW - 5_000)];
    const tones = (waits: WaitBar[]) =>
      timelineLanes(
        { ...none, holds, waits },
        detailOf(null, null, []),
        span,
      ).holds[0]?.segments.map(({ tone }) => tone);
    expect(tones([])).toEqual(['held', 'long']);
    expect(tones([waitOf('a', NOW - 90_000, NOW - 80_000)])).toEqual(['held', 'long']);
    expect(tones([waitOf('a', NOW - 90_000, NOW - 20_000)])).toEqual(['held', 'long', 'stuck']);
  });

  it('show a hold that has become stuck again as stuck since the first time', () => {
    const past = { ...none, waits: [waitOf('a', NOW - 40_000, NOW - 30_000)] };
    const present = detailOf(NOW - 95_000, NOW - 5_000, [NOW - 5_000]);
    const [hold] = timelineLanes(past, present, span).holds;
    expect(hold?.segments.map(({ tone, from }) => [tone, from])).toEqual([
      ['held', NOW - 95_000],
      ['long', NOW - 85_000],
      ['stuck', NOW - 40_000],
    ]);
  });

  it('go first to present waiters, then to those who waited longest; the others are folded', () => {
    const waits = Array.from({ length: 10 }, (_, i) =>
      waitOf(`past${i}`, NOW - 90_000, NOW - 80_000 + i * 1_000),
    );
    const { lanes, more, moreWaits, folded } = timelineLanes(
      { ...none, waits, moreWaits: 3 },
      detailOf(NOW - 80_000, null, [NOW - 2_000, NOW - 1_000]),
      span,
    );
    expect(lanes.map(({ owner }) => owner).sort()).toEqual([
      'past6',
      'past7',
      'past8',
      'past9',
      'q0',
      'q1',
    ]);
    expect([more, moreWaits, folded.length]).toEqual([6, 3, 6]);
  });

  it('draw the first waiters of a long queue, and count each of the others once', () => {
    const waitingSince = Array.from({ length: 2_000 }, (_, i) => NOW - 2_000 + i).reverse();
    const { lanes, more, folded } = timelineLanes(
      { ...none, waits: [waitOf('q7', NOW - 90_000, NOW - 80_000)] },
      detailOf(NOW - 80_000, null, waitingSince),
      span,
    );
    expect(lanes.map(({ bars }) => bars[0]?.from)).toEqual(
      [0, 1, 2, 3, 4, 5].map((i) => NOW - 2_000 + i),
    );
    expect([more, folded.length]).toEqual([1_994, 12]);
  });

  it('place holds that overlap on different lines', () => {
    const holds = [holdOf(NOW - 90_000, NOW - 50_000), holdOf(NOW - 80_000, NOW - 40_000)];
    const later = holdOf(NOW - 30_000, NOW - 20_000);
    const drawn = timelineLanes(
      { ...none, holds: [...holds, later] },
      detailOf(null, null, []),
      span,
    );
    expect(drawn.holds.map(({ row }) => row)).toEqual([0, 1, 0]);
    expect(drawn.rows).toBe(2);
  });

  it('omit what is outside the span, and cut what extends beyond it', () => {
    const holds = [holdOf(NOW - 200_000, NOW - 150_000), holdOf(NOW - 140_000, NOW - 95_000)];
    const drawn = timelineLanes({ ...none, holds }, detailOf(null, null, []), span).holds;
    expect(drawn).toHaveLength(1);
    expect(shareAt(NOW - 140_000, span)).toBe(0);
    expect(drawn[0]?.segments.every(({ left, width }) => left >= 0 && left + width <= 1)).toBe(
      true,
    );
  });
});
