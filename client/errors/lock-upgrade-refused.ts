/**
 * Work under a shared hold asked for the same lock exclusively. It would wait for itself: an
 * exclusive hold comes only when all shared ones have ended. End the shared work first, or take the
 * lock exclusively from the beginning.
 */
export class LockUpgradeRefused extends Error {
  override readonly name = 'LockUpgradeRefused';

  constructor(
    readonly lock: string,
    /** Of the shared hold. */
    readonly token: number,
  ) {
    super(`"${lock}" is held shared by the calling work (token ${token}); exclusive waits for it.`);
  }
}
