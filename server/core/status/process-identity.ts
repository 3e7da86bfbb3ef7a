import type { Meta } from '../../contract/primitives';
import { PID_MAX } from '../../contract/witness';

/** The machine on which a process runs, as its kernel names it. */
export interface HostIdentity {
  host: string;
  /** Random, made by the kernel at every boot. */
  bootId: string;
  /** The number of the process id namespace: process ids are unique only within one. */
  pidNamespace: string;
}

/** One process, unlike any other before or after it, without a wall clock. */
export interface ProcessIdentity extends HostIdentity {
  pid: string;
  /** When it was started, in clock ticks since the machine booted. */
  pidStart: string;
}

/** The fields of `meta` that identify the holder's process, besides `host` and `pid`. */
const PROOF_FIELDS = ['bootId', 'pidNamespace', 'pidStart'] as const;

/** The fields of `meta` that name where that process runs. */
const PLACE_FIELDS = ['pod', 'ciRun'] as const;

const SEPARATOR = '\0';

/** The process that a hold names; null if it does not name one completely. */
export function processOf(meta: Meta): ProcessIdentity | null {
  const { host = '', bootId = '', pidNamespace = '', pid = '', pidStart = '' } = meta;
  const isComplete =
    host !== '' &&
    /^[0-9a-f-]{8,64}$/.test(bootId) &&
    /^\d{1,20}$/.test(pidNamespace) &&
    /^[1-9]\d*$/.test(pid) &&
    Number(pid) <= PID_MAX &&
    /^\d{1,20}$/.test(pidStart);
  return isComplete ? { host, bootId, pidNamespace, pid, pidStart } : null;
}

/** The same text for the same machine, boot and process id namespace only. */
export function hostKey({ host, bootId, pidNamespace }: HostIdentity): string {
  return [host, bootId, pidNamespace].join(SEPARATOR);
}

/** The same text for the same process only. */
export function processKey(process: ProcessIdentity): string {
  return [hostKey(process), process.pid, process.pidStart].join(SEPARATOR);
}

/**
 * The `meta` of a hold that its owner has entered again. If another process did that, the end of
 * the first one proves nothing about the hold any more, so it no longer names a process, nor a pod
 * or CI run if that is another one.
 */
export function metaAfterReentry(held: Meta, entered: Meta): Meta {
  const isSameProcess = ['host', 'pid', ...PROOF_FIELDS].every(
    (field) => held[field] === entered[field],
  );
  const withdrawn: string[] = [
    ...(isSameProcess ? [] : PROOF_FIELDS),
    ...PLACE_FIELDS.filter((field) => held[field] !== entered[field]),
  ].filter((field) => Object.hasOwn(held, field));
  if (withdrawn.length === 0) return held;
  return Object.fromEntries(Object.entries(held).filter(([field]) => !withdrawn.includes(field)));
}
