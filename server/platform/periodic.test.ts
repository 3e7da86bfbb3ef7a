import { expect, it, onTestFinished } from 'vitest';
import { Periodic, type PeriodicOptions } from './periodic';

/** Runs what is scheduled when the test says so, and keeps the pauses. */
class ManualTimer {
  readonly pausesMs: number[] = [];
  private pending: (() => void) | null = null;

  readonly timer = (work: () => void, afterMs: number) => {
    this.pausesMs.push(afterMs);
    this.pending = work;
    return () => {
      if (this.pending === work) this.pending = null;
    };
  };

  get isSet(): boolean {
    return this.pending !== null;
  }

  /** Lets the pause pass. Resolves when the run has ended, if it can end without the test. */
  async pass(): Promise<void> {
    const work = this.pending;
    this.pending = null;
    work?.();
    await new Promise(setImmediate);
  }
}

function periodic(options: Partial<PeriodicOptions> & Pick<PeriodicOptions, 'run'>) {
  const clock = new ManualTimer();
  const lines: unknown[] = [];
  const log = { warn: (fields: unknown) => void lines.push(fields) };
  const job = new Periodic({ job: 'test', everyMs: 100, log, timer: clock.timer, ...options });
  onTestFinished(() => void job.stop());
  return { job, clock, lines };
}

it('a job runs after each pause until it is stopped', async () => {
  let runs = 0;
  const { job, clock } = periodic({
    run: () => {
      runs += 1;
    },
  });
  job.start().start();
  expect(runs).toBe(0);
  await clock.pass();
  await clock.pass();
  expect(runs).toBe(2);
  await job.stop();
  expect(clock.isSet).toBe(false);
  job.start();
  await clock.pass();
  expect(runs).toBe(3);
});

it('a job that is started now runs before the first pause', async () => {
  let runs = 0;
  const { job, clock } = periodic({
    run: () => {
      runs += 1;
    },
  });
  await job.startNow();
  expect(runs).toBe(1);
  expect(clock.pausesMs).toEqual([100]);
});

it('runs never overlap, and stop waits for the run in progress', async () => {
  let runs = 0;
  let end = () => {};
  const { job, clock } = periodic({
    run: () => {
      runs += 1;
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    },
  });
  job.start();
  await clock.pass();
  const joined = job.runNow();
  expect(runs).toBe(1);
  let isStopped = false;
  const stopped = job.stop().then(() => {
    isStopped = true;
  });
  job.start();
  await new Promise(setImmediate);
  expect([runs, isStopped, clock.isSet]).toEqual([1, false, false]);
  const stoppedAgain = job.stop();
  end();
  await Promise.all([joined, stopped, stoppedAgain]);
  expect(clock.isSet).toBe(false);
});

it('pauses grow while a job fails; a rare job is retried sooner than it would run', async () => {
  let isFailing = true;
  const run = () => {
    if (isFailing) throw new Error('away');
  };
  const frequent = periodic({ run, everyMs: 300 });
  await frequent.job.startNow();
  for (let i = 0; i < 4; i += 1) await frequent.clock.pass();
  isFailing = false;
  await frequent.clock.pass();
  expect(frequent.clock.pausesMs).toEqual([300, 600, 1_200, 2_000, 2_000, 300]);

  isFailing = true;
  const rare = periodic({ run, everyMs: 5_000 });
  await rare.job.startNow();
  for (let i = 0; i < 4; i += 1) await rare.clock.pass();
  expect(rare.clock.pausesMs).toEqual([1_000, 2_000, 4_000, 5_000, 5_000]);
});

it('a failure is logged by the name of its job, once until a run succeeds', async () => {
  let isFailing = true;
  const { job, clock, lines } = periodic({
    run: () => {
      if (isFailing) throw new Error('away');
    },
  });
  await job.startNow();
  await clock.pass();
  expect(lines).toMatchObject([{ job: 'test', err: { message: 'away' } }]);
  isFailing = false;
  await clock.pass();
  isFailing = true;
  await clock.pass();
  expect(lines).toHaveLength(2);
});
