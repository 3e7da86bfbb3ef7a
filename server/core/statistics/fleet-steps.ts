import type { FleetSample } from '../../contract/console/insight-row';

/** One reading of all locks. */
export interface FleetReading extends Omit<FleetSample, 'low'> {
  /** All backends were known. */
  isWhole: boolean;
}

type Figure = 'held' | 'waiting' | 'stuck' | 'blockingMs';

/**
 * A step of the course with one more reading.
 *
 * @param step null: it is the first of its step
 */
export function withReading(step: FleetSample | null, reading: FleetReading): FleetSample {
  const most = (figure: Figure) => Math.max(step?.[figure] ?? 0, reading[figure]);
  return {
    at: reading.at,
    held: most('held'),
    waiting: most('waiting'),
    stuck: most('stuck'),
    blockingMs: most('blockingMs'),
    low: reading.isWhole ? lower(step?.low ?? reading, reading) : (step?.low ?? null),
  };
}

type Low = NonNullable<FleetSample['low']>;

const lower = (a: Low, b: Low): Low => ({
  held: Math.min(a.held, b.held),
  stuck: Math.min(a.stuck, b.stuck),
});
