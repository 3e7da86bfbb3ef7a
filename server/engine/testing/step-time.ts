import type { LockEngine } from '../lock-engine';

/**
 * A step whose instant is known less exactly proves nothing: too little of a lease may be left when
 * it is granted.
 */
const VAGUE_MS = 250;

/** What clocks and answers lose by whole milliseconds. */
const ROUNDING_MS = 5;

/** What a comparison measured of a step, on the store's clock. */
interface MeasuredStep {
  before: number;
  after: number;
  /** When its outcome had been read. */
  readAt: number;
  /** How far the engine's bounds of the clock were apart. */
  apartMs: number;
}

/** When a step can have been decided, and its lock changed until its outcome was read. */
export interface StepTime {
  earliest: number;
  latest: number;
  /** How far its instants and durations may be from those of a decision at the instant before. */
  slackMs: number;
  /** Whether this is known so inexactly that the step proves nothing. */
  isVague: boolean;
}

export function stepTime({ before, after, readAt, apartMs }: MeasuredStep): StepTime {
  // A lease begins at the lower bound of the clock. What is left of it is measured by the upper
  // bound, which a reply moves by no more than the step's duration.
  const slackMs = 2 * (after - before + apartMs) + ROUNDING_MS;
  return {
    earliest: before - apartMs - ROUNDING_MS,
    latest: readAt + apartMs + ROUNDING_MS,
    slackMs,
    isVague: after - before + apartMs > VAGUE_MS,
  };
}

/** How far an engine's bounds of its stores' clock are apart, in ms; infinite before a reading. */
export function boundsApartMs(engine: Pick<LockEngine, 'health'>): number {
  const health = engine.health();
  const spreads = (health.shards ?? [health]).map(({ clockSpreadMs }) => clockSpreadMs);
  return Math.max(...spreads.map((ms) => ms ?? Number.POSITIVE_INFINITY));
}
