import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../platform/clock';
import { PageSupervisor } from './page-supervisor';

let folder: string;
let keeper: PageSupervisor;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ly-keeper-'));
});
afterEach(async () => {
  await keeper.close();
  rmSync(folder, { recursive: true });
});

/** Keeps a program with this source running. */
function keep(program: string, pingEveryMs = 2_000): PageSupervisor {
  const entry = join(folder, 'program.mjs');
  writeFileSync(entry, program);
  const sockets = { pagesSocket: join(folder, 'pages'), consoleSocket: join(folder, 'console') };
  const env = { NODE_ENV: 'production' } as const;
  keeper = new PageSupervisor({
    entry,
    sockets,
    env,
    clock: systemClock,
    log: pino({ level: 'silent' }),
    pingEveryMs,
  });
  return keeper;
}

const READY = "process.on('disconnect', () => process.exit()); process.send('ready');";

test('a page process that dies is restarted, after a longer pause each time', async () => {
  await keep(READY).start();
  const pids = new Set([keeper.pid]);
  const gapsMs: number[] = [];
  for (let deaths = 0; deaths < 2; deaths += 1) {
    const killedAt = performance.now();
    process.kill(keeper.pid ?? 0, 'SIGKILL');
    await until(() => !keeper.isUp);
    await until(() => keeper.isUp);
    gapsMs.push(performance.now() - killedAt);
    pids.add(keeper.pid);
  }
  expect(pids.size).toBe(3);
  expect(keeper.restarts).toBe(2);
  expect(gapsMs[0]).toBeGreaterThanOrEqual(250);
  expect(gapsMs[1]).toBeGreaterThanOrEqual(500);
});

test('a stopped page process is killed after a few unanswered pings, and restarted', async () => {
  const answering = "process.on('message', () => process.send({ residentBytes: 7 }));";
  await keep(READY + answering, 100).start();
  await until(() => keeper.residentBytes === 7);
  keeper.noteRendered();
  const { pid = 0 } = keeper;
  process.kill(pid, 'SIGSTOP');
  await until(() => keeper.isUp && keeper.pid !== pid);
  expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
});

/** Answers no ping for a while, like a process that loads the code of its first page. */
const BUSY_AT_FIRST =
  "process.once('message', () => { const end = Date.now() + 1_500; while (Date.now() < end); " +
  "process.on('message', () => process.send({ residentBytes: 7 })); });";

test('a page process with a slow first page is not killed before it has rendered it', async () => {
  await keep(READY + BUSY_AT_FIRST, 100).start();
  const { pid } = keeper;
  await until(() => keeper.residentBytes === 7);
  expect(keeper.pid).toBe(pid);
});

test.runIf(process.platform === 'linux')(
  'every thread of one has a lower priority than those that grant locks',
  async () => {
    await keep(READY).start();
    const threads = readdirSync(`/proc/${keeper.pid}/task`).map(Number);
    expect(threads.length).toBeGreaterThan(1);
    expect(Math.min(...threads.map(getPriority))).toBeGreaterThan(getPriority());
  },
);

test('a restarted page process has as long for its first page as the first one', async () => {
  await keep(READY + BUSY_AT_FIRST, 100).start();
  await until(() => keeper.residentBytes === 7);
  keeper.noteRendered();
  process.kill(keeper.pid ?? 0, 'SIGKILL');
  // Until the first one has ended, it may still answer.
  await until(() => keeper.restarts === 1);
  keeper.residentBytes = 0;
  await until(() => keeper.residentBytes === 7);
  expect(keeper.restarts).toBe(1);
});

test('a page process that cannot start ends the start with one line', async () => {
  await expect(keep('process.exit(3);').start()).rejects.toThrow(/ended as it started/);
});

test('no page process is left after the supervisor has closed', async () => {
  await keep(READY).start();
  const { pid } = keeper;
  await keeper.close();
  expect(() => process.kill(pid ?? 0, 0)).toThrow(/ESRCH/);
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}
