import { LockLost } from '../../errors/lock-lost';
import { LockTimeout } from '../../errors/lock-timeout';
import { LockyardError } from '../../errors/lockyard-error';
import { ReleaseUnconfirmed } from '../../errors/release-unconfirmed';
import { CommandFailure } from '../command-failure';
import { EXIT, refusalExitCode, signalExitCode } from '../exit-codes';
import { formatDuration } from '../terminal/duration';
import type { Reporter } from '../terminal/reporter';
import type { ExecOptions } from './exec-options';
import type { CommandEnd } from './run-command-under-hold';
import { EndedBySignal } from './signal-relay';

/**
 * Prints why the command did not end normally, and answers the exit code. Unexpected errors are
 * rethrown.
 */
export function execExitCode(
  error: unknown,
  { conflictExitCode, waitMs }: Pick<ExecOptions, 'conflictExitCode' | 'waitMs'>,
  say: Reporter,
): number {
  if (error instanceof LockTimeout) {
    say.normally(describeConflict(error, waitMs));
    return conflictExitCode;
  }
  if (error instanceof EndedBySignal) return signalExitCode(error.signal);
  if (error instanceof LockLost) {
    if (error.cause instanceof CommandFailure) say.always(error.cause.message);
    say.normally(error.message);
    return EXIT.lost;
  }
  if (error instanceof ReleaseUnconfirmed) {
    const end = error.result as CommandEnd;
    say.normally('release not confirmed; the lock may remain held until its lease expires');
    return end.isCutShort ? EXIT.lost : end.exitCode;
  }
  if (error instanceof LockyardError) {
    say.always(error.message);
    return refusalExitCode(error.reason);
  }
  throw error;
}

function describeConflict(
  { lock, holders: [holder], frozen }: LockTimeout,
  waitMs: number,
): string {
  const patience = waitMs > 0 ? ` within ${formatDuration(waitMs)}` : '';
  const who = holder ? `; ${holder.owner} (${holder.service}) holds it` : '';
  return `"${lock}" was not granted${patience}${frozen === null ? who : `; it is frozen: ${frozen}`}`;
}
