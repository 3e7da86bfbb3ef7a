/** A failure of the command line that is printed as one line, with its exit code. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';

  constructor(
    readonly exitCode: number,
    message: string,
  ) {
    super(message);
  }
}
