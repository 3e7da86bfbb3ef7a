import { seeded } from '@/server/engine/testing/seeded';
import { WORLD_KINDS, type WorldKind, worldKind } from './world-kind';

/** The kinds of worlds of which some have the faults below. */
const KINDS: WorldKind[] = ['plain', 'sharded', 'permits'];

const SHARE = 0.2;

const HANG_UPS = 0x592f;
const DRAINS = 0x31e19;
const SLOW_READS = 0x5116;
const READS = 0x34ead;
const RELEASE_REQUESTS = 0x28a5ed;
const RESENDS = 0x4e5e;

/** The random numbers that decide whether and when callers hang up; null where they never do. */
export const hangUpRandom = (seed: number) => extraRandom(seed, HANG_UPS);

/** The random numbers that decide which processes shut down, and when; null where none does. */
export const drainRandom = (seed: number) => extraRandom(seed, DRAINS);

/** The random numbers of a store that reads records one by one; null where it reads at once. */
export const slowReadsRandom = (seed: number) => extraRandom(seed, SLOW_READS);

/** The random numbers that decide when callers read locks; null where none does. */
export const readRandom = (seed: number) => extraRandom(seed, READS, WORLD_KINDS);

/** The random numbers that decide whom operators ask to release; null where they never do. */
export const releaseRequestRandom = (seed: number) => extraRandom(seed, RELEASE_REQUESTS);

/** The random numbers that decide whether and when callers ask again before they hang up. */
export const resendRandom = (seed: number) => seeded(seed ^ RESENDS);

/** Separate random numbers, so that the worlds of older seeds stay the same. */
function extraRandom(
  seed: number,
  fault: number,
  kinds: readonly WorldKind[] = KINDS,
): (() => number) | null {
  const hasIt = kinds.includes(worldKind(seed)) && seeded(seed ^ fault)() < SHARE;
  return hasIt ? seeded(seed ^ fault ^ 1) : null;
}
