/** The settings of a race in the Lab. Durations are milliseconds. */
export interface LabSettings {
  /** Ids from the catalogue. Each runs once, in the order of the catalogue. */
  strategies: string[];
  /** Concurrent buyers. */
  workers: number;
  /** Units for sale, again for each strategy. */
  stock: number;
  /** Time between reading the stock and writing it, on average. */
  thinkMs: number;
  /** The time limit of each strategy; see `timeLimitMs` for a race with a paused worker. */
  perEntryMs: number;
  /** Adds a worker that stops between reading and writing for longer than its lease. */
  pause: boolean;
  /** Determines the think times, which are the same for each strategy. */
  seed: number;
}

/** The range of each number. */
export const LAB_LIMITS = {
  workers: { least: 1, most: 500 },
  stock: { least: 1, most: 100_000 },
  thinkMs: { least: 0, most: 1_000 },
  perEntryMs: { least: 1_000, most: 120_000 },
  seed: { least: 0, most: 2_147_483_647 },
} as const;

export const LAB_DEFAULTS = {
  workers: 50,
  stock: 500,
  thinkMs: 2,
  perEntryMs: 10_000,
  pause: false,
  seed: 4711,
} as const satisfies Omit<LabSettings, 'strategies'>;

/** How long a paused worker stops: twice its lease. A session of ZooKeeper takes 9 s longer. */
export const LAB_PAUSE_MS = 6_000;

/** How long each strategy may take: the time limit, and a pause. */
export const timeLimitMs = ({ perEntryMs, pause }: Pick<LabSettings, 'perEntryMs' | 'pause'>) =>
  perEntryMs + (pause ? LAB_PAUSE_MS : 0);

/**
 * `holds`: no unit was sold twice. `oversells`: at least one was. `incomplete`: the race of this
 * strategy could not be finished; `reason` says why.
 */
export type LabRowVerdict = 'holds' | 'oversells' | 'incomplete';

/** The result of one strategy. */
export interface LabRow {
  id: string;
  /** Its number in the catalogue: `1` to `20`, `F` for the wrong ways, empty for the service. */
  number: string;
  title: string;
  /** The servers on which it ran, such as `Redis + MySQL`. */
  servers: string;
  /** Committed order lines. */
  sold: number;
  stock: number;
  /** Units sold beyond the stock, or missing from the stock row. */
  oversold: number;
  /** Answered orders, sold or refused, per second. */
  opsPerSecond: number;
  /** The latency of an order from its start to its answer, including waits. */
  p50Ms: number;
  p99Ms: number;
  /** Orders that lost against another one, and were retried or given up. */
  conflicts: number;
  deadlocks: number;
  retries: number;
  durationMs: number;
  verdict: LabRowVerdict;
  reason?: string;
}

/** `done`: every strategy was run; `stopped`: on request; `failed`: `message` says why. */
export type LabEnding = 'done' | 'stopped' | 'failed';

/** What a race reports while it runs. Instants are epoch milliseconds of this machine. */
export type LabProgress =
  | { kind: 'entry-started'; id: string; at: number }
  /** About four a second. `sold`: the orders that workers have been answered as sold. */
  | { kind: 'sample'; id: string; elapsedMs: number; sold: number; opsPerSecond: number }
  | { kind: 'entry-finished'; row: LabRow }
  | { kind: 'finished'; endedBy: LabEnding; message?: string };

export type LabServerKind = 'mysql' | 'redis' | 'zookeeper';

/**
 * `ready`; `missing`: none is configured; `away`: it does not respond; `refused`: it responds, but
 * a race must not run there.
 */
export type LabServerState = 'ready' | 'missing' | 'away' | 'refused';

/** One server of the Lab, without its password. */
export interface LabServer {
  kind: LabServerKind;
  /** `MySQL`, `Redis`, `Redis 2`, … */
  name: string;
  /** `host:port`; null while it is missing. */
  address: string | null;
  version: string | null;
  state: LabServerState;
  /** What is wrong and how to fix it; null: nothing is wrong. */
  advice: string | null;
}

/** One entry of the catalogue, and whether it can run with the available servers. */
export interface LabEntry {
  id: string;
  number: string;
  title: string;
  /** The section of the catalogue. */
  family: string;
  kind: 'lock' | 'counter' | 'wrong way' | 'service';
  /** The consistency that it promises: `Strong`, `Timed` or `None`. */
  consistency: string;
  summary: string;
  /** The path of its source in the repository. */
  source: string;
  /** The servers on which it would run now; null: one is missing. */
  servers: string | null;
  /** The servers that it lacks; null: it can run. */
  lacks: string | null;
}

export interface LabPreflight {
  servers: LabServer[];
  entries: LabEntry[];
}
