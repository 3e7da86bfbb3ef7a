import type { RecordKey } from '../../storage/record-store';
import type { LockEngine, StoreEngine } from '../lock-engine';
import { pause } from './engine-rig';
import { type Fate, type FaultyStore, PASS } from './faulty-store';
import type { RecordedCall } from './history-checker';
import { RandomCaller } from './random-caller';
import { seeded } from './seeded';

/** How long a campaign goes on at most for the sake of its grants. */
const PATIENCE_MS = 30_000;

/** A process, and what can befall its way to its store. */
interface CampaignMember {
  engine: LockEngine & Partial<StoreEngine>;
  faults: Pick<FaultyStore, 'onSwap' | 'goAway' | 'comeBack' | 'allLanded'>;
}

export interface CampaignOptions {
  rig: { join(): Promise<CampaignMember> };
  seed: number;
  engines: number;
  callersEach: number;
  keys: RecordKey[];
  /** At least so long, and on a slow machine until `grantsMin` acquires have succeeded. */
  forMs: number;
  grantsMin?: number;
  /** The share of swaps that suffer a fault. */
  faults: number;
  /**
   * Processes are cut off from their store now and then, for longer than they are believed alive.
   */
  kills: boolean;
}

/**
 * Callers at several engines take, keep, lose and give back a few locks at random. Answers every
 * call that they made.
 */
export async function runCampaign(parts: CampaignOptions): Promise<RecordedCall[]> {
  const { rig, seed, engines, callersEach, keys, forMs, kills } = parts;
  const calls = new Set<RecordedCall>();
  const begunAt = performance.now();
  const until = begunAt + forMs;
  const grants = new Set<string>();
  const goesOn = () =>
    performance.now() < until ||
    (grants.size < (parts.grantsMin ?? 0) && performance.now() < begunAt + PATIENCE_MS);
  const random = seeded(seed);
  const members = await Promise.all(Array.from({ length: engines }, () => rig.join()));
  for (const member of members)
    member.faults.onSwap = faultsOf(seeded(random() * 2 ** 31), parts.faults);
  const callers = members.flatMap((member, m) =>
    Array.from({ length: callersEach }, (_, c) =>
      new RandomCaller({
        member,
        owner: `w${m}-${c}`,
        keys,
        random: seeded(random() * 2 ** 31),
        note: (call) => {
          calls.add(call);
          if (call.verb === 'acquire' && call.outcome === 'ok') {
            grants.add(`${call.lock} ${call.token}`);
          }
        },
      }).live(goesOn),
    ),
  );
  const rereading = rereadNowAndThen(members, keys, seeded(random() * 2 ** 31), goesOn);
  const killing = kills ? killNowAndThen(members, seeded(random() * 2 ** 31), until) : undefined;
  await Promise.all([...callers, rereading, killing]);
  for (const member of members) member.faults.onSwap = () => PASS;
  await Promise.all(members.map(({ faults }) => faults.allLanded()));
  return [...calls];
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

/** As the projection does: each process takes note of what another may have changed. */
export async function rereadNowAndThen(
  members: CampaignMember[],
  keys: RecordKey[],
  random: () => number,
  goesOn: () => boolean,
): Promise<void> {
  while (goesOn()) {
    await pause(random() * 30);
    const { engine } = members[Math.floor(random() * members.length)] as CampaignMember;
    await engine.reread?.(keys).catch(() => undefined);
  }
}

async function killNowAndThen(
  members: CampaignMember[],
  random: () => number,
  until: number,
): Promise<void> {
  while (performance.now() < until - 3_000) {
    await pause(500 + random() * 1_500);
    const { faults } = members[Math.floor(random() * members.length)] as CampaignMember;
    faults.goAway();
    await pause(500 + random() * 2_000);
    faults.comeBack();
  }
}
