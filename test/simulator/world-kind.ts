import { seeded } from '@/server/engine/testing/seeded';

/**
 * What is special about a world.
 *
 * - `plain`: nothing. - `lossy`: its store loses its memory now and then.
 * - `sharded`: its names are spread over several stores with clocks of their own.
 */
export type WorldKind = 'plain' | 'lossy' | 'sharded';

const SHARE = 0.08;

/** Of numbers of its own: so the worlds of other seeds play as they did before there was this choice. */
export function worldKind(seed: number): WorldKind {
  if (seeded(seed ^ LOSSY)() < SHARE) return 'lossy';
  return seeded(seed ^ SHARDED)() < SHARE ? 'sharded' : 'plain';
}

const LOSSY = 0x0b11;
const SHARDED = 0x1e55;
