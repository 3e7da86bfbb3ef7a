import { systemClock } from '@/server/platform/clock';
import { openBackend } from '../../open-store';
import { runUntilKilled, type VictimTask } from './run-until-killed';
import { startProcess } from './start-process';

export interface SqliteVictimTask extends VictimTask {
  path: string;
}

const task = JSON.parse(process.argv[2] ?? '') as SqliteVictimTask;
const { path } = task;
const member = await startProcess(() => openBackend({ kind: 'sqlite', path }, systemClock));
await runUntilKilled(member, task);
