import type { RecordKey } from '../../storage/record-store';
import { addTo } from './counter-calls';
import { faultsOf } from './counter-campaign';
import { acquire, type EngineRig, type Member, pause, releaseCommand } from './engine-rig';
import { PASS } from './faulty-store';
import { insist } from './insist';
import { rereadNowAndThen } from './random-campaign';
import { seeded } from './seeded';

export interface RepeatedCalls {
  rig: EngineRig;
  seed: number;
  processes: number;
  callers: number;
  /** The number of adds and of acquire-release cycles, over all callers. */
  steps: number;
  locks: RecordKey[];
  counters: RecordKey[];
  /** The share of swaps that suffer a fault. */
  faults: number;
}

type Answer = { outcome: string; token?: number; rev?: number; value?: number; holdCount?: number };

/** A call with a request id, and its answer each time it was sent. */
export interface RepeatedCall {
  key: RecordKey;
  verb: 'acquire' | 'release' | 'add';
  /** Unique to the call; empty for a counter. */
  owner: string;
  /** 0 for a lock. */
  delta: number;
  answers: Answer[];
}

const LEASE_MS = 60_000;
const APART_MAX_MS = 8;
const WAIT_MS = 2_000;

/**
 * Runs callers that send each call up to three times, through any of the processes, at the same
 * time or one after another, and sometimes again after its effect has ended. Returns all calls.
 *
 * Calls on neighbouring records have the same request id.
 */
export async function runRepeatedCalls(parts: RepeatedCalls): Promise<RepeatedCall[]> {
  const { rig, seed, processes, callers, steps, locks, counters, faults } = parts;
  const random = seeded(seed);
  const members = await Promise.all(Array.from({ length: processes }, () => rig.join()));
  for (const member of members) member.faults.onSwap = faultsOf(seeded(random() * 2 ** 31), faults);
  const calls: RepeatedCall[] = [];
  let begun = 0;
  const caller = async (draw: () => number) => {
    const pick = <T>(all: T[]) => all[Math.floor(draw() * all.length)] as T;
    const note = (call: Omit<RepeatedCall, 'answers'>) => {
      const noted: RepeatedCall = { ...call, answers: [] };
      calls.push(noted);
      return noted;
    };
    const send = async (
      call: RepeatedCall,
      run: (to: Member) => Promise<Answer>,
      times: number,
    ) => {
      const copies = Array.from({ length: times }, async () => {
        const [member, apartMs] = [pick(members), draw() < 0.5 ? 0 : draw() * APART_MAX_MS];
        await pause(apartMs);
        let answer: Answer;
        do answer = await insist(() => run(member));
        while (answer.outcome === 'queued');
        call.answers.push(answer);
      });
      await Promise.all(copies);
    };
    const someTimes = () => 1 + Math.floor(draw() * 3);
    while (begun < steps) {
      begun += 1;
      const step = begun;
      if (draw() < 0.5) {
        const key = counters[step % counters.length] as RecordKey;
        const id = `${Math.floor(step / counters.length)}`;
        const delta = 1 + Math.floor(draw() * 5);
        const added = note({ key, verb: 'add', owner: '', delta });
        const add = (to: Member) => addTo(to, key, delta, id);
        await send(added, add, someTimes());
        if (draw() < 0.3) await send(added, add, 1);
        continue;
      }
      const key = locks[step % locks.length] as RecordKey;
      const [owner, id] = [`w${step}`, `${Math.floor(step / locks.length)}`];
      const mode = draw() < 0.3 ? 'shared' : 'exclusive';
      const waitMs = draw() < 0.3 ? 0 : WAIT_MS;
      const ask = { requestId: id, reentrant: true, leaseMs: LEASE_MS, mode, waitMs } as const;
      const taken = note({ key, verb: 'acquire', owner, delta: 0 });
      const take = (to: Member) => acquire(to, key, owner, ask);
      await send(taken, take, someTimes());
      const token = taken.answers.find(({ outcome }) => outcome === 'granted')?.token;
      if (token === undefined) continue;
      const given = note({ key, verb: 'release', owner, delta: 0 });
      const give = (to: Member) => to.engine.run(key, releaseCommand(key, owner, token, id));
      await send(given, give, someTimes());
      if (draw() < 0.3) await send(taken, take, 1);
      if (draw() < 0.3) await send(given, give, 1);
    }
  };
  let isOver = false;
  const keys = [...locks, ...counters];
  const rereading = rereadNowAndThen(members, keys, seeded(random() * 2 ** 31), () => !isOver);
  await Promise.all(
    Array.from({ length: callers }, () => caller(seeded(random() * 2 ** 31))),
  ).finally(() => {
    isOver = true;
  });
  await rereading;
  for (const member of members) member.faults.onSwap = () => PASS;
  await Promise.all(members.map(({ faults }) => faults.allLanded()));
  return calls;
}
