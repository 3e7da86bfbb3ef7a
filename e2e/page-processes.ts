import { execFileSync } from 'node:child_process';
import type { RunningServer } from './start-server';

/** All on this machine. */
export function pageProcesses(): { pid: number; parent: number }[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split(
    '\n',
  );
  return lines
    .filter((line) => line.includes('page-process.mjs'))
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, parent]) => ({ pid: Number(pid), parent: Number(parent) }));
}

/** The process that renders the pages of a server; null if there is none. */
export const pageProcessOf = ({ pid }: RunningServer) =>
  pageProcesses().find(({ parent }) => parent === pid)?.pid ?? null;
