/** A lock was not granted, so the work was not run. Nothing was changed, and nothing is held. */
export class NotGranted extends Error {
  override readonly name = 'NotGranted';

  /** @param reason the end of the sentence, without a full stop */
  constructor(
    readonly lock: string,
    reason: string,
  ) {
    super(`"${lock}" was not granted: ${reason}.`);
  }
}
