/**
 * The work is done, and the hold was valid until its end, but the release was not confirmed. The
 * lock may stay taken until its lease ends. `result` is what the work returned: do not repeat the
 * work because of this error.
 */
export class ReleaseUnconfirmed extends Error {
  override readonly name = 'ReleaseUnconfirmed';

  constructor(
    readonly lock: string,
    readonly token: number,
    readonly result: unknown,
    cause: unknown,
  ) {
    super(`The work under "${lock}" is done, but its release was not confirmed.`, { cause });
  }
}
