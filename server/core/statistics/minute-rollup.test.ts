import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EVENT_KINDS, type LockEvent } from '../lock/lock-event';
import { RUNS } from '../testing/property-runs';
import { MINUTE_MS } from '../time-units';
import {
  addEvent,
  addRollup,
  emptyRollup,
  isRolledUp,
  type MinuteRollup,
  minuteOf,
} from './minute-rollup';

const events: fc.Arbitrary<LockEvent> = fc.record({
  kind: fc.constantFrom(...EVENT_KINDS),
  at: fc.integer({ min: 0, max: 10 * MINUTE_MS }),
  rev: fc.nat(),
  service: fc.constant('orders'),
  owner: fc.constant('w1'),
  waitedMs: fc.nat({ max: 600_000 }),
  heldMs: fc.nat({ max: 600_000 }),
});
const lists = fc.array(events, { maxLength: 80 });

const rollupOf = (list: LockEvent[]) => {
  const rollup = emptyRollup(0);
  for (const event of list) addEvent(rollup, event);
  return rollup;
};
const plain = ({ waits, holds, ...counts }: MinuteRollup) => ({
  ...counts,
  waits: waits.encode(),
  holds: holds.encode(),
});

describe('a roll-up', () => {
  it('counts grants and every end, the waits of grants and the lengths of holds', () => {
    fc.assert(
      fc.property(lists, (list) => {
        const times = (...kinds: string[]) =>
          list.filter(({ kind }) => kinds.includes(kind)).length;
        const { waits, holds, ...counts } = rollupOf(list);
        expect(counts).toEqual({
          minute: 0,
          grants: times('granted'),
          timeouts: times('timeout'),
          expiries: times('expired'),
          forced: times('forced'),
          refused: 0,
        });
        expect(waits.count).toBe(times('granted'));
        expect(holds.count).toBe(times('released', 'expired', 'forced'));
      }),
      RUNS,
    );
  });

  it('is changed by exactly the events listed as changing it', () => {
    const untouched = plain(emptyRollup(0));
    fc.assert(
      fc.property(events, (event) => {
        expect(isRolledUp(event)).toBe(
          JSON.stringify(plain(rollupOf([event]))) !== JSON.stringify(untouched),
        );
      }),
      RUNS,
    );
    const kinds = ['created', 'added', 'adjusted', 'rebound'] as const;
    for (const kind of kinds) {
      expect(isRolledUp({ kind, at: 0, rev: 1, service: '', value: 0 })).toBe(false);
    }
  });

  it('of all events is the sum of the roll-ups of its parts', () => {
    fc.assert(
      fc.property(lists, lists, (a, b) => {
        const sum = { ...rollupOf(a), refused: a.length };
        addRollup(sum, { ...rollupOf(b), refused: b.length });
        const refused = a.length + b.length;
        expect(plain(sum)).toEqual({ ...plain(rollupOf([...b, ...a])), refused });
      }),
      RUNS,
    );
  });

  it('counts a grant without a wait as 0 ms, and a hold with its full length', () => {
    const event = { at: 1, rev: 1, service: 'orders', owner: 'w1', token: 1 };
    const { waits, holds } = rollupOf([
      { kind: 'granted', ...event },
      { kind: 'released', ...event, heldMs: 5 },
      { kind: 'late', ...event, heldMs: 900 },
    ]);
    expect(waits.bars()).toEqual([{ fromMs: 0, toMs: 1, count: 1 }]);
    expect(holds.quantile(0.5)).toBe(5);
    expect(holds.count).toBe(1);
  });

  it('begins at a whole minute, not after its events', () => {
    fc.assert(
      fc.property(events, (event) => {
        const minute = minuteOf(event);
        expect(minute % MINUTE_MS).toBe(0);
        expect(minute).toBeLessThanOrEqual(event.at);
        expect(minute).toBeGreaterThan(event.at - MINUTE_MS);
      }),
      RUNS,
    );
  });
});
