/** What a race of the Lab is asked to do. Durations are milliseconds. */
export interface LabSettings {
  /** Ids of the catalogue. Each runs once, in the order of the catalogue. */
  strategies: string[];
  /** Concurrent buyers. */
  workers: number;
  /** Units for sale, again for each strategy. */
  stock: number;
  /** Time between reading the stock and writing it, on average. */
  thinkMs: number;
  /** The time limit of each strategy. */
  perEntryMs: number;
  /** One more worker stops between reading and writing for longer than its lease. */
  pause: boolean;
  /** Fixes the think times, which are the same for each strategy. */
  seed: number;
}

/** The least and the most of each number. */
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

/**
 * `holds`: not one unit was sold twice. `oversells`: at least one was. `incomplete`: the race of
 * this strategy could not be finished; `reason` says why.
 */
export type LabRowVerdict = 'holds' | 'oversells' | 'incomplete';

/** How one strategy did. */
export interface LabRow {
  id: string;
  /** Its number in the catalogue: `1` to `20`, `F` for the wrong ways, empty for the service. */
  number: string;
  title: string;
  /** What it ran on, such as `Redis + MySQL`. */
  servers: string;
  /** Committed order lines. */
  sold: number;
  stock: number;
  /** Units sold beyond the stock, or missing from the stock row. */
  oversold: number;
  /** Answered orders, sold or refused, per second. */
  opsPerSecond: number;
  /** Of an order, from its start to its answer, waiting included. */
  p50Ms: number;
  p99Ms: number;
  /** Orders that lost to another one, and were retried or given up. */
  conflicts: number;
  deadlocks: number;
  retries: number;
  durationMs: number;
  verdict: LabRowVerdict;
  reason?: string;
}

/** `done`: every strategy had its turn; `stopped`: on request; `failed`: `message` says why. */
export type LabEnding = 'done' | 'stopped' | 'failed';

/** What a race reports while it runs. Instants are epoch milliseconds of this machine. */
export type LabProgress =
  | { kind: 'entry-started'; id: string; at: number }
  /** About four a second. `sold` is what the workers were answered so far. */
  | { kind: 'sample'; id: string; elapsedMs: number; sold: number; opsPerSecond: number }
  | { kind: 'entry-finished'; row: LabRow }
  | { kind: 'finished'; endedBy: LabEnding; message?: string };

export type LabServerKind = 'mysql' | 'redis' | 'zookeeper';

/**
 * `ready`; `missing`: none is configured; `away`: it does not answer; `refused`: it answers, but a
 * race must not run there.
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
  /** What is wrong and how to change it; null where nothing is. */
  advice: string | null;
}

/** One entry of the catalogue, and whether it can run with the servers that are there. */
export interface LabEntry {
  id: string;
  number: string;
  title: string;
  /** Section of the catalogue. */
  family: string;
  kind: 'lock' | 'counter' | 'wrong way' | 'service';
  /** What it promises: `Strong`, `Timed` or `None`. */
  consistency: string;
  summary: string;
  /** Path of its source in the repository. */
  source: string;
  /** What it would run on now; null where a server is missing. */
  servers: string | null;
  /** What it lacks; null: it can run. */
  lacks: string | null;
}

export interface LabPreflight {
  servers: LabServer[];
  entries: LabEntry[];
}
