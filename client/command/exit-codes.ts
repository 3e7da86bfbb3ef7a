import { constants } from 'node:os';
import type { Reason } from '../wire/wire';

/**
 * The exit codes of `lockyard`, besides those of the command that it ran: 1, 64 and above as in
 * `flock` and `sysexits`, 126 and above as in a shell. A contract: numbers never change.
 */
export const EXIT = {
  /**
   * Not granted in time; `--conflict-exit-code` changes it. Also: a release of a hold that had
   * ended.
   */
  conflict: 1,
  /** Invalid arguments, or a name, owner or duration that Lockyard refuses. */
  usage: 64,
  /** No answer from Lockyard in time; the command did not run. */
  unavailable: 69,
  /** A fault of Lockyard. */
  software: 70,
  /** The hold was lost, or could not be renewed, while the command ran: the command was ended. */
  lost: 75,
  /** The API key is not valid, or not for this namespace. */
  noPermission: 77,
  /** Address or key is not set, or there is no such namespace. */
  config: 78,
  notExecutable: 126,
  notFound: 127,
} as const;

/** 128 plus the number of the signal, as a shell reports a death by signal. */
export function signalExitCode(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** The exit code for a call that was refused, or got no answer. */
export function refusalExitCode(reason: Reason): number {
  return REFUSED[reason];
}

const REFUSED: Record<Reason, number> = {
  INVALID: EXIT.usage,
  UNAUTHENTICATED: EXIT.noPermission,
  FORBIDDEN: EXIT.noPermission,
  NOT_FOUND: EXIT.config,
  CONFLICT: EXIT.software,
  TOO_LARGE: EXIT.usage,
  RATE_LIMITED: EXIT.unavailable,
  NAMESPACE_FULL: EXIT.unavailable,
  CONTENDED: EXIT.unavailable,
  UNSUPPORTED: EXIT.usage,
  BACKEND_DOWN: EXIT.unavailable,
  UNKNOWN: EXIT.unavailable,
  INTERNAL: EXIT.software,
};

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
