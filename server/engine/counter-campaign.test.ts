import { afterEach, describe, expect, it } from 'vitest';
import type { CounterEvent } from '../core/counter/counter-event';
import { freshKey } from '../storage/conformance/testing/changes';
import { storeNames } from '../storage/conformance/testing/stores-under-test';
import { counterEventsByName, readCounter } from './testing/counter-calls';
import { type CounterStep, runCounterCampaign } from './testing/counter-campaign';
import { EngineRig } from './testing/engine-rig';
import { insist } from './testing/insist';
import { newSeed } from './testing/seeded';

const STEPS = process.env.TEST_LONG === '1' ? 200_000 : 2_000;
const CALLERS = 64;
const [FLOOR, CEILING] = [-20, 60];

let rig: EngineRig;
afterEach(() => rig?.close());

describe.each(storeNames)('counters over %s', (name) => {
  it(`after ${STEPS} steps with lost replies the value is the sum of those applied`, async () => {
    const seed = newSeed();
    console.info(`seed ${seed}`);
    rig = await EngineRig.open(name);
    const keys = Array.from({ length: 4 }, () => freshKey());
    const bounds = { floor: FLOOR, ceiling: CEILING };
    const shape = { callers: CALLERS, steps: STEPS, keys, ...bounds, faults: 0.02 };
    const steps = await runCounterCampaign({ rig, seed, ...shape });
    const reader = await rig.join();
    const moves = await counterEventsByName(rig.under.store);
    for (const key of keys) {
      const own = moves.get(key.name) ?? [];
      checkHistory(own);
      checkSteps(
        steps.filter((step) => step.key === key),
        own,
      );
      const { value } = await insist(() => readCounter(reader, key));
      expect(value).toBe(own.at(-1)?.value);
    }
  }, 600_000);
});

/** Every rev once, every value the one before and its delta, none out of bounds. */
function checkHistory([created, ...added]: CounterEvent[]): void {
  expect(created).toMatchObject({ kind: 'created', value: FLOOR });
  let rev = created?.rev ?? 0;
  let value = FLOOR;
  for (const move of added) {
    rev += 1;
    value += move.delta ?? Number.NaN;
    if (move.rev === rev && move.value === value && FLOOR <= value && value <= CEILING) continue;
    expect.fail(`rev ${rev} should leave ${value}, and is ${JSON.stringify(move)}`);
  }
}

/**
 * Every step answered as applied is in the history exactly once; nothing else is, except steps
 * answered as unknown.
 */
function checkSteps(steps: CounterStep[], moves: CounterEvent[]): void {
  const byRev = new Map(moves.map((move) => [move.rev, move]));
  const claimed = new Set<number>();
  for (const step of steps) {
    const revs = new Set<number>();
    for (const answer of step.answers) {
      if (answer.outcome === 'outOfBounds') checkRefusal(step, answer.value);
      else {
        revs.add(answer.rev);
        const move = byRev.get(answer.rev);
        if (move?.delta !== step.delta || move.value !== answer.value) {
          expect.fail(`${JSON.stringify(step)} is not ${JSON.stringify(move)}`);
        }
      }
    }
    if (revs.size > 1) expect.fail(`one step was applied twice: ${JSON.stringify(step)}`);
    for (const rev of revs) {
      if (claimed.has(rev)) expect.fail(`two steps were answered with one rev: ${rev}`);
      claimed.add(rev);
    }
  }
  const unclaimed = moves.length - 1 - claimed.size;
  expect(unclaimed).toBeGreaterThanOrEqual(0);
  expect(unclaimed).toBeLessThanOrEqual(steps.filter(({ isUnknown }) => isUnknown).length);
}

function checkRefusal({ delta }: CounterStep, value: number): void {
  const isWithin = FLOOR <= value && value <= CEILING;
  const wouldLeave = value + delta < FLOOR || value + delta > CEILING;
  if (!isWithin || !wouldLeave) expect.fail(`${delta} was refused at ${value}`);
}
