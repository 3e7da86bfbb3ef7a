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
/** Longer than a store waits for an answer that does not come. */
const BAD_FOR_MS = 2_000;
/** What is answered at once is noticed at once. */
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
/** Fewer would prove little: a busy machine gets more time for them. */
const ASKED_MIN = 15;
const GRANTS_MIN = 6;
const CALLERS_EACH = 3;
const LONG_LEASE_MS = 60_000;

/** Longer than any bad day. */
const PATIENCE_MS = 30_000;

/** When a process that does not recover is given up. */
const GIVE_UP_MS = 15_000;

type Here = Pick<Started, 'engine'>;

/** What became of everybody on a bad day. Instants are of this process's monotonic clock. */
export interface DayReport {
  beganAt: number;
  endedAt: number;
  /** Every call for the few locks that all want. */
  calls: RecordedCall[];
  /** Tokens of such a lock that were granted and that no caller heard of. */
  givenBack: (lock: string) => number;
  /** The first answers to callers with request ids. */
  careful: RecordedAnswer[];
  /** Their acquires, asked again when all was well. */
  taken: AskedTwice[];
  /** Tokens that their first asking was granted, by the lock's name, as the history has it. */
  granted: Map<string, number[]>;
  /** Their counters. */
  counted: { value: number; expected: number; again: RecordedAnswer[] }[];
  /** A hold from before, renewed and given back afterwards. */
  keeper: { token: number; renewal: RecordedAnswer; release: RecordedAnswer };
  /** Who had waited for it since before. */
  waiter: RecordedAnswer;
  /** The answers to those whose locks live where no bad day came. */
  beside: RecordedAnswer[];
  /**
   * How long after the bad day each process first granted something; last, a process that was
   * started on that day.
   */
  recoveredInMs: number[];
  isReachable: boolean[];
  /** The longest stall of this machine: no promise about time can be better than that. */
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
  const kept = sick();
  const { token } = await takeLock(first, kept, 'keeper', { leaseMs: LONG_LEASE_MS });
  const waiting = recordAnswer(acquire(last, kept, 'waiter', { waitMs: PATIENCE_MS }));
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
  await crowd.goHome();
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
  // With an id: a release that is made again gets the answer to the first.
  const giveBack = releaseCommand(kept, 'keeper', token, 'give-back');
  const ofLock = (lock: string, heardOf: number | null) => `${lock} ${heardOf}`;
  const acquires = calls.filter(({ verb }) => verb === 'acquire');
  const heard = new Set(acquires.map(({ lock, token }) => ofLock(lock, token)));
  const report: DayReport = {
    beganAt,
    endedAt,
    calls,
    givenBack: (lock) =>
      (granted.get(lock) ?? []).filter((each) => !heard.has(ofLock(lock, each))).length,
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

/** Callers at every process: some fight for two locks, some ask only with request ids. */
async function gather(members: Here[], seed: number, newKey: NewKey) {
  const random = seeded(seed);
  const keys = [newKey(), newKey()];
  const calls = new Set<RecordedCall>();
  const note = (call: RecordedCall) => void calls.add(call);
  const careful = await Promise.all(members.map((member) => CarefulCaller.start(member, newKey)));
  const fighting = members.flatMap((member, m) =>
    Array.from({ length: CALLERS_EACH }, (_, c) => {
      const numbers = seeded(random() * 2 ** 31);
      return new RandomCaller({ member, owner: `w${m}-${c}`, keys, random: numbers, note });
    }),
  );
  let isOn = true;
  const lives = Promise.all([...careful, ...fighting].map((caller) => caller.live(() => isOn)));
  // Awaited at the end; until then a rejection has no handler.
  lives.catch(() => undefined);
  const goHome = async () => {
    isOn = false;
    await lives;
  };
  const asked = () => careful.reduce((sum, caller) => sum + caller.keys().length, 0);
  const isGrant = ({ verb, outcome }: RecordedCall) => verb === 'acquire' && outcome === 'ok';
  const granted = () => [...calls].filter(isGrant).length;
  return { keys, calls: () => [...calls], asked, granted, careful, goHome };
}

async function recovery(here: Here, newKey: NewKey, since: number): Promise<number> {
  while (performance.now() < since + GIVE_UP_MS) {
    const { outcome } = await recordAnswer(acquire(here, newKey(), 'next'));
    if (outcome === 'granted') return performance.now() - since;
    await pause(20);
  }
  return Number.POSITIVE_INFINITY;
}
