import type { FleetSample } from '../../contract/console/insight-row';

/** One reading of all locks. */
type FleetReading = Omit<FleetSample, 'low'>;

/** A step of the course that has one reading. */
export function stepOf(reading: FleetReading): FleetSample {
  const { held, stuck } = reading;
  return { ...reading, low: { held, stuck } };
}

/** A step of the course with one more reading. */
export function withReading(step: FleetSample, reading: FleetReading): FleetSample {
  const most = (figure: keyof FleetReading) => Math.max(step[figure], reading[figure]);
  return {
    at: reading.at,
    held: most('held'),
    waiting: most('waiting'),
    stuck: most('stuck'),
    blockingMs: most('blockingMs'),
    low: {
      held: Math.min(step.low.held, reading.held),
      stuck: Math.min(step.low.stuck, reading.stuck),
    },
  };
}
