import { afterEach, expect, it } from 'vitest';
import type { CounterEvent } from '../../core/counter/counter-event';
import { GATE_REPAIRED_WITHIN_MS } from '../../core/timing';
import { freshKey } from '../../storage/conformance/testing/changes';
import type { RecordKey } from '../../storage/record-store';
import { GATE_LIMITS } from '../../storage/redis-gate/redis-gate';
import { counterEventsByName } from '../testing/counter-calls';
import { pause } from '../testing/engine-rig';
import { createAt, type GatedMember, GateRig, SHORT, step } from '../testing/gate-rig';
import { newSeed, seeded } from '../testing/seeded';

/** `npm run test:long` takes 200,000 steps, with the times of production. */
const IS_LONG = process.env.TEST_LONG === '1';
const STEPS = IS_LONG ? 200_000 : 10_000;
const CALLERS = 64;
const COUNTERS = 8;
const STOCK = 100;
const WIPES = 3;
/** From a wipe to the next: long enough for the gate to refuse again. */
const ROUND_MS = IS_LONG ? GATE_REPAIRED_WITHIN_MS + 2_000 : SHORT.stepMaxMs + 900;
const REPAIRED_WITHIN_MS = IS_LONG ? GATE_REPAIRED_WITHIN_MS : SHORT.freshMs + 600;

/** What a busy machine may take on top of that. */
const ROOM_MS = 8_000;

/** One step as its caller saw it. */
interface Seen {
  key: RecordKey;
  delta: number;
  startedAt: number;
  endedAt: number;
  answer: Awaited<ReturnType<typeof step>>;
}

let rig: GateRig;
afterEach(() => rig?.close());

it(`${STEPS} steps and ${WIPES} wipes of Redis: nothing is oversold or refused later`, async () => {
  const seed = newSeed();
  console.info(`seed ${seed}`);
  rig = await GateRig.open(IS_LONG ? GATE_LIMITS : SHORT);
  const members = [await rig.join(), await rig.join()];
  const keys = Array.from({ length: COUNTERS }, () => freshKey());
  for (const key of keys) await createAt(members[0] as GatedMember, key, STOCK);

  const seen: Seen[] = [];
  const wipedAt: number[] = [];
  const state = { isOver: false };
  const callers = Promise.all(
    Array.from({ length: CALLERS }, (_, i) => callUntil(state, seen, members, keys, seed + i)),
  );
  await pause(ROUND_MS);
  for (let wipe = 0; wipe < WIPES; wipe += 1) {
    const before = refusals(members);
    wipedAt.push(performance.now());
    await rig.wipe();
    await pause(ROUND_MS);
    await expect.poll(() => refusals(members), { timeout: 30_000 }).toBeGreaterThan(before);
  }
  while (seen.length < STEPS) await pause(50);
  state.isOver = true;
  await callers;

  const moves = await counterEventsByName(rig.rig.under.store);
  const failedAt = members.flatMap((member) => member.failedAt);
  const isDisturbed = ({ startedAt }: Seen) =>
    [...wipedAt, ...failedAt].some((at) => startedAt > at && startedAt < at + REPAIRED_WITHIN_MS);
  let wrong = 0;
  for (const key of keys) {
    const history = moves.get(key.name) ?? [];
    const steps = seen.filter((each) => each.key === key);
    checkHistory(history, steps);
    const wrongOnes = wrongRefusals(history, steps);
    wrong += wrongOnes.length;
    expect(wrongOnes.filter((each) => !isDisturbed(each))).toEqual([]);
  }
  await checkAgreement(members[0] as GatedMember, await rig.join(), keys);
  const byGate = seen.filter(({ answer }) => 'estimate' in answer).length;
  console.info(
    `${seen.length} steps, ${byGate} refused by the gate, ${wrong} wrongly, ` +
      `${failedAt.length} times without an answer`,
  );
  expect(byGate).toBeGreaterThan(STEPS / 20);
}, 600_000);

/** Sells more than there is, and sometimes gives some back. */
async function callUntil(
  state: { isOver: boolean },
  seen: Seen[],
  members: GatedMember[],
  keys: RecordKey[],
  seed: number,
): Promise<void> {
  const random = seeded(seed);
  while (!state.isOver) {
    const key = keys[Math.floor(random() * keys.length)] as RecordKey;
    const member = members[Math.floor(random() * members.length)] as GatedMember;
    const isReturn = random() < 0.1;
    const delta = isReturn ? 1 + Math.floor(random() * 3) : -1 - Math.floor(random() * 3);
    const startedAt = performance.now();
    const answer = await step(member, key, delta);
    seen.push({ key, delta, startedAt, endedAt: performance.now(), answer });
  }
}

const refusals = (members: GatedMember[]) =>
  members.reduce((sum, { gate }) => sum + gate.client.tally.refusals, 0);

/**
 * Every counter has no drift, without a reconciliation; and nothing stays announced, though no step
 * of the processes that announced it follows.
 */
async function checkAgreement(
  member: GatedMember,
  looker: GatedMember,
  keys: RecordKey[],
): Promise<void> {
  for (const key of keys) {
    const { value, rev } = await member.plain.engine.count(key, { verb: 'get' });
    const state = async () => {
      await step(member, key, -1_000_000);
      return (await member.gate.look(key))?.state;
    };
    await expect
      .poll(state, { timeout: REPAIRED_WITHIN_MS + ROOM_MS })
      .toMatchObject({ value, rev });
  }
  for (const key of keys) {
    const underWay = async () => (await looker.gate.look(key))?.underWay;
    await expect.poll(underWay, { timeout: ROOM_MS }).toEqual({ down: 0, up: 0 });
  }
}

/** Every value is the one before and its delta, never below 0; every applied step is in it once. */
function checkHistory([created, ...added]: CounterEvent[], steps: Seen[]): void {
  expect(created).toMatchObject({ kind: 'created', value: STOCK });
  let value = STOCK;
  for (const move of added) {
    value += move.delta ?? Number.NaN;
    if (move.value !== value || value < 0) expect.fail(`oversold: ${JSON.stringify(move)}`);
  }
  const revs = steps.flatMap(({ answer }) => (answer.outcome === 'applied' ? [answer.rev] : []));
  expect(new Set(revs).size).toBe(revs.length);
  expect(revs.toSorted((one, other) => one - other)).toEqual(added.map(({ rev }) => rev));
}

/**
 * Refused by the gate though there was room at every instant of the call. What was surely given
 * back before it began, and what may have been taken by its end, follows from when steps were
 * answered and begun.
 */
function wrongRefusals(history: CounterEvent[], steps: Seen[]): Seen[] {
  const valueAt = new Map(history.map(({ rev, value }) => [rev, value]));
  const first = history[0]?.rev ?? 0;
  const applied = steps.flatMap(({ answer, delta, startedAt, endedAt }) =>
    answer.outcome === 'applied' ? [{ rev: answer.rev, delta, startedAt, endedAt }] : [],
  );
  const returns = applied.filter(({ delta }) => delta > 0);
  const byEnd = prefixMost(returns.map(({ endedAt, rev }) => ({ at: endedAt, rev })));
  const byStart = prefixMost(applied.map(({ startedAt, rev }) => ({ at: startedAt, rev })));
  return steps.filter(({ answer, delta, startedAt, endedAt }) => {
    if (!('estimate' in answer)) return false;
    const from = Math.max(first, byEnd(startedAt));
    const to = Math.max(from, byStart(endedAt));
    for (let rev = from; rev <= to; rev += 1) {
      if ((valueAt.get(rev) ?? 0) + delta < 0) return false;
    }
    return true;
  });
}

/** The highest rev up to an instant. */
function prefixMost(all: { at: number; rev: number }[]): (at: number) => number {
  const sorted = all.toSorted((one, other) => one.at - other.at);
  let most = 0;
  const revs = sorted.map(({ rev }) => {
    most = Math.max(most, rev);
    return most;
  });
  return (at) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle]?.at ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    return revs[low - 1] ?? 0;
  };
}
