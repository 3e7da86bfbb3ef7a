/**
 * A guarded write that makes no sense as asked. Nothing was written, unless the message says so.
 */
export class InvalidGuard extends Error {
  override readonly name = 'InvalidGuard';
}
