import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bundle } from '@/scripts/build/bundle.mjs';
import { projectRoot } from '@/scripts/project-root.mjs';
import type { RecordedCall } from '../../../engine/testing/history-checker';
import type { VictimLine, VictimTask } from './run-until-killed';

/** The folder for the bundled script. */
const OUT = '.build/victims';

/** Another process that runs a script on a store until it is killed. */
export interface Victim {
  /** Every call that it has begun; instants are of this process's monotonic clock. */
  calls(): RecordedCall[];
  isAlive(): boolean;
  signal(name: NodeJS.Signals): void;
  /** Resolves once it has ended and all its output was read. */
  ended: Promise<unknown>;
}

/**
 * @param script its file in this folder
 * @param onCall called for each line that it prints, with the number of calls that it has begun
 */
export async function startVictim(
  script: string,
  task: VictimTask,
  onCall: (begun: number) => void = () => {},
): Promise<Victim> {
  await bundle([join(import.meta.dirname, script)], OUT);
  const path = join(projectRoot, OUT, script.replace(/ts$/, 'mjs'));
  const child = spawn(process.execPath, [path, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const reported = new Map<number, RecordedCall>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, call } = JSON.parse(line) as VictimLine;
    reported.set(id, call);
    onCall(reported.size);
  });
  const here = (instant: number) => instant - performance.timeOrigin;
  return {
    calls: () =>
      [...reported.values()].map((call) => ({
        ...call,
        startedAt: here(call.startedAt),
        endedAt: call.endedAt && here(call.endedAt),
      })),
    isAlive: () => child.exitCode === null && child.signalCode === null,
    signal: (name) => void child.kill(name),
    ended: new Promise((resolve) => child.once('close', resolve)),
  };
}
