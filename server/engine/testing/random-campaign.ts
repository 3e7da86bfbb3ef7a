import { randomInt } from 'node:crypto';
import type { RecordKey } from '../../backends/record-store';
import type { LockyardError } from '../../domain/errors';
import {
  type AskParts,
  acquire,
  type EngineRig,
  type Member,
  pause,
  release,
  renew,
} from './engine-rig';
import { type Fate, PASS } from './faulty-store';
import type { RecordedCall } from './history-checker';

export interface CampaignParts {
  rig: EngineRig;
  seed: number;
  engines: number;
  callersEach: number;
  keys: RecordKey[];
  forMs: number;
  /** The share of swaps that suffer a fault. */
  faults: number;
  /** Processes are cut off from their store now and then, for longer than they are believed alive. */
  kills: boolean;
}

export const newSeed = (): number => randomInt(2 ** 31);

/** Numbers from 0 to 1 that a seed gives again. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Callers at several engines take, keep, lose and give back a few locks at random. Answers every call that they made. */
export async function runCampaign(parts: CampaignParts): Promise<RecordedCall[]> {
  const { rig, seed, engines, callersEach, forMs, kills } = parts;
  const calls: RecordedCall[] = [];
  const until = performance.now() + forMs;
  const random = seeded(seed);
  const members = await Promise.all(Array.from({ length: engines }, () => rig.join()));
  for (const member of members)
    member.faults.onSwap = faultsOf(seeded(random() * 2 ** 31), parts.faults);
  const callers = members.flatMap((member, m) =>
    Array.from({ length: callersEach }, (_, c) =>
      new Caller(parts, member, `w${m}-${c}`, seeded(random() * 2 ** 31), calls).live(until),
    ),
  );
  const killing = kills ? killNowAndThen(members, seeded(random() * 2 ** 31), until) : undefined;
  await Promise.all([...callers, killing]);
  for (const member of members) member.faults.onSwap = () => PASS;
  await Promise.all(members.map(({ faults }) => faults.settled()));
  return calls;
}

function faultsOf(random: () => number, share: number): () => Fate {
  return () => {
    if (random() >= share) return PASS;
    const fates: Fate[] = [
      { kind: 'loseReply' },
      { kind: 'loseRequest' },
      { kind: 'landLate', afterMs: random() * 300 },
      { kind: 'refuse' },
      { kind: 'pass', beforeMs: random() * 400 },
      { kind: 'pass', afterMs: random() * 400 },
    ];
    return fates[Math.floor(random() * fates.length)] ?? PASS;
  };
}

async function killNowAndThen(
  members: Member[],
  random: () => number,
  until: number,
): Promise<void> {
  while (performance.now() < until - 3_000) {
    await pause(500 + random() * 1_500);
    const { faults } = members[Math.floor(random() * members.length)] as Member;
    faults.goAway();
    await pause(500 + random() * 2_000);
    faults.comeBack();
  }
}

/** One caller with a life of its own. */
class Caller {
  private requests = 0;

  constructor(
    private readonly parts: CampaignParts,
    private readonly member: Member,
    private readonly owner: string,
    private readonly random: () => number,
    private readonly calls: RecordedCall[],
  ) {}

  async live(until: number): Promise<void> {
    const { keys } = this.parts;
    while (performance.now() < until) {
      const key = keys[Math.floor(this.random() * keys.length)] as RecordKey;
      const leaseMs = 150 + Math.floor(this.random() * 600);
      const token = await this.acquire(key, leaseMs);
      if (token === null) await pause(this.random() * 40);
      else await this.keep(key, token, leaseMs);
    }
  }

  /** Holds for a while, renews perhaps, may oversleep its lease, and gives back, perhaps twice, perhaps not at all. */
  private async keep(key: RecordKey, token: number, leaseMs: number): Promise<void> {
    while (this.random() < 0.3) {
      await pause(this.random() * leaseMs * 0.5);
      await this.record(
        'renew',
        key,
        token,
        leaseMs,
        renew(this.member, key, this.owner, token, leaseMs),
      );
    }
    await pause(this.random() < 0.05 ? leaseMs * 1.2 : this.random() * 20);
    if (this.random() < 0.05) return;
    await this.record('release', key, token, 0, release(this.member, key, this.owner, token));
    if (this.random() < 0.1) {
      await this.record('release', key, token, 0, release(this.member, key, this.owner, token));
    }
  }

  private async acquire(key: RecordKey, leaseMs: number): Promise<number | null> {
    const waitMs = this.random() < 0.5 ? 0 : Math.floor(this.random() * 1_500);
    const parts: AskParts = { leaseMs, waitMs };
    if (this.random() < 0.5) {
      this.requests += 1;
      parts.requestId = `r${this.requests}`;
    }
    const asked = () =>
      this.record(
        'acquire',
        key,
        null,
        leaseMs,
        acquire(this.member, key, this.owner, parts),
        parts.requestId,
      );
    const token = await asked();
    return token === null && parts.requestId !== undefined && this.random() < 0.5 ? asked() : token;
  }

  private async record(
    verb: RecordedCall['verb'],
    key: RecordKey,
    token: number | null,
    leaseMs: number,
    work: Promise<{ outcome: string; token?: number }>,
    requestId?: string,
  ): Promise<number | null> {
    const call: RecordedCall = {
      lock: key.name,
      verb,
      startedAt: performance.now(),
      endedAt: null,
      outcome: 'unknown',
      token,
      leaseMs,
      ...(requestId === undefined ? {} : { requestId: `${this.owner} ${key.name} ${requestId}` }),
    };
    this.calls.push(call);
    try {
      const answer = await work;
      const isOk = ['granted', 'renewed', 'released', 'decremented'].includes(answer.outcome);
      call.outcome = isOk ? 'ok' : 'refused';
      if (verb === 'acquire') call.token = isOk ? (answer.token ?? null) : null;
    } catch (error) {
      const { reason } = error as LockyardError;
      if (reason === undefined || reason === 'INTERNAL') throw error;
      call.outcome = reason === 'UNKNOWN' ? 'unknown' : 'refused';
    }
    call.endedAt = performance.now();
    return call.outcome === 'ok' ? call.token : null;
  }
}
