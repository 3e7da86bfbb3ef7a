import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isWithin } from '../../contract/counter-bounds';
import type { LockyardError } from '../../contract/errors';
import type { CounterCommand } from '../counter/counter-command';
import type { CounterEvent } from '../counter/counter-event';
import type { CounterRecord } from '../counter/counter-record';
import { decideCounter } from '../counter/decide-counter';
import type { IdempotencyRecord } from '../decision';
import { add, createCounter, OPERATOR } from '../testing/counter-requests';
import { deepFreeze } from '../testing/deep-freeze';
import { requestOf } from '../testing/lock-requests';
import { PROPERTY_MS, RUNS } from '../testing/property-runs';

const MOST = Number.MAX_SAFE_INTEGER;
const small = fc.integer({ min: -20, max: 20 });
const huge = fc.constantFrom(MOST, -MOST, MOST - 1, 2 ** 52, -(2 ** 52));
const whole = fc.oneof({ weight: 9, arbitrary: small }, { weight: 1, arbitrary: huge });
const bound = fc.oneof(fc.constant(null), whole);
const id = fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { freq: 2 });

const commands: fc.Arbitrary<CounterCommand>[] = [
  fc.tuple(whole, id).map(([delta, requestId]) => add(delta, requestId)),
  fc
    .tuple(whole, bound, bound)
    .map(([initial, floor, ceiling]) => createCounter(initial, { floor, ceiling })),
  fc.record({
    verb: fc.constant('adjust' as const),
    seenValue: fc.oneof(small, small, fc.constant(null)),
    value: whole,
    party: fc.constant(OPERATOR),
    request: fc.constant(requestOf(null)),
  }),
  fc.record({
    verb: fc.constant('adjustBy' as const),
    delta: whole,
    party: fc.constant(OPERATOR),
    request: fc.option(fc.constantFrom('a', 'b')).map((name) => requestOf(name && `by ${name}`)),
  }),
  fc.record({
    verb: fc.constant('setBounds' as const),
    seenBounds: fc.record({ floor: bound, ceiling: bound }),
    floor: bound,
    ceiling: bound,
    party: fc.constant(OPERATOR),
    request: fc.constant(requestOf(null)),
  }),
  fc.constant({ verb: 'get' as const }),
];

/** A counter as a store keeps it, with every write so far. */
class CounterWorld {
  record: CounterRecord | null = null;
  readonly events: CounterEvent[] = [];
  private readonly storedAnswers = new Map<string, IdempotencyRecord>();

  /** Writes what changed and returns the answer, or the reason of a refusal. */
  run(command: CounterCommand, now: number): { outcome?: string; value?: number } | string {
    const key = 'request' in command ? command.request?.key : undefined;
    const storedAnswer = key === undefined ? null : (this.storedAnswers.get(key) ?? null);
    try {
      const { next, answer, events, storedAnswers } = decideCounter(
        deepFreeze(this.record),
        command,
        {
          now,
          storedAnswer,
        },
      );
      if (next) this.record = next;
      this.events.push(...events);
      for (const one of storedAnswers) this.storedAnswers.set(one.key, one);
      return answer;
    } catch (error) {
      return (error as LockyardError).reason;
    }
  }
}

it(
  'the value is the initial one plus every applied delta, each id once, and always within bounds',
  () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(...commands), { maxLength: 60 }), (asked) => {
        const world = new CounterWorld();
        const steps = new Map<string, unknown>();
        let sum = 0;
        for (const [i, command] of asked.entries()) {
          const before = world.record;
          const answer = world.run(command, 1_700_000_000_000 + i * 1_000);
          const after = world.record;
          if (after && after !== before) {
            expect(after.rev).toBe((before?.rev ?? after.rev - 1) + 1);
            expect(world.events.at(-1)).toMatchObject({ rev: after.rev, value: after.value });
            sum += command.verb === 'create' ? after.value : after.value - (before?.value ?? 0);
          }
          if (after) {
            expect(isWithin(after.value, after)).toBe(true);
            expect(after.value).toBe(sum);
          }
          if (typeof answer === 'string') expect(['NOT_FOUND', 'INVALID']).toContain(answer);
          const isStep = command.verb === 'add' || command.verb === 'adjustBy';
          const key = isStep && command.request?.key;
          if (typeof answer !== 'string' && key && steps.has(key)) {
            expect([answer, world.record]).toEqual([steps.get(key), before]);
            continue;
          }
          if (typeof answer !== 'string' && after) {
            expect(answer.value ?? after.value).toBe(after.value);
          }
          const { outcome = '' } = typeof answer === 'string' ? {} : answer;
          if (key && ['applied', 'adjusted'].includes(outcome)) steps.set(key, answer);
        }
        expect(new Set(world.events.map(({ rev }) => rev)).size).toBe(world.events.length);
      }),
      RUNS,
    );
  },
  PROPERTY_MS,
);
