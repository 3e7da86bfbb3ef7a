/**
 * The work is done, and the hold was good until its end; but no answer to the release was heard.
 * The lock may stay taken until its lease ends. `result` is what the work returned: do not do the
 * work again because of this error.
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
