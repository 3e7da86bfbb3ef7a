import type { Holder } from '../wire/wire';

/** The holders of the lock, according to the last answer. */
export interface Obstacle {
  holders: Holder[];
  /** Null where the last answer did not tell. */
  queueLength: number | null;
  /** Why an operator has frozen the lock; null if it is not frozen. */
  frozen: string | null;
}

/**
 * The lock was not granted within the patience given. Nothing is held, and no place in the queue is
 * kept.
 */
export class LockTimeout extends Error {
  override readonly name = 'LockTimeout';
  readonly holders: Holder[];
  readonly queueLength: number | null;
  readonly frozen: string | null;

  constructor(
    readonly lock: string,
    readonly waitMs: number,
    { holders, queueLength, frozen }: Obstacle,
  ) {
    const holder = holders[0] ? `; ${holders[0].owner} holds it` : '';
    const obstacle = frozen === null ? holder : `; it is frozen: ${frozen}`;
    super(`"${lock}" was not granted within ${waitMs} ms${obstacle}.`);
    this.holders = holders;
    this.queueLength = queueLength;
    this.frozen = frozen;
  }
}
