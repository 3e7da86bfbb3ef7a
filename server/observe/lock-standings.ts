import type { BackendHealth } from '../domain/lock-row';
import { type LockStatus, lockStatus } from '../domain/lock-status';
import type { LockNorms } from '../domain/stuck-reason';
import type { BoardRow } from './board-row';

/** One lock as far as it is counted. */
export interface LockStanding {
  namespace: string;
  backend: string;
  status: LockStatus;
  waiters: number;
  /** Somebody holds it, whatever its status; false where its backend does not answer. */
  isHeld: boolean;
}

/**
 * Every lock as it is now, in no order, one after another.
 *
 * @param now this process's clock
 */
export function* lockStandings(
  rows: Iterable<BoardRow>,
  healths: ReadonlyMap<string, BackendHealth>,
  normsOf: (row: BoardRow['row']) => LockNorms,
  now: number,
): Generator<LockStanding> {
  for (const { backend: keptBy, row, facts, isReadable } of rows) {
    const { namespace, backend, waiters } = row;
    const health = healths.get(keptBy);
    const instant = now + (health?.clockOffsetMs ?? 0);
    const isKnown = isReadable && health?.reachable === true;
    const status = lockStatus(facts, normsOf(row), instant, isKnown);
    const isHeld = isKnown && facts.holds.some(({ expiresAt }) => expiresAt > instant);
    yield { namespace, backend, status, waiters, isHeld };
  }
}
