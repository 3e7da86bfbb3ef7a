import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LAB_DEFAULTS, type LabProgress, type LabSettings } from '../contract/console/lab/lab-race';
import { systemClock } from '../platform/clock';
import { LabRunner } from './lab-runner';

let folder: string;
let runner: LabRunner;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ly-runner-'));
});
afterEach(async () => {
  await runner.close();
  rmSync(folder, { recursive: true });
});

const SETTINGS = { ...LAB_DEFAULTS, runId: 'r1', strategies: ['value-written-back'] };
const WAITS = "process.stdin.resume().on('end', () => process.exit());";

/** A runner whose races are this program. */
function runnerOf(program: string): LabRunner {
  const processPath = join(folder, 'program.mjs');
  writeFileSync(processPath, program);
  const log = pino({ level: 'silent' });
  runner = new LabRunner({
    servers: {},
    backends: [],
    processPath,
    folder,
    log,
    clock: systemClock,
  });
  return runner;
}

/** Everything that a race reported, once it has ended. */
function race(settings: Partial<LabSettings> = {}): Promise<LabProgress[]> {
  const heard: LabProgress[] = [];
  return new Promise((resolve) => {
    runner.start({ ...SETTINGS, ...settings }, (message) => {
      heard.push(message);
      if (message.kind === 'finished') resolve(heard);
    });
  });
}

test('a race whose process dies ends, keeps its reports, and says how it died', async () => {
  runnerOf(`
    console.log(JSON.stringify({ kind: 'entry-started', id: 'a', at: 1 }));
    console.log('no message');
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 50);
    setInterval(() => undefined, 1000);
  `);
  expect(await race()).toEqual([
    { kind: 'entry-started', id: 'a', at: 1 },
    {
      kind: 'finished',
      endedBy: 'failed',
      message: 'The process of the race ended unexpectedly (SIGKILL).',
    },
  ]);
  expect(runner.isRunning).toBe(false);
});

test('a process that cannot start is a race that failed', async () => {
  runnerOf('this is no program');
  const [last] = await race();
  expect(last).toMatchObject({ kind: 'finished', endedBy: 'failed' });
});

test('of two starts at once the second is refused; a race may start after the first', async () => {
  runnerOf(WAITS);
  const first = race();
  expect(() => runner.start(SETTINGS, () => undefined)).toThrow(
    expect.objectContaining({ reason: 'CONFLICT' }),
  );
  runner.stop();
  await first;
  const second = race();
  runner.stop();
  expect((await second).at(-1)).toMatchObject({ kind: 'finished' });
});

test('a race that is stopped during its preflight never starts a process', async () => {
  runnerOf("throw new Error('started')");
  const ended = race();
  runner.stop();
  expect(await ended).toEqual([{ kind: 'finished', endedBy: 'stopped' }]);
});

test('the order is passed on the input, and the last message is always read', async () => {
  runnerOf(`
    import { createInterface } from 'node:readline';
    createInterface({ input: process.stdin }).once('line', (line) => {
      const { stock, workers, runId, servers } = JSON.parse(line);
      const message = JSON.stringify([process.argv.slice(2), stock, workers, runId, servers]);
      console.log(JSON.stringify({ kind: 'finished', endedBy: 'done', message }));
      process.exit();
    });
  `);
  const heard = await race({ stock: 7, workers: 3 });
  expect(heard).toEqual([
    { kind: 'finished', endedBy: 'done', message: JSON.stringify([['19'], 7, 3, 'r1', {}]) },
  ]);
});

test.each<[Partial<LabSettings>, RegExp]>([
  [{ stock: 0 }, /^The stock must be a whole number from 1 to 100000, not 0\.$/],
  [{ workers: -1 }, /^The number of workers must be a whole number from 1 to 500, not -1\.$/],
  [{ workers: 1e9 }, /not 1000000000\.$/],
  [{ stock: 1.5 }, /not 1\.5\.$/],
  [{ thinkMs: Number.NaN }, /not NaN\.$/],
  [{ strategies: [] }, /^Choose at least one strategy\.$/],
])('a load that cannot be raced is refused in one line: %j', (settings, message) => {
  runnerOf(WAITS);
  const start = () => runner.start({ ...SETTINGS, ...settings }, () => undefined);
  expect(start).toThrow(expect.objectContaining({ reason: 'INVALID' }));
  expect(start).toThrow(message);
  expect(runner.isRunning).toBe(false);
});

test.each([
  ['value-writen-back', /Did you mean value-written-back\?/],
  ['row-lock', /"Session row lock" cannot run\. Needs MySQL or MariaDB/],
])('a strategy that cannot run ends its race before it begins: %s', async (id, message) => {
  runnerOf(WAITS);
  const [last] = await race({ strategies: [id] });
  expect(last).toMatchObject({ endedBy: 'failed', message: expect.stringMatching(message) });
});
