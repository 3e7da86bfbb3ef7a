/** An invalid guarded write. Nothing was written, unless the message says so. */
export class InvalidGuard extends Error {
  override readonly name = 'InvalidGuard';
}
