/** A failure whose message, one clear line, is all that a person needs. */
export class PlainFailure extends Error {
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * Prints what went wrong on standard error, with a stack only for an unexpected error, and ends
 * with its code.
 */
export function endWith(error) {
  const foreseen = error instanceof PlainFailure;
  process.stderr.write(`${foreseen ? error.message : (error?.stack ?? error)}\n`);
  process.exit(foreseen ? error.exitCode : 1);
}
