/** An end of the command line that is told in one line, with its exit code. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';

  constructor(
    readonly exitCode: number,
    message: string,
  ) {
    super(message);
  }
}
