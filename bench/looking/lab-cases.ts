import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { readConfig } from '@/server/bootstrap/config/config';
import { LAB_DEFAULTS } from '@/server/contract/console/lab/lab-race';
import { LabRunner } from '@/server/lab/lab-runner';
import { systemClock } from '@/server/platform/clock';
import { createLog } from '@/server/platform/log';
import type { LookingCase } from './looking-case';

/** Cases about the Lab, which must not slow down the locks on its machine. */
export const labCases: LookingCase[] = [{ name: 'a race of the Lab with 50 workers', load: race }];

/** Repeats races on the servers that LOCKYARD_LAB_…_URL name, or on embedded SQLite. */
async function race() {
  const named = Object.entries(process.env).filter(([name]) => name.startsWith('LOCKYARD_LAB_'));
  const runner = new LabRunner({
    servers: readConfig(Object.fromEntries(named)).lab.servers,
    backends: [],
    onBackends: true,
    processPath: resolve('.next/lockyard/lab-process.mjs'),
    folder: tmpdir(),
    log: createLog(),
    clock: systemClock,
  });
  const { entries } = await runner.preflight();
  const strategies = entries.filter(({ lacks }) => lacks === null).map(({ id }) => id);
  let raced = 0;
  let hasEnded = false;
  const start = () => {
    const runId = randomBytes(6).toString('hex');
    runner.start({ ...LAB_DEFAULTS, strategies, runId }, (message) => {
      if (message.kind === 'entry-finished') raced += 1;
      if (message.kind === 'finished' && !hasEnded) start();
    });
  };
  start();
  return async () => {
    hasEnded = true;
    await runner.close();
    return `${raced} strategies raced`;
  };
}
