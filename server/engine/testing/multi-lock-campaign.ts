import type { LockyardError } from '../../contract/errors';
import type { MultiLockGrant } from '../../contract/multi-lock';
import type { MultiLockMode } from '../../core/multi-lock/multi-lock-command';
import type { RecordKey } from '../../storage/record-store';
import { acquire, type EngineRig, type Member, pause, release } from './engine-rig';
import { type Fate, PASS } from './faulty-store';
import type { RecordedCall } from './history-checker';
import { acquireMultiLock } from './multi-lock-calls';
import { seeded } from './seeded';

export interface MultiLockCampaign {
  rig: EngineRig;
  seed: number;
  callers: number;
  /** The number of multi-locks over all callers; each is requested until it is granted. */
  multiLocks: number;
  keys: RecordKey[];
  /** The share of swaps that suffer a fault. */
  faults: number;
}

export interface MultiLockCampaignResult {
  /** The calls of exclusive holds, for the history checker. */
  calls: RecordedCall[];
  granted: number;
  /** The number of shared holds by lock: the history checker does not support them. */
  shared: Map<string, number>;
  /** Multi-locks that were granted with only some of their locks. */
  parts: string[];
  timedOut: number;
}

/** Long enough that no hold of the campaign expires while it is used. */
const LEASE_MS = 30_000;
const PATIENCE_MS = 60_000;

/**
 * Runs callers at two processes that take 2 to 5 of a few locks together, in both modes, and
 * sometimes single ones.
 */
export async function runMultiLockCampaign(
  campaign: MultiLockCampaign,
): Promise<MultiLockCampaignResult> {
  const { rig, seed, callers, multiLocks, faults } = campaign;
  const random = seeded(seed);
  const members = [await rig.join(), await rig.join()];
  for (const member of members) member.faults.onSwap = faultsOf(seeded(random() * 2 ** 31), faults);
  const result: MultiLockCampaignResult = {
    calls: [],
    granted: 0,
    shared: new Map(),
    parts: [],
    timedOut: 0,
  };
  let left = multiLocks;
  const caller = async (_: unknown, c: number) => {
    const draw = seeded(random() * 2 ** 31);
    const life = new Caller(campaign, members[c % 2] as Member, `w${c}`, draw, result);
    while (left > 0) {
      left -= 1;
      await life.takeMultiLock(`${c}:${left}`);
      if (draw() < 0.3) await life.takeOne(`${c}:${left}:one`);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  for (const member of members) member.faults.onSwap = () => PASS;
  await Promise.all(members.map((member) => member.faults.allLanded()));
  return result;
}

function faultsOf(random: () => number, share: number): () => Fate {
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

class Caller {
  constructor(
    private readonly campaign: MultiLockCampaign,
    private readonly member: Member,
    private readonly owner: string,
    private readonly draw: () => number,
    private readonly result: MultiLockCampaignResult,
  ) {}

  async takeMultiLock(id: string): Promise<void> {
    const keys = this.someKeys(2 + Math.floor(this.draw() * 4));
    const mode: MultiLockMode = this.draw() < 0.3 ? 'shared' : 'exclusive';
    for (let tries = 0; ; tries += 1) {
      const startedAt = performance.now();
      const requestId = `${id}:${tries}`;
      const parts = { leaseMs: LEASE_MS, waitMs: PATIENCE_MS, mode, requestId };
      const answer = await untilAnswered(() =>
        acquireMultiLock(this.member, keys, this.owner, parts),
      );
      if (answer.outcome !== 'granted') {
        this.result.timedOut += 1;
        continue;
      }
      this.result.granted += 1;
      const names = answer.grants.map(({ name }) => name).join();
      if (
        names !==
        keys
          .map(({ name }) => name)
          .sort()
          .join()
      )
        this.result.parts.push(`${id}: ${names}`);
      await this.use(answer.grants, startedAt, requestId);
      return;
    }
  }

  async takeOne(requestId: string): Promise<void> {
    const [key] = this.someKeys(1);
    if (!key) return;
    const startedAt = performance.now();
    const parts = { leaseMs: LEASE_MS, waitMs: PATIENCE_MS, requestId };
    const answer = await untilAnswered(() => acquire(this.member, key, this.owner, parts));
    if (answer.outcome !== 'granted') return;
    await this.use([{ ...answer, name: key.name, mode: 'exclusive' }], startedAt, requestId);
  }

  /** Keeps the holds briefly, and then releases them one after another. */
  private async use(grants: MultiLockGrant[], startedAt: number, requestId: string): Promise<void> {
    const endedAt = performance.now();
    for (const { name, mode, token } of grants) {
      if (mode === 'shared') {
        this.result.shared.set(name, (this.result.shared.get(name) ?? 0) + 1);
        continue;
      }
      const call = { lock: name, token, leaseMs: LEASE_MS, outcome: 'ok' } as const;
      const id = `${requestId} ${name}`;
      this.result.calls.push({ ...call, verb: 'acquire', startedAt, endedAt, requestId: id });
    }
    await pause(this.draw() * 3);
    for (const { name, mode, token } of grants) {
      const key = this.campaign.keys.find((other) => other.name === name) as RecordKey;
      const call: RecordedCall = {
        lock: name,
        token,
        leaseMs: 0,
        outcome: 'ok',
        verb: 'release',
        startedAt: performance.now(),
        endedAt: null,
      };
      await untilAnswered(() => release(this.member, key, this.owner, token));
      if (mode === 'exclusive') this.result.calls.push({ ...call, endedAt: performance.now() });
    }
  }

  private someKeys(count: number): RecordKey[] {
    const left = [...this.campaign.keys];
    return Array.from({ length: count }, () => {
      const [key] = left.splice(Math.floor(this.draw() * left.length), 1);
      return key as RecordKey;
    });
  }
}

/** Repeats a request until it is answered: every request here may be sent twice. */
async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const { reason } = error as LockyardError;
      if (!['UNKNOWN', 'BACKEND_DOWN', 'CONTENDED'].includes(reason)) throw error;
      await pause(10);
    }
  }
}
