import { exactCount } from './counts';

/** A token by its last four digits: the ones that differ. */
export function shortToken(token: number): string {
  return `…${String(token).slice(-4).padStart(4, '0')}`;
}

/**
 * A version: all of it while it is small, else by its last four digits; a lock's first one is a
 * large number.
 */
export function revText(rev: number): string {
  return rev < 1_000_000 ? exactCount(rev) : shortToken(rev);
}
