import { seeded } from '@/server/engine/testing/seeded';

/**
 * What is special about a world.
 *
 * - `plain`: nothing. - `lossy`: its store loses data now and then.
 * - `sharded`: its names are spread over several stores with clocks of their own.
 * - `audited`: operators act through the audit log, processes are stopped for long, and packets
 *   land very late.
 * - `permits`: most callers take permits, and operators change the capacity.
 * - `watched`: a program watches all locks, at changing processes.
 * - `crowded`: there are more names than its namespace has room for, and idle locks are deleted.
 */
export type WorldKind = (typeof WORLD_KINDS)[number];

export const WORLD_KINDS = [
  'plain',
  'lossy',
  'sharded',
  'audited',
  'crowded',
  'permits',
  'watched',
] as const;

const SHARE = 0.08;

/** Small, since such a world takes long. */
const AUDITED_SHARE = 0.04;

/** Drawn from separate random numbers, so that the worlds of older seeds stay the same. */
export function worldKind(seed: number): WorldKind {
  if (seeded(seed ^ LOSSY)() < SHARE) return 'lossy';
  if (seeded(seed ^ SHARDED)() < SHARE) return 'sharded';
  if (seeded(seed ^ AUDITED)() < AUDITED_SHARE) return 'audited';
  if (seeded(seed ^ CROWDED)() < SHARE) return 'crowded';
  if (seeded(seed ^ PERMITS)() < SHARE) return 'permits';
  return seeded(seed ^ WATCHED)() < SHARE ? 'watched' : 'plain';
}

const LOSSY = 0x0b11;
const SHARDED = 0x1e55;
const AUDITED = 0xa0d1;
const CROWDED = 0xc0de;
const PERMITS = 0x9e44;
const WATCHED = 0x3a7c;
