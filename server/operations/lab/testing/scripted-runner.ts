import type {
  LabEntry,
  LabPreflight,
  LabProgress,
  LabRow,
  LabSettings,
} from '../../../contract/console/lab/lab-race';
import { LockyardError } from '../../../contract/errors';
import type { RaceRunner } from '../race-runner';

const ENTRY: LabEntry = {
  id: '',
  number: '',
  title: '',
  family: 'Wrong ways',
  kind: 'wrong way',
  consistency: 'None',
  summary: 'For tests.',
  source: 'server/strategies/catalogue.ts',
  servers: 'embedded SQLite',
  lacks: null,
};

/** Instead of a process that runs races: a race whose progress a test reports by hand. */
export class ScriptedRunner implements RaceRunner {
  readonly started: LabSettings[] = [];
  stops = 0;
  preflights = 0;
  private listener: ((message: LabProgress) => void) | null = null;

  async preflight(): Promise<LabPreflight> {
    this.preflights += 1;
    return {
      servers: [],
      entries: [
        { ...ENTRY, id: 'written-back', number: 'F', title: 'Written back' },
        { ...ENTRY, id: 'version', number: '19', title: 'Version column', kind: 'lock' },
        {
          ...ENTRY,
          id: 'ephemeral',
          number: '18',
          title: 'Ephemeral nodes',
          kind: 'lock',
          servers: null,
          lacks: 'Needs ZooKeeper.',
        },
      ],
    };
  }

  start(
    { runId: _, ...settings }: { runId: string } & LabSettings,
    onProgress: (message: LabProgress) => void,
  ): void {
    if (this.listener) throw new LockyardError('CONFLICT', 'A race is already running.');
    this.started.push(settings);
    this.listener = onProgress;
  }

  /** Reports progress as the process would. After `finished` the next race can start. */
  report(message: LabProgress): void {
    const { listener } = this;
    if (message.kind === 'finished') this.listener = null;
    listener?.(message);
  }

  stop(): void {
    this.stops += 1;
  }

  async close(): Promise<void> {
    this.stop();
  }
}

/** A result. */
export const labRow = (row: Partial<LabRow> & Pick<LabRow, 'id'>): LabRow => ({
  number: 'F',
  title: 'Written back',
  servers: 'embedded SQLite',
  sold: 10,
  stock: 10,
  oversold: 0,
  opsPerSecond: 100,
  p50Ms: 1,
  p99Ms: 5,
  conflicts: 0,
  deadlocks: 0,
  retries: 0,
  durationMs: 1_000,
  verdict: 'holds',
  ...row,
});
