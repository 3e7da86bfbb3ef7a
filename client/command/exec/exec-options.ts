import { defaultLeaseMs } from '../../waiting/request-defaults';
import type { Mode } from '../../wire/wire';
import { EXIT } from '../exit-codes';
import {
  COMMON_OPTIONS,
  onlyArgument,
  readArguments,
  readDuration,
  readNumber,
  refuseUnlessUtf8,
  wrongUsage,
} from '../read-arguments';
import type { Verbosity } from '../terminal/reporter';

/** The options of `lockyard exec`. */
export interface ExecOptions {
  name: string;
  command: [string, ...string[]];
  /** The timeout of the whole wait; infinite unless set. */
  waitMs: number;
  mode: Mode;
  /** In mode permit. */
  permits?: number;
  capacity?: number;
  leaseMs: number;
  /**
   * How long the lock stays held at least, even if the command ends sooner; undefined: no minimum.
   */
  holdAtLeastMs: number | undefined;
  /** How long the command has to end between SIGTERM and SIGKILL. */
  graceMs: number;
  namespace: string | undefined;
  owner: string | undefined;
  url: string | undefined;
  conflictExitCode: number;
  verbosity: Verbosity;
}

export const EXEC_USAGE = 'lockyard exec NAME [options] -- command [argument…]';

const OPTIONS = {
  ...COMMON_OPTIONS,
  wait: { type: 'string', short: 'w' },
  'no-wait': { type: 'boolean', short: 'n' },
  shared: { type: 'boolean', short: 's' },
  permits: { type: 'string' },
  capacity: { type: 'string' },
  lease: { type: 'string' },
  'hold-at-least': { type: 'string' },
  'kill-after': { type: 'string', short: 'k' },
  owner: { type: 'string' },
  'conflict-exit-code': { type: 'string', short: 'E' },
  quiet: { type: 'boolean', short: 'q' },
  verbose: { type: 'boolean', short: 'v' },
} as const;

const LEASE_MIN_MS = 100;
const LEASE_MAX_MS = 24 * 60 * 60_000;
const GRACE_MS = 5_000;

/** Reads the words after `exec`; null when help was asked for. Throws `CommandFailure`. */
export function readExecOptions(words: string[]): ExecOptions | null {
  const split = words.indexOf('--');
  const { values, positionals } = readArguments(split < 0 ? words : words.slice(0, split), OPTIONS);
  if (values.help) return null;
  const name = onlyArgument(positionals, EXEC_USAGE);
  const [program, ...rest] = split < 0 ? [] : words.slice(split + 1);
  if (!program) throw wrongUsage(`Missing command after --. Usage: ${EXEC_USAGE}`);
  refuseUnlessUtf8([program, ...rest]);
  const holdAtLeastMs = readDuration('--hold-at-least', values['hold-at-least'], undefined);
  const leaseMs = readLease(values.lease, holdAtLeastMs);
  return {
    name,
    command: [program, ...rest],
    waitMs: readWait(values.wait, values['no-wait']),
    ...readMode(values),
    leaseMs,
    holdAtLeastMs,
    graceMs: readGrace(values['kill-after'], leaseMs),
    namespace: values.namespace,
    owner: values.owner,
    url: values.url,
    conflictExitCode: readNumber(
      '--conflict-exit-code',
      values['conflict-exit-code'] ?? String(EXIT.conflict),
      0,
      255,
    ),
    verbosity: values.verbose ? 'verbose' : values.quiet ? 'quiet' : 'normal',
  };
}

const CAPACITY_MAX = 10_000;

function readMode({
  shared,
  permits,
  capacity,
}: {
  shared?: boolean | undefined;
  permits?: string | undefined;
  capacity?: string | undefined;
}): Pick<ExecOptions, 'mode' | 'permits' | 'capacity'> {
  if (capacity === undefined) {
    if (permits !== undefined) throw wrongUsage('--permits needs --capacity.');
    return { mode: shared ? 'shared' : 'exclusive' };
  }
  if (shared) throw wrongUsage('--shared and --capacity exclude each other.');
  const maxPermits = readNumber('--capacity', capacity, 1, CAPACITY_MAX);
  return {
    mode: 'permit',
    permits: readNumber('--permits', permits ?? '1', 1, maxPermits),
    capacity: maxPermits,
  };
}

function readWait(wait: string | undefined, noWait: boolean | undefined): number {
  if (noWait && wait !== undefined) throw wrongUsage('--wait and --no-wait exclude each other.');
  return noWait ? 0 : readDuration('--wait', wait, Number.POSITIVE_INFINITY);
}

/** The lease in ms; by default 30 s, or `holdAtLeastMs` if that is longer. */
function readLease(text: string | undefined, holdAtLeastMs = 0): number {
  if (holdAtLeastMs > LEASE_MAX_MS) throw wrongUsage('--hold-at-least must be at most 24h.');
  const leaseMs = readDuration('--lease', text, defaultLeaseMs(holdAtLeastMs));
  if (leaseMs < LEASE_MIN_MS || leaseMs > LEASE_MAX_MS) {
    throw wrongUsage('--lease must be from 100ms to 24h.');
  }
  if (holdAtLeastMs > leaseMs) throw wrongUsage('--hold-at-least must be at most --lease.');
  return leaseMs;
}

/** More than half a lease would leave no time to renew before the command has to be ended. */
function readGrace(text: string | undefined, leaseMs: number): number {
  const graceMs = readDuration('--kill-after', text, Math.min(GRACE_MS, leaseMs / 6));
  if (graceMs <= leaseMs / 2) return graceMs;
  throw wrongUsage('--kill-after must be at most half of --lease.');
}
