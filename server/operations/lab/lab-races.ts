import type { Database } from '@/db/database';
import type { LabProgress, LabSettings } from '../../contract/console/lab/lab-race';
import type { LabPreflightView, LabSample, LabSource } from '../../contract/console/lab/lab-run';
import { LockyardError } from '../../contract/errors';
import { SharedReadings } from '../../monitoring/shared-readings';
import type { Clock } from '../../platform/clock';
import type { Log } from '../../platform/log';
import { Periodic } from '../../platform/periodic';
import { TimeLimit } from '../../platform/time-limit';
import type { ControlContext, ControlRuntime } from '../operation-context';
import { LabRunTable, type RunEnd, type RunProgress } from './lab-run-table';
import type { RaceRunner } from './race-runner';

/** One call of an operation of the Lab. */
export interface LabContext extends ControlContext {
  runtime: ControlRuntime & { lab: LabRaces };
}

/** How often a race's progress is written, and a request to stop it is read. */
const WRITE_EVERY_MS = 1_000;

/** For how long the state of the servers is shown again without checking them. */
const PREFLIGHT_FRESH_MS = 30_000;
/** The same if the caller requests the present state. */
const PREFLIGHT_AGAIN_MS = 1_000;

/** How many samples of the running strategy are kept; beyond it, every second one is dropped. */
const SAMPLES_MAX = 240;

/** Samples of a finished strategy that are kept. */
const COURSE_SAMPLES_MAX = 40;

/** A race that takes longer to clean up continues in the background. */
const CLOSE_WITHIN_MS = 8_000;

export interface LabRacesParts {
  database: Database;
  clock: Clock;
  log: Log;
  runner: RaceRunner;
  /** The source of a strategy; null if the catalogue does not have it. */
  readSource(id: string): Promise<LabSource | null>;
}

/** The race of this process. */
interface Race {
  id: string;
  progress: RunProgress;
  /** Null while it runs. */
  end: RunEnd | null;
  writing: Periodic;
}

/**
 * The Lab as its operations see it. The progress of a race is written to the control database once
 * a second, so that every process on it shows the same, and any of them can stop the race.
 */
export class LabRaces {
  readonly table: LabRunTable;
  private race: Race | null = null;
  private readonly preflights: SharedReadings<LabPreflightView>;

  constructor(private readonly parts: LabRacesParts) {
    this.table = new LabRunTable(parts);
    this.preflights = new SharedReadings(parts.clock, PREFLIGHT_FRESH_MS);
  }

  /** At the start: a run over an SQLite file has ended with its only process. */
  async endFormerRuns(): Promise<void> {
    const isOnlyProcess = this.parts.database.kind === 'sqlite';
    await this.table.endSilent(this.parts.database.db, { all: isOnlyProcess });
  }

  /**
   * Which servers there are and which strategies can run on them; at most 30 s old.
   *
   * @param again true: at most a second old
   */
  preflight(again: boolean): Promise<LabPreflightView> {
    const freshMs = again ? PREFLIGHT_AGAIN_MS : PREFLIGHT_FRESH_MS;
    return this.preflights.get('all', () => this.checkServers(), freshMs);
  }

  readSource(id: string): Promise<LabSource | null> {
    return this.parts.readSource(id);
  }

  /** Begins the race of a run that is in the table, where its progress and its end are written. */
  run(id: string, settings: LabSettings, progress: RunProgress): void {
    const { log, runner } = this.parts;
    const job = 'write the progress of a race';
    const run = () => this.write(race);
    const writing = new Periodic({ job, everyMs: WRITE_EVERY_MS, run, log });
    const race: Race = { id, progress, end: null, writing };
    this.race = race;
    writing.start();
    try {
      runner.start({ runId: id, ...settings }, (message) => {
        if (race.end) return;
        applyProgress(race, message);
        if (message.kind !== 'sample') void writing.runNow();
      });
    } catch (error) {
      if (!(error instanceof LockyardError)) throw error;
      race.end = { endedBy: 'failed', message: error.message };
      void writing.runNow();
    }
  }

  /** Stops the race if this process runs it; another process reads the request within a second. */
  stop(id: string): void {
    if (this.race?.id === id) this.parts.runner.stop();
  }

  /** Stops the race, and writes that it ended with this process. */
  async close(): Promise<void> {
    const { race } = this;
    try {
      if (!race) return;
      race.end ??= { endedBy: 'restart', message: null };
      await race.writing.stop();
      await this.write(race);
    } finally {
      const late = () => new Error('A race is still cleaning up.');
      await TimeLimit.within(CLOSE_WITHIN_MS, late, this.parts.runner.close());
    }
  }

  private async checkServers(): Promise<LabPreflightView> {
    const preflight = await this.parts.runner.preflight();
    return { ...preflight, asOf: this.parts.clock.now() };
  }

  /** Writes the race's progress, and finally its end; a failure is retried. */
  private async write(race: Race): Promise<void> {
    const { id, progress, end } = race;
    if (end) {
      await this.table.end(id, progress, end);
      if (this.race === race) this.race = null;
      // Not awaited: `stop` waits for the run in progress, which is this one.
      void race.writing.stop();
      return;
    }
    const mustStop = await this.table.write(id, progress);
    if (mustStop) this.parts.runner.stop();
  }
}

function applyProgress(race: Race, message: LabProgress): void {
  const { progress } = race;
  switch (message.kind) {
    case 'entry-started':
      progress.current = { id: message.id, startedAt: message.at, samples: [] };
      return;
    case 'sample': {
      const { kind: _, id, ...sample } = message;
      if (progress.current?.id !== id) return;
      const samples = [...progress.current.samples, sample];
      const isFull = samples.length > SAMPLES_MAX;
      progress.current.samples = isFull ? thinSamples(samples, SAMPLES_MAX / 2) : samples;
      return;
    }
    case 'entry-finished': {
      const { id } = message.row;
      progress.rows.push(message.row);
      if (progress.current?.id !== id) return;
      const samples = thinSamples(progress.current.samples, COURSE_SAMPLES_MAX);
      if (samples.length > 0) progress.courses = [...(progress.courses ?? []), { id, samples }];
      progress.current = null;
      return;
    }
    case 'finished':
      progress.current = null;
      race.end = { endedBy: message.endedBy, message: message.message ?? null };
  }
}

/** At most `most` of the samples, evenly spread, including the last one. */
function thinSamples(samples: LabSample[], most: number): LabSample[] {
  const step = Math.ceil(samples.length / most);
  return samples.filter((_, index) => (samples.length - 1 - index) % step === 0);
}
