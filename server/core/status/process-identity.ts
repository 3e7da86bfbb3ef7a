import type { Meta } from '../../contract/primitives';
import { PID_MAX } from '../../contract/witness';

/** The machine on which a process runs, as its kernel identifies it. */
export interface HostIdentity {
  host: string;
  /** Random, made by the kernel at every boot. */
  bootId: string;
  /** The number of the PID namespace, within which process ids are unique. */
  pidNamespace: string;
}

/** Identifies one process uniquely, also over time, without the wall clock. */
export interface ProcessIdentity extends HostIdentity {
  pid: string;
  /** Its start time, in clock ticks since the machine booted. */
  pidStart: string;
}

/** The fields of `meta` that identify the holder's process, besides `host` and `pid`. */
const PROOF_FIELDS = ['bootId', 'pidNamespace', 'pidStart'] as const;

/** The fields of `meta` that say where that process runs. */
const PLACE_FIELDS = ['pod', 'ciRun'] as const;

const SEPARATOR = '\0';

/** The process that a hold names; null if a part of its identity is missing or malformed. */
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

/** A key that is equal only for the same machine, boot and PID namespace. */
export function hostKey({ host, bootId, pidNamespace }: HostIdentity): string {
  return [host, bootId, pidNamespace].join(SEPARATOR);
}

/** A key that is equal only for the same process. */
export function processKey(process: ProcessIdentity): string {
  return [hostKey(process), process.pid, process.pidStart].join(SEPARATOR);
}

/**
 * The `meta` of a hold that its owner has re-entered. If another process did that, the death of the
 * first one no longer proves anything about the hold, so the fields that identify a process are
 * removed; `pod` and `ciRun` are removed if they differ.
 */
export function metaAfterReentry(held: Meta, entered: Meta): Meta {
  const isSameProcess = ['host', 'pid', ...PROOF_FIELDS].every(
    (field) => held[field] === entered[field],
  );
  const removed: string[] = [
    ...(isSameProcess ? [] : PROOF_FIELDS),
    ...PLACE_FIELDS.filter((field) => held[field] !== entered[field]),
  ].filter((field) => Object.hasOwn(held, field));
  if (removed.length === 0) return held;
  return Object.fromEntries(Object.entries(held).filter(([field]) => !removed.includes(field)));
}
