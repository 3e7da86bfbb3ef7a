import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import type { BackendUrl } from '@/db/urls/backend-url';
import type { LabPreflight, LabProgress, LabSettings } from '../contract/console/lab/lab-race';
import { LockyardError } from '../contract/errors';
import type { Clock } from '../platform/clock';
import type { Log } from '../platform/log';
import { Periodic } from '../platform/periodic';
import { LAB_LEASE_MS, type LabOrder, type LabServers, PAUSED_LEASE_MS } from './lab-order';
import { refuseBadLoad, refuseBadStrategies } from './lab-settings';
import { preflight } from './preflight/preflight';

/**
 * How long a race that was asked to stop may clean up before it is killed: longer than the sum of
 * its own limits, 44 s, which it takes if a server has frozen.
 */
const STOP_WITHIN_MS = 60_000;
const CHECK_EVERY_MS = 1_000;
const NOT_STARTED = 'The race could not be started';
/** Leaves room for the code of the drivers. */
const HEAP_FLAGS = ['--enable-source-maps', '--max-old-space-size=256'];
/** The lowest priority: locks take precedence when the CPU is busy. */
const NICENESS = 19;

export interface LabRunnerParts {
  /** The Lab's own servers; an empty object if none is configured. */
  servers: LabServers;
  /** Every store of this Lockyard, on which no race may run. */
  backends: BackendUrl[];
  /** `LOCKYARD_LAB_ON_BACKENDS=yes`: a race may run there nevertheless. */
  onBackends?: boolean;
  /** The built program of a race's process. */
  processPath: string;
  /** Where embedded SQLite keeps its scratch files; by default the folder for temporary files. */
  folder?: string;
  /** The environment of the process: no secret belongs there. */
  env?: Record<string, string | undefined>;
  leaseMs?: number;
  /** The niceness of the process, 0 to 19. Default 19: on a busy CPU, a race may stall. */
  niceness?: number | undefined;
  log: Log;
  clock: Clock;
}

/** Runs races of the Lab, each in a process of its own, one at a time. */
export class LabRunner {
  private race: { child: ChildProcess | null; isStopping: boolean; ended: Promise<void> } | null =
    null;

  constructor(private readonly parts: LabRunnerParts) {}

  get isRunning(): boolean {
    return this.race !== null;
  }

  /** The process of the race, while it runs. */
  get pid(): number | undefined {
    return this.race?.child?.pid;
  }

  /** Determines which servers exist and which strategies can run on them. May take seconds. */
  async preflight(): Promise<LabPreflight> {
    const { servers, entries } = await preflight(this.parts);
    return { servers, entries };
  }

  /**
   * Starts a race: a preflight, then its process. The last message is `finished`, even if either of
   * them fails.
   *
   * @throws LockyardError `INVALID` for a load that cannot be raced, `CONFLICT` while another race
   *   runs
   */
  start(run: { runId: string } & LabSettings, onProgress: (message: LabProgress) => void): void {
    refuseBadLoad(run);
    if (this.race) {
      throw new LockyardError('CONFLICT', 'A race is already running: wait for it, or stop it.');
    }
    const race = { child: null, isStopping: false, ended: Promise.resolve() };
    this.race = race;
    race.ended = this.run(run, race, onProgress).then((last) => {
      // The next race may start as soon as this one is known to have ended.
      this.race = null;
      onProgress(last);
    });
  }

  /** Asks the race to end with the results so far. Does nothing if no race runs. */
  stop(): void {
    if (!this.race) return;
    this.race.isStopping = true;
    this.race.child?.stdin?.end();
  }

  /** Ends a running race, and resolves once its process has ended. */
  async close(): Promise<void> {
    this.stop();
    await this.race?.ended;
  }

  private async run(
    run: { runId: string } & LabSettings,
    race: { child: ChildProcess | null; isStopping: boolean },
    report: (message: LabProgress) => void,
  ): Promise<LabProgress> {
    const { folder = tmpdir() } = this.parts;
    const { leaseMs = run.pause ? PAUSED_LEASE_MS : LAB_LEASE_MS } = this.parts;
    try {
      const { entries, ready } = await preflight(this.parts);
      refuseBadStrategies(run.strategies, entries);
      if (race.isStopping) return { kind: 'finished', endedBy: 'stopped' };
      const order: LabOrder = { ...run, servers: ready, folder, leaseMs };
      return await new Promise((resolve) => {
        race.child = this.launch(order, report, resolve);
      });
    } catch (error) {
      if (!(error instanceof LockyardError)) this.parts.log.error({ err: error }, NOT_STARTED);
      const message = error instanceof LockyardError ? error.message : `${NOT_STARTED}.`;
      return { kind: 'finished', endedBy: 'failed', message };
    }
  }

  /** @param end called once, with the last message, after the process has ended */
  private launch(
    order: LabOrder,
    report: (message: LabProgress) => void,
    end: (last: LabProgress) => void,
  ): ChildProcess {
    const { processPath, niceness = NICENESS, env = {}, log } = this.parts;
    const child = spawn(process.execPath, [...HEAP_FLAGS, processPath, String(niceness)], {
      env: { ...env, NODE_ENV: 'production' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    // A process that has already ended cannot be written to; its end is reported below.
    child.stdin.on('error', () => undefined);
    child.stdin.write(`${JSON.stringify(order)}\n`);
    let last: LabProgress | null = null;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = parseProgress(line);
      if (!message) log.warn({ line: line.slice(0, 200) }, 'A race reported an unknown message');
      else if (message.kind === 'finished') last = message;
      else report(message);
    });
    const watching = this.killWhenStuck(child);
    const finish = (why: string) => {
      void watching.stop();
      end(last ?? { kind: 'finished', endedBy: 'failed', message: why });
    };
    child.once('error', (err) => finish(`${NOT_STARTED}: ${err.message}.`));
    child.once('close', (code, signal) =>
      finish(`The process of the race ended unexpectedly (${signal ?? `exit code ${code}`}).`),
    );
    return child;
  }

  /** Kills a process that was asked to stop and still runs after `STOP_WITHIN_MS`. */
  private killWhenStuck(child: ChildProcess): Periodic {
    const { clock, log } = this.parts;
    let askedAt: number | null = null;
    const run = () => {
      if (!child.stdin?.writableEnded) return;
      askedAt ??= clock.monotonic();
      if (clock.monotonic() - askedAt >= STOP_WITHIN_MS) child.kill('SIGKILL');
    };
    const job = 'watch the process of a race';
    return new Periodic({ job, everyMs: CHECK_EVERY_MS, run, log }).start();
  }
}

function parseProgress(line: string): LabProgress | null {
  try {
    const message = JSON.parse(line) as LabProgress;
    return typeof message.kind === 'string' ? message : null;
  } catch {
    return null;
  }
}
