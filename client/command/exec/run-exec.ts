import { basename } from 'node:path';
import { isatty } from 'node:tty';
import { holdsIt, LockLost, LockTimeout, LockyardError, ReleaseUnconfirmed } from '../../errors';
import type { Hold } from '../../holding/lock-hold';
import type { LockyardClient } from '../../lockyard-client';
import type { RequestFailed } from '../../observing/lock-observer';
import { pause, systemClock } from '../../platform/client-clock';
import { metaValue } from '../../platform/process-meta';
import { PART_MS, shorterPart } from '../../waiting/wait-in-parts';
import type { Reason, Remark } from '../../wire/wire';
import { withLock } from '../../with-lock';
import { CommandFailure, EXIT, refusalExitCode, signalExitCode } from '../exit-codes';
import { openClient } from '../open-client';
import { formatDuration } from '../terminal/duration';
import { createReporter, type Reporter } from '../terminal/reporter';
import { CommandChild } from './command-child';
import { endWithNpm } from './end-with-npm';
import { type ExecOptions, readExecOptions } from './exec-options';
import { isHeldByOuterExec } from './held-by-outer-exec';
import { OrphanGuard } from './orphan-guard';
import { type OutageCause, OutageDetector, outageNotice } from './outage-detector';
import { type CommandEnd, runCommandUnderHold } from './run-command-under-hold';
import { EndedBySignal, SignalRelay } from './signal-relay';

/** How long a server may be silent: in an endless wait, and for each address in a short one. */
const SILENCE_MAX_MS = 60_000;
const SILENCE_MIN_MS = 3_000;

const RETRY_NOTICES: { [R in Reason]?: string } = {
  RATE_LIMITED: 'rate limit reached, retrying…',
  NAMESPACE_FULL: 'namespace full, retrying…',
  UNKNOWN: 'no readable answer from the server, retrying…',
};

/**
 * `lockyard exec`: runs a command under a lock and returns the exit code; null if help was asked
 * for. Throws `CommandFailure` for invalid arguments or a missing setting.
 */
export async function runExec(words: string[]): Promise<number | null> {
  const options = readExecOptions(words);
  if (!options) return null;
  const command = new LockedCommand(options);
  endWithNpm(process.env);
  return command.run();
}

class LockedCommand {
  private readonly say: Reporter;
  private readonly client: LockyardClient;
  /** Ends the wait for the lock. Unused once the command runs. */
  private readonly wait = new AbortController();
  private readonly relay = new SignalRelay((reason) => this.wait.abort(reason));
  private readonly reported = new Set<Reason>();
  private readonly outage: OutageDetector;
  private isRunning = false;
  /** Why the last renewal failed; null if it did not. */
  private unrenewed: Reason | null = null;

  constructor(private readonly options: ExecOptions) {
    const { owner, namespace, url, waitMs } = options;
    this.say = createReporter(options.verbosity);
    const observer = {
      requestFailed: this.noteFailure,
      renewed: () => {
        this.unrenewed = null;
      },
    };
    this.client = openClient({ owner, namespace, url, observer });
    const isEndless = waitMs === Number.POSITIVE_INFINITY;
    const shortestMs = SILENCE_MIN_MS * this.client.settings.addresses.count;
    const limitMs = isEndless ? SILENCE_MAX_MS : Math.max(shortestMs, waitMs);
    this.outage = new OutageDetector(systemClock, limitMs, {
      ...outageNotice(this.say.normally),
      lasted: (cause) => this.giveUpOnOutage(limitMs, cause),
    });
    // Only the client's own requests can reveal an outage, not its probes of open connections.
    this.client.settings.fetch = this.outage.fetch;
  }

  async run(): Promise<number> {
    if (this.options.waitMs > 0) void this.noteOuterExec();
    try {
      const end = await this.retryUntilTimeout((waitMs) => this.once(waitMs));
      return end.isCutShort ? EXIT.lost : end.exitCode;
    } catch (error) {
      return execExitCode(error, this.options, this.say);
    } finally {
      this.relay.close();
    }
  }

  /** Requests the lock repeatedly until the timeout; throws the error that ends the wait. */
  private async retryUntilTimeout<T>(attempt: (waitMs: number) => Promise<T>): Promise<T> {
    const until = systemClock.monotonic() + this.options.waitMs;
    for (let longestMs = PART_MS; ; ) {
      const leftMs = Math.max(0, until - systemClock.monotonic());
      const partMs = Math.floor(Math.min(leftMs, longestMs));
      try {
        return await attempt(partMs);
      } catch (error) {
        const shorterMs = shorterPart(error, partMs);
        longestMs = shorterMs ?? longestMs;
        const mayPass =
          shorterMs !== null ||
          error instanceof LockTimeout ||
          (error instanceof LockyardError && error.isTransient);
        const leftAfterMs = until - systemClock.monotonic();
        if (this.isRunning || !mayPass || leftAfterMs <= 0) throw error;
        const hintMs = error instanceof LockyardError ? (error.retryAfterMs ?? 0) : 0;
        await pause(systemClock, Math.min(hintMs, leftAfterMs), this.wait.signal);
      }
    }
  }

  /** A command that waits for the lock that it runs under would otherwise seem to hang. */
  private async noteOuterExec(): Promise<void> {
    const { client, options, wait } = this;
    const outer = isHeldByOuterExec(client, options, process.env, wait.signal);
    if (!(await outer.catch(() => false))) return;
    const why = 'is held by the lockyard exec around this command; waiting until that ends';
    this.say.normally(`"${options.name}" ${why}`);
  }

  /** Reports, once each, failures that keep the lock from being requested. */
  private readonly noteFailure = ({ procedure, reason }: RequestFailed) => {
    if (procedure === 'lock.renew') this.unrenewed = reason;
    const line = RETRY_NOTICES[reason];
    const isKnown = this.reported.has(reason) || this.outage.isPresent;
    if (procedure !== 'lock.acquire' || !line || isKnown) return;
    this.reported.add(reason);
    this.say.normally(line);
  };

  private once(waitMs: number): Promise<CommandEnd> {
    const { name, mode, permits, capacity, leaseMs, holdAtLeastMs, command } = this.options;
    const meta = { command: metaValue(basename(command[0])) };
    const { client, say } = this;
    say.verbosely(`waiting for "${name}" …`);
    const { signal } = this.wait;
    const wanted = { mode, permits, capacity, leaseMs, holdAtLeastMs };
    const lock = { client, ...wanted, waitMs, meta, signal };
    const listeners = {
      onAskedToRelease: ({ by, reason }: Remark) =>
        say.normally(`${by} asks for "${name}": ${reason}`),
      onRenewalsStopped: ({ by, reason }: Remark) =>
        say.normally(`${by} lets the hold on "${name}" run out: ${reason}`),
    };
    return withLock(name, { ...lock, ...listeners }, (hold) => this.underHold(hold));
  }

  private async underHold(hold: Hold): Promise<CommandEnd> {
    const { command, leaseMs, graceMs } = this.options;
    this.isRunning = true;
    this.say.verbosely(
      `holding "${hold.name}" with token ${hold.token} after ${formatDuration(hold.waitedMs)}`,
    );
    const ownGroup = ![0, 1, 2].some(isatty);
    const guard = new OrphanGuard(graceMs);
    if (ownGroup) this.relay.stopTogether();
    try {
      const child = await CommandChild.start(command, this.variables(hold), ownGroup, (target) =>
        guard.watch(target),
      );
      this.relay.follow(child, () => hold.remainingMs() > 0);
      this.say.verbosely(`the command runs as process ${Math.abs(child.target)}`);
      const end = await runCommandUnderHold(hold, child, { leaseMs, graceMs }, () =>
        this.say.normally(`lost lock "${hold.name}"${this.lossReason(hold)}; terminating command`),
      );
      this.say.verbosely(`the command ended with ${end.exitCode}`);
      // A signal that arrived while the command was starting has ended it.
      this.wait.signal.throwIfAborted();
      this.relay.leave();
      return end;
    } finally {
      guard.callOff();
    }
  }

  private variables({ token, name, namespace }: Hold): Record<string, string> {
    const { addresses, owner } = this.client.settings;
    return {
      LOCKYARD_URL: String(addresses),
      LOCKYARD_NAMESPACE: namespace,
      LOCKYARD_LOCK: name,
      LOCKYARD_OWNER: owner,
      LOCKYARD_TOKEN: String(token),
      // npm started this process, but not what the command starts: see `endWithNpm`.
      ...(process.env.npm_lifecycle_script && { npm_lifecycle_script: '' }),
    };
  }

  /** Empty for a loss that the server has reported: that has a line of its own. */
  private lossReason({ signal }: Hold): string {
    const isReported =
      signal.reason instanceof LockLost && signal.reason.loss.cause !== 'unrenewed';
    return isReported || this.unrenewed === null ? '' : ` (no renewal: ${this.unrenewed})`;
  }

  private giveUpOnOutage(limitMs: number, { why, refusal }: OutageCause): void {
    if (this.isRunning) return;
    const silent = `The server has given no answer for ${formatDuration(limitMs)}${why}.`;
    this.wait.abort(new LockyardError('BACKEND_DOWN', refusal ?? silent, { isFinal: true }));
  }
}

/** Prints why the command ended abnormally; returns the exit code. Rethrows unexpected errors. */
function execExitCode(
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
  const timeout = waitMs > 0 ? ` within ${formatDuration(waitMs)}` : '';
  const who = holder
    ? `; ${holder.owner} (${holder.service}) ${holdsIt(holder, formatDuration)}`
    : '';
  const why = frozen === null ? who : `; it is frozen: ${frozen}`;
  return `"${lock}" was not granted${timeout}${why}`;
}
