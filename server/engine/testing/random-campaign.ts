import type { RecordKey } from '../../storage/record-store';
import type { LockEngine, StoreEngine } from '../lock-engine';
import { pause } from './engine-rig';
import { type Fate, type FaultyStore, PASS } from './faulty-store';
import type { RecordedCall } from './history-checker';
import { RandomCaller } from './random-caller';
import { seeded } from './seeded';

/** The longest time for which a campaign continues until it has enough grants. */
const PATIENCE_MS = 30_000;

/** A process, and the faults between it and its store. */
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
  /** At least this long, and on a slow machine until `grantsMin` acquires have succeeded. */
  forMs: number;
  grantsMin?: number;
  /** The share of swaps that suffer a fault. */
  faults: number;
  /**
   * Whether processes are cut off from their store from time to time, until they count as dead.
   */
  kills: boolean;
}

/**
 * Runs callers at several engines that acquire, keep, lose and release a few locks at random.
 * Returns all their calls.
 */
export async function runCampaign(parts: CampaignOptions): Promise<RecordedCall[]> {
  const { rig, seed, engines, callersEach, keys, forMs, kills } = parts;
  const calls = new Set<RecordedCall>();
  const begunAt = performance.now();
  const until = begunAt + forMs;
  const grants = new Set<string>();
  const continues = () =>
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
      }).live(continues),
    ),
  );
  const rereading = rereadNowAndThen(members, keys, seeded(random() * 2 ** 31), continues);
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

/** Rereads records from time to time, as the projection does after changes by other processes. */
export async function rereadNowAndThen(
  members: CampaignMember[],
  keys: RecordKey[],
  random: () => number,
  continues: () => boolean,
): Promise<void> {
  while (continues()) {
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
