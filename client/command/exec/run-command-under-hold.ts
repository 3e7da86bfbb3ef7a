import { LockLost } from '../../errors';
import type { Hold } from '../../holding/lock-hold';
import type { CommandChild } from './command-child';
import { EndedBySignal } from './signal-relay';

/** How a command ended. */
export interface CommandEnd {
  /** As a shell reports it. */
  exitCode: number;
  /** It was ended because the hold was lost, or about to be. */
  isCutShort: boolean;
}

/** Operators can set a lease beyond the range of Node's timers, which would fire immediately. */
const TIMER_MAX_MS = 86_400_000;

/** The part of a lease that is reserved for timers that fire late. */
const marginMs = (leaseMs: number) => Math.min(250, leaseMs / 20);

/**
 * Waits for the end of a command, and ends it if the hold ends first. If the lease cannot be
 * renewed, SIGTERM is sent early enough for SIGKILL to follow before the lease ends. Only after a
 * force release, when it is too late for that, does the command get the whole grace period.
 *
 * @param onLoss called when the command has to end because of its hold
 */
export async function runCommandUnderHold(
  hold: Hold,
  child: CommandChild,
  { leaseMs, graceMs }: { leaseMs: number; graceMs: number },
  onLoss: () => void,
): Promise<CommandEnd> {
  const reservedMs = marginMs(leaseMs);
  let ending: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;

  const end = () => {
    if (ending) return;
    clearTimeout(timer);
    const certainMs = Math.max(0, hold.remainingMs() - reservedMs);
    ending = child.end(wasTakenAway(hold.signal.reason) ? graceMs : Math.min(graceMs, certainMs));
    if (!(hold.signal.reason instanceof EndedBySignal)) onLoss();
  };
  const check = () => {
    const spareMs = hold.remainingMs() - reservedMs - graceMs;
    if (spareMs > 0) timer = setTimeout(check, Math.min(spareMs, TIMER_MAX_MS));
    else end();
  };

  if (hold.signal.aborted) end();
  else check();
  hold.signal.addEventListener('abort', end, { once: true });
  const exitCode = await child.ended;
  clearTimeout(timer);
  hold.signal.removeEventListener('abort', end);
  await ending;
  return { exitCode, isCutShort: ending !== null };
}

/** Reported by the server before the lease ended. */
function wasTakenAway(reason: unknown): boolean {
  return reason instanceof LockLost && ['forced', 'released'].includes(reason.loss.cause);
}
