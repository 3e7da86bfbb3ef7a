/**
 * Locks are counted in so many shares, each written by itself, so that however many there are no
 * write is long.
 */
export const SHARES = 8;

/**
 * Which share a lock belongs to. It must not change from one version to the next: cursors are kept
 * by it.
 */
export function shareOf(lockId: string): number {
  let hash = 0;
  for (let i = 0; i < lockId.length; i += 1) hash = (hash * 31 + lockId.charCodeAt(i)) | 0;
  return (hash >>> 0) % SHARES;
}

/** The id of the cursor that says up to which flush a share of a backend is counted. */
export const rollupCursor = (backend: string, share: number) => `rolled/${backend}/${share}`;
