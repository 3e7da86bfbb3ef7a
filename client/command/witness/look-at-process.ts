import { type ProcessStat, readProcessStat } from '../../platform/linux-process';
import type { WitnessedProcess } from '../../wire/wire';

/** A process that a hold names. */
export interface NamedProcess {
  pid: number;
  /** When it was started, in clock ticks since boot. */
  pidStart: string;
}

/** The queries to the kernel. */
export interface Kernel {
  stat(pid: number): ProcessStat | null;
  /** Whether this process id is in use, also by a process that may not be seen. */
  exists(pid: number): boolean;
}

export const localKernel: Kernel = {
  stat: (pid) => readProcessStat(pid),
  exists(pid) {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'ESRCH';
    }
  },
};

/**
 * Whether a process of this machine is alive. It is dead only if its process id is gone, or belongs
 * to a process that was started at another time. One that is stopped is alive; one that has ended
 * and still has its process id, or that may not be looked at, is unknown.
 */
export function lookAtProcess({ pid, pidStart }: NamedProcess, kernel: Kernel): WitnessedProcess {
  const named = { pid, pidStart };
  const stat = kernel.stat(pid);
  if (!stat) {
    return kernel.exists(pid)
      ? { ...named, state: 'unknown', evidence: `pid ${pid} may not be looked at` }
      : { ...named, state: 'dead', evidence: `pid ${pid} is gone` };
  }
  if (stat.start !== pidStart) {
    return { ...named, state: 'dead', evidence: `pid ${pid} is another process now` };
  }
  if (stat.state === 'Z' || stat.state === 'X') {
    return { ...named, state: 'unknown', evidence: `pid ${pid} has ended, but was not reaped` };
  }
  const isStopped = stat.state === 'T' || stat.state === 't';
  return {
    ...named,
    state: 'alive',
    evidence: `pid ${pid} is ${isStopped ? 'stopped' : 'running'}`,
  };
}
