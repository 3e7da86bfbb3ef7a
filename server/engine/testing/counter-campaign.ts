import type { CounterAddAnswer } from '../../contract/counter';
import type { LockyardError } from '../../contract/errors';
import type { RecordKey } from '../../storage/record-store';
import { addTo, createCommand, readCounter } from './counter-calls';
import { type EngineRig, type Member, pause } from './engine-rig';
import { type Fate, PASS } from './faulty-store';
import { insist } from './insist';
import { seeded } from './seeded';

export interface CounterCampaign {
  rig: EngineRig;
  seed: number;
  callers: number;
  /** The number of steps over all callers. */
  steps: number;
  keys: RecordKey[];
  floor: number;
  ceiling: number;
  /** The share of swaps that suffer a fault. */
  faults: number;
}

/** One step and every answer that its caller got. */
export interface CounterStep {
  key: RecordKey;
  delta: number;
  requestId: string | null;
  /** All answers; more than one if the step was sent twice. */
  answers: CounterAddAnswer[];
  /** Whether it has no id and an unknown outcome, so that it may have been applied. */
  isUnknown: boolean;
}

/** The most steps that a caller sends at the same time, before it waits for all of them. */
const BURST_MAX = 40;

const ASK_AGAIN_MS = 10;

/**
 * Runs callers at two processes that add to a few counters, with lost and late replies and doubled
 * requests. Returns all steps.
 */
export async function runCounterCampaign(campaign: CounterCampaign): Promise<CounterStep[]> {
  const { rig, seed, callers, steps, keys, floor, ceiling } = campaign;
  const random = seeded(seed);
  const members = [await rig.join(), await rig.join()];
  const [first] = members as [Member, Member];
  for (const key of keys) {
    await insist(() => first.engine.count(key, createCommand(floor, { floor, ceiling })));
  }
  for (const member of members) {
    member.faults.onSwap = faultsOf(seeded(random() * 2 ** 31), campaign.faults);
  }
  let left = steps;
  const done: CounterStep[] = [];
  const caller = async (_: unknown, c: number) => {
    const draw = seeded(random() * 2 ** 31);
    const randomMember = () => members[Math.floor(draw() * members.length)] as Member;
    const oneStep = async () => {
      left -= 1;
      const step = newStep(campaign, draw, `${c}:${left}`);
      done.push(step);
      const isDoubled = step.requestId !== null && draw() < 0.1;
      await Promise.all([
        takeStep(randomMember(), step),
        isDoubled && takeStep(randomMember(), step),
      ]);
    };
    while (left > 0) {
      const burst = Math.min(left, 1 + Math.floor(draw() * BURST_MAX));
      await Promise.all(Array.from({ length: burst }, oneStep));
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  for (const member of members) member.faults.onSwap = () => PASS;
  await Promise.all(members.map(({ faults }) => faults.allLanded()));
  for (const key of keys) done.push(...(await lastSteps(first, key, ceiling)));
  return done;
}

/**
 * Steps of which the last is applied. A write whose caller was refused may still be under way:
 * after this step it cannot be applied, since its counter is no longer as it expects.
 */
async function lastSteps(member: Member, key: RecordKey, ceiling: number): Promise<CounterStep[]> {
  const steps: CounterStep[] = [];
  while (steps.at(-1)?.answers[0]?.outcome !== 'applied') {
    const { value } = await insist(() => readCounter(member, key));
    const requestId = `last:${steps.length}`;
    const delta = value < ceiling ? 1 : -1;
    const step: CounterStep = { key, delta, requestId, answers: [], isUnknown: false };
    steps.push(step);
    await takeStep(member, step);
  }
  return steps;
}

function newStep({ keys }: CounterCampaign, draw: () => number, id: string): CounterStep {
  const key = keys[Math.floor(draw() * keys.length)] as RecordKey;
  const size = 1 + Math.floor(draw() * 5);
  const delta = draw() < 0.5 ? size : -size;
  return { key, delta, requestId: draw() < 0.7 ? id : null, answers: [], isUnknown: false };
}

/** Sends a step until it is answered; one without an id only once. */
async function takeStep(member: Member, step: CounterStep): Promise<void> {
  for (;;) {
    try {
      step.answers.push(await addTo(member, step.key, step.delta, step.requestId ?? undefined));
      return;
    } catch (error) {
      const { reason } = error as LockyardError;
      if (!['UNKNOWN', 'BACKEND_DOWN', 'CONTENDED'].includes(reason)) throw error;
      if (step.requestId === null) {
        step.isUnknown = reason === 'UNKNOWN';
        return;
      }
      await pause(ASK_AGAIN_MS);
    }
  }
}

/** Gives one of several faults to this share of the swaps. */
export function faultsOf(random: () => number, share: number): () => Fate {
  return () => {
    if (random() >= share) return PASS;
    const fates: Fate[] = [
      { kind: 'loseReply' },
      { kind: 'loseRequest' },
      { kind: 'landLate', afterMs: random() * 150 },
      { kind: 'refuse' },
      { kind: 'pass', afterMs: random() * 30 },
    ];
    return fates[Math.floor(random() * fates.length)] ?? PASS;
  };
}
