import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** This machine, as its kernel identifies it: only on Linux. */
export interface HostIdentity {
  host: string;
  /** Random; the kernel creates it at every boot. */
  bootId: string;
  /** The number of this process's process id namespace. */
  pidNamespace: string;
}

/** What the kernel reports about one process. */
export interface ProcessStat {
  /** One letter, as in `ps`: `T` is stopped, `Z` has ended and waits to be reaped. */
  state: string;
  /** When it was started, in clock ticks since boot. */
  start: string;
}

/** The initial time namespace: the same on every machine. In another one, ticks are shifted. */
const INITIAL_TIME_NAMESPACE = '4026531834';

/** The host name, cut to fit the `meta` of a hold. */
export const hostName = () => hostname().slice(0, 60);

/**
 * Null if the kernel does not report it, or the report could be misread: `/proc` of another process
 * id namespace, or ticks of another time namespace.
 */
export function readHostIdentity(proc = '/proc'): HostIdentity | null {
  const bootId = textOf(`${proc}/sys/kernel/random/boot_id`)?.trim();
  const pidNamespace = namespaceOf(`${proc}/self/ns/pid`);
  const timeNamespace = namespaceOf(`${proc}/self/ns/time`) ?? INITIAL_TIME_NAMESPACE;
  const isOurs = linkOf(`${proc}/self`) === String(process.pid);
  if (!bootId || !pidNamespace || !isOurs || timeNamespace !== INITIAL_TIME_NAMESPACE) return null;
  return { host: hostName(), bootId, pidNamespace };
}

/** Null if there is no such process, or this process may not read it. */
export function readProcessStat(pid: number, proc = '/proc'): ProcessStat | null {
  const text = textOf(`${proc}/${pid}/stat`);
  if (text === null) return null;
  // The second field is the program's name in brackets, and may contain spaces and brackets.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  const start = fields[19];
  return state && start ? { state, start } : null;
}

function namespaceOf(path: string): string | null {
  return /\[(\d+)\]$/.exec(linkOf(path) ?? '')?.[1] ?? null;
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
