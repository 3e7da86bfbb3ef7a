import { monitorEventLoopDelay } from 'node:perf_hooks';
import {
  acquire,
  pause,
  releaseCommand,
  renew,
  takeLock,
} from '../../../engine/testing/engine-rig';
import { eventsByLock } from '../../../engine/testing/events-by-lock';
import type { RecordedCall } from '../../../engine/testing/history-checker';
import { insist } from '../../../engine/testing/insist';
import { RandomCaller } from '../../../engine/testing/random-caller';
import { seeded } from '../../../engine/testing/seeded';
import { type AskedTwice, CarefulCaller } from './careful-caller';
import { freshKey } from './changes';
import { type RecordedAnswer, recordAnswer } from './record-answer';
import type { BadDay, NewKey, ServerUnderTest } from './server-kind';
import type { Started } from './start-process';
import { useHealthyPart } from './use-healthy-part';

const BEFORE_MS = 500;
/** Longer than a store waits for a missing answer. */
const BAD_FOR_MS = 2_000;
/** Shorter: a fault with an immediate answer is noticed immediately. */
const ANSWERED_BADLY_FOR_MS = 1_000;
/** Longer than any command is retried: a full store may refuse only some of its calls. */
const FULL_FOR_MS = 5_000;
const LASTS_MS: Record<BadDay, number> = {
  stopped: BAD_FOR_MS,
  'killed and restarted': BAD_FOR_MS,
  'cut between request and reply': BAD_FOR_MS,
  full: FULL_FOR_MS,
  'answering garbage': ANSWERED_BADLY_FOR_MS,
  'read-only': ANSWERED_BADLY_FOR_MS,
};
const AFTERWARDS_MS = 400;
/** Fewer requests or grants would prove little: a busy machine gets more time for them. */
const ASKED_MIN = 15;
const GRANTS_MIN = 6;
const CALLERS_EACH = 3;

/** Longer than any bad day, on any machine. */
const WAIT_MS = 120_000;
const LONG_LEASE_MS = 300_000;

/** How long to wait for a process to recover. */
const GIVE_UP_MS = 15_000;

type Here = Pick<Started, 'engine'>;

/** The outcomes of a bad day. Instants are of this process's monotonic clock. */
export interface DayReport {
  beganAt: number;
  endedAt: number;
  /** Every call for the few contended locks. */
  calls: RecordedCall[];
  /** How many grants of such a lock no caller learnt of. */
  givenBack: (lock: string) => number;
  /** The first answers to callers with request ids. */
  careful: RecordedAnswer[];
  /** Their acquires, repeated after the bad day. */
  taken: AskedTwice[];
  /** The granted tokens by the lock's name, according to the history before the repetition. */
  granted: Map<string, number[]>;
  /** Their counters, after all additions were repeated. */
  counted: { value: number; expected: number; again: RecordedAnswer[] }[];
  /** A hold from before the bad day, renewed and released after it. */
  keeper: { token: number; renewal: RecordedAnswer; release: RecordedAnswer };
  /** A waiter for that hold's lock, queued before the bad day. */
  waiter: RecordedAnswer;
  /** The answers to callers whose locks are on a healthy part of the backend. */
  beside: RecordedAnswer[];
  /**
   * How long after the bad day each process first granted something; the last is a process that was
   * started during the bad day.
   */
  recoveredInMs: number[];
  isReachable: boolean[];
  /** The longest stall of this machine, by which any promise about time may be exceeded. */
  stalledMs: number;
}

/**
 * Processes serve callers before, during and after a bad day of their store, without any operator's
 * help.
 */
export async function liveThrough(
  server: ServerUnderTest,
  { day, isShared, seed }: { day: BadDay; isShared: boolean; seed: number },
): Promise<DayReport> {
  const stalls = monitorEventLoopDelay({ resolution: 10 });
  stalls.enable();
  const members = [await server.join()];
  if (isShared) members.push(await server.join());
  const { sick = plainKey, well } = server.parts ?? {};
  const [first, last] = [members[0], members.at(-1)] as [Here, Here];
  // On a busy machine a process may begin before its store has answered.
  for (const member of members) await insist(() => takeLock(member, sick(), 'first'));
  const kept = sick();
  const keeping = { leaseMs: LONG_LEASE_MS, requestId: 'keep' };
  const { token } = await insist(() => takeLock(first, kept, 'keeper', keeping));
  const wait = { holdRequestMs: WAIT_MS };
  const waiting = recordAnswer(acquire(last, kept, 'waiter', { waitMs: WAIT_MS, wait }));
  const crowd = await gather(members, seed, sick);
  let isOn = true;
  const beside = well ? members.map((member) => useHealthyPart(member, well, () => isOn)) : [];

  await pause(BEFORE_MS);
  const beganAt = performance.now();
  const end = await server.begin(day);
  const latecomer = isShared ? server.join() : null;
  const asked = crowd.asked();
  await pause(LASTS_MS[day]);
  while (crowd.asked() < asked + ASKED_MIN) await pause(20);
  await end();
  const endedAt = performance.now();
  const recoveries = members.map((member) => recovery(member, sick, endedAt));
  if (latecomer) recoveries.push(latecomer.then((member) => recovery(member, sick, endedAt)));
  const recoveredInMs = await Promise.all(recoveries);
  await pause(AFTERWARDS_MS);
  const giveUpAt = performance.now() + GIVE_UP_MS;
  while (crowd.granted() < GRANTS_MIN && performance.now() < giveUpAt) await pause(20);
  isOn = false;
  await crowd.stop();
  stalls.disable();
  // On a busy machine a heartbeat may fail, and the next one succeed.
  const areReachable = () => members.every(({ engine }) => engine.health().reachable);
  while (!areReachable() && performance.now() < giveUpAt) await pause(20);
  const isReachable = members.map(({ engine }) => engine.health().reachable);

  const { keys, careful } = crowd;
  const calls = crowd.calls();
  const truth = await server.truth();
  const written = await eventsByLock(truth, [...keys, ...careful.flatMap((each) => each.keys())]);
  await truth.close();
  const granted = new Map<string, number[]>();
  for (const [name, events] of written) {
    const grants = events.filter(({ kind }) => kind === 'granted');
    granted.set(
      name,
      grants.map((event) => event.token ?? 0),
    );
  }
  // With a request id, so that a repeated release gets the answer of the first.
  const giveBack = releaseCommand(kept, 'keeper', token, 'give-back');
  const grantId = (lock: string, token: number | null) => `${lock} ${token}`;
  const acquires = calls.filter(({ verb }) => verb === 'acquire');
  const received = new Set(acquires.map(({ lock, token }) => grantId(lock, token)));
  const report: DayReport = {
    beganAt,
    endedAt,
    calls,
    givenBack: (lock) =>
      (granted.get(lock) ?? []).filter((each) => !received.has(grantId(lock, each))).length,
    careful: (await Promise.all(careful.map((each) => each.answered()))).flat(),
    taken: (await Promise.all(careful.map((each) => each.takeAgain()))).flat(),
    granted,
    counted: await Promise.all(careful.map((each) => each.addAgain())),
    keeper: {
      token,
      renewal: await recordAnswer(insist(() => renew(last, kept, 'keeper', token, LONG_LEASE_MS))),
      release: await recordAnswer(insist(() => first.engine.run(kept, giveBack))),
    },
    waiter: await waiting,
    beside: (await Promise.all(beside)).flat(),
    recoveredInMs,
    isReachable,
    stalledMs: stalls.max / 1e6,
  };
  const started = latecomer ? [...members, await latecomer] : members;
  await Promise.all(started.map((member) => member.close()));
  return report;
}

const plainKey: NewKey = (kind) => ({ ...freshKey(), ...(kind && { kind }) });

/** Callers at every process: some contend for two locks, some use only request ids. */
async function gather(members: Here[], seed: number, newKey: NewKey) {
  const random = seeded(seed);
  const keys = [newKey(), newKey()];
  const calls = new Set<RecordedCall>();
  const note = (call: RecordedCall) => void calls.add(call);
  const careful = await Promise.all(members.map((member) => CarefulCaller.start(member, newKey)));
  const contending = members.flatMap((member, m) =>
    Array.from({ length: CALLERS_EACH }, (_, c) => {
      const numbers = seeded(random() * 2 ** 31);
      return new RandomCaller({ member, owner: `w${m}-${c}`, keys, random: numbers, note });
    }),
  );
  let isOn = true;
  const lives = Promise.all([...careful, ...contending].map((caller) => caller.live(() => isOn)));
  // Awaited at the end; until then a rejection has no handler.
  lives.catch(() => undefined);
  const stop = async () => {
    isOn = false;
    await lives;
  };
  const asked = () => careful.reduce((sum, caller) => sum + caller.keys().length, 0);
  const isGrant = ({ verb, outcome }: RecordedCall) => verb === 'acquire' && outcome === 'ok';
  const granted = () => [...calls].filter(isGrant).length;
  return { keys, calls: () => [...calls], asked, granted, careful, stop };
}

async function recovery(here: Here, newKey: NewKey, since: number): Promise<number> {
  while (performance.now() < since + GIVE_UP_MS) {
    const { outcome } = await recordAnswer(acquire(here, newKey(), 'next'));
    if (outcome === 'granted') return performance.now() - since;
    await pause(20);
  }
  return Number.POSITIVE_INFINITY;
}
