import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TEST_DIALECTS } from '@/db/testing/test-database';
import { LAB_DEFAULTS } from '../../contract/console/lab/lab-race';
import { LAB_RUNS_MAX } from '../../contract/console/lab/lab-run';
import {
  contextOf,
  insertUserActors,
  openTestRuntime,
  type TestRuntime,
  userActor,
} from '../testing/test-runtime';
import { type LabContext, LabRaces } from './lab-races';
import { LAB_SILENT_MS } from './lab-run-table';
import { getLabRun, listLabRuns } from './lab-views';
import { startRace } from './start-race';
import { stopRace } from './stop-race';
import { labRow, ScriptedRunner } from './testing/scripted-runner';

const settings = { ...LAB_DEFAULTS, strategies: ['written-back', 'version'] };
const nothing = { entries: [], rows: [], current: null };
/** Progress is written once a second. */
const soon = { timeout: 10_000 };

/** A process of Lockyard on one control database, and a person who uses it. */
interface Process {
  ctx: LabContext;
  lab: LabRaces;
  runner: ScriptedRunner;
}

describe.each(TEST_DIALECTS)('races of the Lab, kept on %s', (dialect) => {
  let runtime: TestRuntime;
  let here: Process;
  let elsewhere: Process;

  beforeEach(async () => {
    runtime = await openTestRuntime(dialect);
    await insertUserActors(runtime.database);
    here = anotherProcess();
    elsewhere = anotherProcess();
  });
  afterEach(async () => {
    for (const { lab, runner } of [here, elsewhere]) {
      runner.report({ kind: 'finished', endedBy: 'stopped' });
      await lab.close();
    }
    await runtime.close();
  });

  function anotherProcess(): Process {
    const { database, clock, log } = runtime;
    const runner = new ScriptedRunner();
    const lab = new LabRaces({ database, clock, log, runner, readSource: async () => null });
    const ctx = { ...contextOf(runtime, userActor('operator')), runtime: { ...runtime, lab } };
    return { ctx, lab, runner };
  }

  async function start({ ctx }: Process): Promise<string> {
    const answer = await startRace(ctx, settings);
    expect(answer.outcome).toBe('started');
    return answer.id;
  }

  const kept = (id: string) => getLabRun(elsewhere.ctx, { id });

  test('the reports of a race are shown by every process, and kept when it ends', async () => {
    const id = await start(here);
    expect(here.runner.started).toEqual([settings]);
    const { runner } = here;
    runner.report({ kind: 'entry-started', id: 'written-back', at: runtime.clock.now() });
    const sample = { elapsedMs: 250, sold: 3, opsPerSecond: 12 };
    runner.report({ kind: 'sample', id: 'written-back', ...sample });
    await vi.waitFor(
      async () =>
        expect((await kept(id)).current).toMatchObject({ id: 'written-back', samples: [sample] }),
      soon,
    );
    const row = labRow({ id: 'written-back', sold: 17, oversold: 7, verdict: 'oversells' });
    runner.report({ kind: 'entry-finished', row });
    await vi.waitFor(async () => expect((await kept(id)).rows).toEqual([row]), soon);
    const courses = [{ id: 'written-back', samples: [sample] }];
    expect(await kept(id)).toMatchObject({ endedAt: null, endedBy: null, courses });
    runtime.clock.pass(5_000);
    runner.report({ kind: 'entry-finished', row: labRow({ id: 'version' }) });
    runner.report({ kind: 'finished', endedBy: 'done' });
    await vi.waitFor(async () => expect((await kept(id)).endedBy).toBe('done'), soon);
    expect(await kept(id)).toMatchObject({
      startedBy: 'a operator',
      settings,
      endedAt: runtime.clock.now(),
      current: null,
      courses,
      message: null,
      result: { finished: 2, held: 1, oversold: 1, oversoldUnits: 7 },
      entries: [
        { id: 'written-back', kind: 'wrong way' },
        { id: 'version', number: '19' },
      ],
    });
    const { runs } = await listLabRuns(elsewhere.ctx, { limit: 10 });
    expect(runs.map((run) => run.id)).toEqual([id]);
  });

  test('of two users who press Run at once one starts a race; the other sees who did', async () => {
    const answers = await Promise.all([
      startRace(here.ctx, settings),
      startRace(elsewhere.ctx, settings),
    ]);
    const started = answers.filter(({ outcome }) => outcome === 'started');
    const busy = answers.filter(({ outcome }) => outcome === 'busy');
    expect([started.length, busy.length]).toEqual([1, 1]);
    expect(busy[0]).toEqual({
      outcome: 'busy',
      id: started[0]?.id,
      startedBy: 'a operator',
      startedAt: runtime.clock.now(),
    });
    expect([...here.runner.started, ...elsewhere.runner.started]).toHaveLength(1);
  });

  test('a process that does not run a race can stop it, and the next one can start', async () => {
    const id = await start(here);
    expect(await stopRace(elsewhere.ctx, { id })).toEqual({ outcome: 'stopping' });
    expect(await kept(id)).toMatchObject({ stoppedBy: 'a operator', endedAt: null });
    await vi.waitFor(() => expect(here.runner.stops).toBeGreaterThan(0), soon);
    here.runner.report({ kind: 'finished', endedBy: 'stopped' });
    await vi.waitFor(async () => expect((await kept(id)).endedBy).toBe('stopped'), soon);
    expect(await stopRace(elsewhere.ctx, { id })).toEqual({ outcome: 'ended' });
    await start(elsewhere);
  });

  test('a race that dies ends with its results so far, and says why', async () => {
    const id = await start(here);
    here.runner.report({ kind: 'entry-finished', row: labRow({ id: 'written-back' }) });
    const message = 'The process of the race ended unexpectedly (SIGKILL).';
    here.runner.report({ kind: 'finished', endedBy: 'failed', message });
    await vi.waitFor(async () => expect(await kept(id)).toMatchObject({ endedBy: 'failed' }), soon);
    expect(await kept(id)).toMatchObject({ message, result: { finished: 1 } });
  });

  test('a wrong way that did not oversell does not count as correct', async () => {
    const id = await start(here);
    for (const each of ['written-back', 'version']) {
      here.runner.report({ kind: 'entry-finished', row: labRow({ id: each }) });
    }
    await vi.waitFor(
      async () => expect((await kept(id)).result).toMatchObject({ finished: 2, held: 1 }),
      soon,
    );
    here.runner.report({ kind: 'finished', endedBy: 'done' });
    await vi.waitFor(async () => expect((await kept(id)).endedBy).toBe('done'), soon);
  });

  test('a race whose server shuts down is recorded as ended by the shutdown', async () => {
    const id = await start(here);
    here.runner.report({ kind: 'entry-finished', row: labRow({ id: 'written-back' }) });
    await here.lab.close();
    expect(await kept(id)).toMatchObject({ endedBy: 'restart', result: { finished: 1 } });
    expect(here.runner.stops).toBeGreaterThan(0);
  });

  test('a race whose server was killed ends once it stops reporting', async () => {
    const id = 'killed';
    const seenAt = runtime.clock.now();
    await runtime.database.transaction((tx) =>
      here.lab.table.open(tx, { id, startedBy: 'ada', settings }, nothing),
    );
    expect(await startRace(elsewhere.ctx, settings)).toMatchObject({ outcome: 'busy', id });
    await elsewhere.lab.endFormerRuns();
    const isOnlyProcess = dialect === 'sqlite';
    expect((await kept(id)).endedBy).toBe(isOnlyProcess ? 'restart' : null);
    runtime.clock.pass(LAB_SILENT_MS + 1);
    expect(await kept(id)).toMatchObject({ endedBy: 'restart', endedAt: seenAt });
    await start(elsewhere);
  });

  test('a race that was recorded as ended elsewhere stops when its process writes', async () => {
    const id = await start(here);
    await elsewhere.lab.table.endSilent(runtime.database.db, { all: true });
    expect((await kept(id)).endedBy).toBe('restart');
    await vi.waitFor(() => expect(here.runner.stops).toBeGreaterThan(0), soon);
    here.runner.report({ kind: 'finished', endedBy: 'stopped' });
    expect((await kept(id)).endedBy).toBe('restart');
  });

  test('only the latest runs are kept', async () => {
    const { table } = here.lab;
    for (let n = 0; n < LAB_RUNS_MAX + 2; n++) {
      const run = { id: `run${n}`, startedBy: 'ada', settings };
      await runtime.database.transaction((tx) => table.open(tx, run, nothing));
      await table.end(`run${n}`, nothing, { endedBy: 'done', message: null });
      runtime.clock.pass(1_000);
    }
    const { runs } = await listLabRuns(here.ctx, { limit: LAB_RUNS_MAX });
    expect(runs).toHaveLength(LAB_RUNS_MAX);
    expect(runs[0]?.id).toBe(`run${LAB_RUNS_MAX + 1}`);
    await expect(kept('run1')).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });
});
