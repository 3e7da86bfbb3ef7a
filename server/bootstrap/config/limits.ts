import { ConfigError } from '../../platform/start-error';

/** How much of a process one caller may use. */
export interface Limits {
  /** Plain calls per second by one API key in one namespace; a burst may be twice as many. */
  callsPerSecond: number;
  /** Acquires of one API key that wait at the same time. */
  waitsPerKey: number;
  /** Watches of one API key that are open at the same time. */
  watchesPerKey: number;
  connections: number;
  /** For how many seconds refused actions of one user and kind share an audit entry; 0: never. */
  refusalsSeconds: number;
}

interface Bounds {
  name: string;
  byDefault: number;
  least: number;
  most: number;
}

const BOUNDS: Record<keyof Limits, Bounds> = {
  callsPerSecond: {
    name: 'LOCKYARD_CALLS_PER_SECOND',
    byDefault: 50_000,
    least: 1,
    most: 1_000_000_000,
  },
  waitsPerKey: {
    name: 'LOCKYARD_WAITS_PER_KEY',
    byDefault: 1_000,
    least: 1,
    most: 1_000_000,
  },
  watchesPerKey: {
    name: 'LOCKYARD_WATCHES_PER_KEY',
    byDefault: 1_000,
    least: 1,
    most: 1_000_000,
  },
  connections: {
    name: 'LOCKYARD_CONNECTIONS',
    byDefault: 4_000,
    least: 10,
    most: 1_000_000,
  },
  refusalsSeconds: {
    name: 'LOCKYARD_REFUSALS_SECONDS',
    byDefault: 60,
    least: 0,
    most: 3_600,
  },
};

/** The variables that set limits. */
export const LIMIT_NAMES = Object.values(BOUNDS).map(({ name }) => name);

/** Throws `ConfigError`. */
export function readLimits(env: Record<string, string | undefined>): Limits {
  const read = ({ name, byDefault, least, most }: Bounds): number => {
    const text = env[name];
    if (text === undefined || text === '') return byDefault;
    const value = Number(text);
    if (/^\d{1,10}$/.test(text) && value >= least && value <= most) return value;
    throw new ConfigError(
      `${name} must be a whole number from ${least} to ${most}, not "${text}".`,
    );
  };
  return {
    callsPerSecond: read(BOUNDS.callsPerSecond),
    waitsPerKey: read(BOUNDS.waitsPerKey),
    watchesPerKey: read(BOUNDS.watchesPerKey),
    connections: read(BOUNDS.connections),
    refusalsSeconds: read(BOUNDS.refusalsSeconds),
  };
}
