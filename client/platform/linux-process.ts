import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
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
  const isKnown = bootId && pidNamespace && isOurs(proc);
  if (!isKnown || timeNamespace !== INITIAL_TIME_NAMESPACE) return null;
  return { host: hostName(), bootId, pidNamespace };
}

/** Null if there is no such process, or this process may not read it. */
export function readProcessStat(pid: number, proc = '/proc'): ProcessStat | null {
  const { 0: state, 19: start } = statOf(pid, proc);
  return state && start ? { state, start } : null;
}

/** The parent of every process; null if the kernel does not report it for this namespace. */
export function readParents(proc = '/proc'): Map<number, number> | null {
  if (!isOurs(proc)) return null;
  try {
    const ids = readdirSync(proc).map(Number).filter(Number.isInteger);
    return new Map(ids.map((id) => [id, Number(statOf(id, proc)[1])]));
  } catch {
    return null;
  }
}

/** Whether it is the `/proc` of this process's own process id namespace. */
const isOurs = (proc: string) => linkOf(`${proc}/self`) === String(process.pid);

/** The fields of a process from its state on; empty if there is no such process. */
function statOf(pid: number, proc: string): string[] {
  const text = textOf(`${proc}/${pid}/stat`) ?? '';
  // The second field is the program's name in brackets, and may contain spaces and brackets.
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
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
