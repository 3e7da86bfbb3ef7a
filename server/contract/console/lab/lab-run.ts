import type { LabEntry, LabPreflight, LabProgress, LabRow, LabSettings } from './lab-race';

/** How many strategies one race may have. */
export const LAB_STRATEGIES_MAX = 100;

/** How many runs are kept; starting another one deletes the oldest. */
export const LAB_RUNS_MAX = 200;

/** The figures of the running strategy at one instant. */
export type LabSample = Omit<Extract<LabProgress, { kind: 'sample' }>, 'kind' | 'id'>;

/** The preflight as the console shows it; `asOf`: when servers were asked, by this one's clock. */
export interface LabPreflightView extends LabPreflight {
  asOf: number;
}

/** A stored run as listed. Instants are this server's clock. */
export interface LabRunSummary {
  id: string;
  startedAt: number;
  /** Null while it runs. */
  endedAt: number | null;
  /** The name of the person who started it. */
  startedBy: string;
  /** The name of the person who stopped it, if it was stopped. */
  stoppedBy: string | null;
  endedBy: LabEnd | null;
  settings: LabSettings;
  result: LabResult;
}

/**
 * How a run ended. `restart`: its server stopped or restarted meanwhile, and its result is what was
 * known by then.
 */
export type LabEnd = 'done' | 'stopped' | 'failed' | 'restart';

/** The result of a run in figures. */
export interface LabResult {
  finished: number;
  /** Does not count a wrong way that did not oversell, since that was luck. */
  held: number;
  oversold: number;
  /** Units that all strategies together sold beyond the stock. */
  oversoldUnits: number;
}

/** A strategy of a run, as the catalogue described it when the run started. */
export type LabRunEntry = Pick<LabEntry, 'id' | 'number' | 'title' | 'kind' | 'consistency'>;

/** A whole run. */
export interface LabRun extends LabRunSummary {
  /** Why it failed; null if it did not. */
  message: string | null;
  /** In the order in which they run. */
  entries: LabRunEntry[];
  /** In the order in which they finished. */
  rows: LabRow[];
  /**
   * The course of each finished strategy, with fewer samples; absent in runs of earlier versions.
   */
  courses?: LabCourse[];
  /** The strategy that is running; null before the first, between two, and after the last. */
  current: LabCurrent | null;
  asOf: number;
}

/** The course of a strategy from its start to its end. */
export interface LabCourse {
  id: string;
  /** Oldest first. */
  samples: LabSample[];
}

export interface LabCurrent {
  id: string;
  startedAt: number;
  /** Oldest first. */
  samples: LabSample[];
}

/** The answer to starting a run. `busy`: another one is running, and nothing was started. */
export type LabStartAnswer =
  | { outcome: 'started'; id: string }
  | { outcome: 'busy'; id: string; startedBy: string; startedAt: number };

/** The answer to stopping a run: it ends within seconds, or had ended before. */
export interface LabStopAnswer {
  outcome: 'stopping' | 'ended';
}

/** The source of a strategy. */
export interface LabSource {
  id: string;
  /** In the repository, such as `server/strategies/redis/watchdog-lock.ts`. */
  path: string;
  text: string;
}

/** Whether a strategy is a wrong way: nothing in it prevents overselling. */
export const isOfWrongWay = (id: string, entries: readonly LabRunEntry[]): boolean =>
  entries.find((entry) => entry.id === id)?.kind === 'wrong way';
