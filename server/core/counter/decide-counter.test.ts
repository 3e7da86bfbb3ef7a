import { describe, expect, it } from 'vitest';
import type { IdempotencyRecord } from '../decision';
import { sinceEra } from '../fencing-token';
import { add, counterAt, createCounter, OPEN, OPERATOR } from '../testing/counter-requests';
import { deepFreeze } from '../testing/deep-freeze';
import { requestOf } from '../testing/lock-requests';
import { ANSWER_RETENTION_MS } from '../timing';
import type { CounterCommand } from './counter-command';
import type { CounterRecord } from './counter-record';
import { decideCounter } from './decide-counter';

const NOW = Date.UTC(2026, 0, 1);
const MOST = Number.MAX_SAFE_INTEGER;

const on = <C extends CounterCommand>(
  record: CounterRecord | null,
  command: C,
  storedAnswer: IdempotencyRecord | null = null,
  now = NOW,
) => decideCounter(deepFreeze(record), command, { now, storedAnswer });

const adjust = (seenValue: number, value: number) =>
  ({ verb: 'adjust', seenValue, value, party: OPERATOR, request: requestOf('intent') }) as const;
const adjustBy = (delta: number) =>
  ({ verb: 'adjustBy', delta, party: OPERATOR, request: requestOf('intent') }) as const;
const setBounds = (seenBounds: typeof OPEN, floor: number | null, ceiling: number | null) =>
  ({
    verb: 'setBounds',
    seenBounds,
    floor,
    ceiling,
    party: OPERATOR,
    request: requestOf('intent'),
  }) as const;

describe('a counter that was never created', () => {
  it('is NOT_FOUND to add, get, adjust and set bounds', () => {
    for (const command of [add(1), { verb: 'get' } as const, adjust(0, 1), setBounds(OPEN, 0, 1)]) {
      const message = expect.stringContaining('or was deleted');
      const refusal = expect.objectContaining({ reason: 'NOT_FOUND', message });
      expect(() => on(null, command)).toThrow(refusal);
    }
  });

  it('is created with the requested value and bounds, and a rev that starts at the clock', () => {
    const { next, answer, events } = on(null, createCounter(5, { floor: 0, ceiling: 9 }));
    expect(answer).toEqual({ outcome: 'created' });
    expect(next).toEqual({
      rev: sinceEra(NOW) + 1,
      value: 5,
      floor: 0,
      ceiling: 9,
      createdAt: NOW,
      lastMove: null,
      answersUntil: 0,
    });
    expect(events).toMatchObject([{ kind: 'created', service: 'orders', value: 5, ceiling: 9 }]);
  });

  it('cannot be created outside its bounds, or with bounds that allow no value', () => {
    for (const [initial, floor, ceiling] of [
      [10, 0, 9],
      [-1, 0, null],
      [1, null, 0],
      [5, 6, 4],
      [MOST + 1, null, null],
    ] as const) {
      const act = () => on(null, createCounter(initial, { floor, ceiling }));
      expect(act).toThrow(expect.objectContaining({ reason: 'INVALID' }));
    }
  });
});

describe('an existing counter', () => {
  it('is not created again: the answer has its current value', () => {
    const { next, answer } = on(counterAt(4, { ceiling: 9 }), createCounter(0));
    expect([next, answer]).toEqual([
      null,
      { outcome: 'exists', value: 4, floor: null, ceiling: 9 },
    ]);
  });

  it('accepts a step exactly to a bound', () => {
    const record = counterAt(4, { floor: 0, ceiling: 9 });
    expect(on(record, add(5)).answer).toEqual({ outcome: 'applied', value: 9, rev: 8 });
    expect(on(record, add(-4)).answer).toEqual({ outcome: 'applied', value: 0, rev: 8 });
  });

  it('refuses a step beyond a bound entirely, without clamping', () => {
    const record = counterAt(4, { floor: 0, ceiling: 9 });
    for (const delta of [6, -5, MOST, -MOST]) {
      const { next, answer, events, storedAnswers } = on(record, add(delta, 'one'));
      expect(answer).toEqual({ outcome: 'outOfBounds', value: 4, floor: 0, ceiling: 9 });
      expect([next, events, storedAnswers]).toEqual([null, [], []]);
    }
  });

  it('is exact up to the largest safe integer, with or without bounds', () => {
    expect(on(counterAt(MOST - 1), add(1)).answer).toMatchObject({ value: MOST });
    expect(on(counterAt(-MOST), add(MOST)).answer).toMatchObject({ value: 0 });
    for (const [value, delta] of [
      [MOST, 1],
      [MOST, MOST],
      [-MOST, -1],
    ] as const) {
      expect(on(counterAt(value), add(delta)).answer).toMatchObject({
        outcome: 'outOfBounds',
        value,
      });
    }
  });

  it('is never minus zero', () => {
    expect(Object.is(on(null, createCounter(-0)).next?.value, 0)).toBe(true);
    expect(Object.is(on(counterAt(0), add(-0)).next?.value, 0)).toBe(true);
    expect(Object.is(on(counterAt(1), adjust(1, -0)).next?.value, 0)).toBe(true);
  });

  it('records who changed it last, and by how much', () => {
    expect(on(counterAt(4), add(-3)).next?.lastMove).toEqual({
      at: NOW,
      delta: -3,
      who: 'orders',
      isPerson: false,
    });
    expect(on(counterAt(4), adjust(4, 10)).next?.lastMove).toEqual({
      at: NOW,
      delta: 6,
      who: 'ana',
      isPerson: true,
    });
  });
});

describe('a request id', () => {
  const record = counterAt(4);
  const { storedAnswers } = on(record, add(1, 'one'));
  const [storedAnswer] = storedAnswers as [IdempotencyRecord];

  it('applies one step: repeated, it gets the same answer and changes nothing', () => {
    const { next, answer } = on(counterAt(90), add(1, 'one'), storedAnswer);
    expect([next, answer]).toEqual([null, { outcome: 'applied', value: 5, rev: 8 }]);
  });

  it('is refused if repeated with another input', () => {
    expect(() => on(record, add(2, 'one'), storedAnswer)).toThrow(
      expect.objectContaining({ reason: 'INVALID' }),
    );
  });

  it('is remembered for 15 minutes', () => {
    expect(storedAnswer.expiresAt).toBe(NOW + ANSWER_RETENTION_MS);
    const later = on(record, add(1, 'one'), storedAnswer, storedAnswer.expiresAt);
    expect(later.answer).toMatchObject({ outcome: 'applied', value: 5 });
    expect(later.next).not.toBeNull();
  });

  it('keeps its counter from deletion while remembered, even if the clock is set back', () => {
    const { next } = on(counterAt(0), add(1, 'a'));
    const later = on(next, add(1, 'b'), null, NOW - 60_000).next;
    expect(later?.answersUntil).toBe(NOW + ANSWER_RETENTION_MS);
  });

  it('is not used up by a refused step', () => {
    const full = counterAt(9, { ceiling: 9 });
    expect(on(full, add(1, 'two')).storedAnswers).toEqual([]);
  });
});

describe('an operator', () => {
  const record = counterAt(4, { floor: 0, ceiling: 9 });
  const seen = { floor: 0, ceiling: 9 };

  it('replaces the value that was seen, within the bounds, with a reason in the history', () => {
    const { answer, events, storedAnswers } = on(record, adjust(4, 9));
    expect(answer).toEqual({ outcome: 'adjusted', was: 4, value: 9, delta: 5, rev: 8 });
    expect(events).toMatchObject([{ kind: 'adjusted', service: '', delta: 5, ...OPERATOR }]);
    expect(storedAnswers).toHaveLength(1);
  });

  it('changes nothing if the value has changed since, or the new one is out of bounds', () => {
    expect(on(record, adjust(5, 9))).toMatchObject({
      next: null,
      answer: { outcome: 'changed', value: 4 },
    });
    expect(on(record, adjust(4, 10))).toMatchObject({
      next: null,
      answer: { outcome: 'outOfBounds' },
    });
  });

  it('can set the value whatever it is now, and learns what it was', () => {
    const { answer } = on(record, { ...adjust(0, 9), seenValue: null });
    expect(answer).toEqual({ outcome: 'adjusted', was: 4, value: 9, delta: 5, rev: 8 });
    const beyond = { ...adjust(0, 10), seenValue: null };
    expect(on(record, beyond)).toMatchObject({ next: null, answer: { outcome: 'outOfBounds' } });
  });

  it('adjusts the value by a step, completely or not at all, with a reason in the history', () => {
    const { answer, events, storedAnswers } = on(record, adjustBy(-4));
    expect(answer).toEqual({ outcome: 'adjusted', was: 4, value: 0, delta: -4, rev: 8 });
    expect(events).toMatchObject([{ kind: 'adjusted', service: '', delta: -4, ...OPERATOR }]);
    expect(storedAnswers).toHaveLength(1);
    for (const delta of [-5, 6, Number.MAX_SAFE_INTEGER]) {
      expect(on(record, adjustBy(delta))).toMatchObject({
        next: null,
        answer: { outcome: 'outOfBounds', value: 4, floor: 0, ceiling: 9 },
      });
    }
  });

  it('replaces the bounds that were seen if the current value lies within the new ones', () => {
    const { next, answer, events } = on(record, setBounds(seen, null, 4));
    expect(answer).toEqual({ outcome: 'rebound', rev: 8, value: 4, floor: null, ceiling: 4 });
    expect(next).toMatchObject({ value: 4, floor: null, ceiling: 4, lastMove: null });
    expect(events).toMatchObject([{ kind: 'rebound', floor: null, ceiling: 4, ...OPERATOR }]);
  });

  it('cannot change bounds changed since, or set ones that exclude the value or all values', () => {
    expect(on(record, setBounds(OPEN, 0, 5)).answer).toMatchObject({
      outcome: 'changed',
      ceiling: 9,
    });
    expect(on(record, setBounds(seen, 5, 9))).toMatchObject({
      next: null,
      answer: { outcome: 'outOfBounds', value: 4, floor: 0 },
    });
    expect(() => on(record, setBounds(seen, 5, 4))).toThrow(
      expect.objectContaining({ reason: 'INVALID' }),
    );
  });
});
