import { seeded } from '@/server/engine/testing/seeded';
import { type WorldKind, worldKind } from './world-kind';

/** The kinds of worlds of which some have the faults below. */
const KINDS: WorldKind[] = ['plain', 'sharded', 'permits'];

const SHARE = 0.2;

const HANG_UPS = 0x592f;
const DRAINS = 0x31e19;
const SLOW_READS = 0x5116;

/** The random numbers that decide whether and when callers hang up; null where they never do. */
export const hangUpRandom = (seed: number) => extraRandom(seed, HANG_UPS);

/** The random numbers that decide which processes shut down, and when; null where none does. */
export const drainRandom = (seed: number) => extraRandom(seed, DRAINS);

/** The random numbers of a store that reads records one by one; null where it reads at once. */
export const slowReadsRandom = (seed: number) => extraRandom(seed, SLOW_READS);

/** Separate random numbers, so that the worlds of older seeds stay the same. */
function extraRandom(seed: number, fault: number): (() => number) | null {
  const hasIt = KINDS.includes(worldKind(seed)) && seeded(seed ^ fault)() < SHARE;
  return hasIt ? seeded(seed ^ fault ^ 1) : null;
}
