import type { FleetSample } from '../../contract/console/insight-row';

/** One reading of all locks. */
interface FleetReading extends Omit<FleetSample, 'low'> {
  /** Whether every backend could be read. */
  isWhole: boolean;
}

const STEP_MS = 30_000;

/** The figures of all locks over time, in steps of 30 s. */
export class FleetSteps {
  private steps: readonly FleetSample[] = [];
  /** When the last step began. */
  private stepFrom = Number.NEGATIVE_INFINITY;

  /** @param stepsMax how many of the latest steps are kept */
  constructor(private readonly stepsMax: number) {}

  /** All steps, oldest first; the last one is not complete yet. */
  get all(): readonly FleetSample[] {
    return this.steps;
  }

  /** Puts earlier steps before the present ones. */
  remember(earlier: readonly FleetSample[]): void {
    this.steps = [...earlier, ...this.steps].slice(-this.stepsMax);
  }

  /** Adds a reading. @param now a monotonic clock, in milliseconds */
  add(reading: FleetReading, now: number): void {
    const last = this.steps.at(-1);
    const isInLast = last !== undefined && now - this.stepFrom < STEP_MS;
    if (!isInLast) this.stepFrom = now;
    const earlier = isInLast ? this.steps.slice(0, -1) : this.steps;
    const step = withReading(isInLast ? last : null, reading);
    // Steps with a later instant are from before the clock was set back.
    const kept = earlier.filter(({ at }) => at < step.at);
    this.steps = [...kept, step].slice(-this.stepsMax);
  }
}

type Figure = 'held' | 'waiting' | 'stuck' | 'blockingMs';

/**
 * A step with one more reading.
 *
 * @param step null: the reading is the first of its step
 */
function withReading(step: FleetSample | null, reading: FleetReading): FleetSample {
  const highest = (figure: Figure) => Math.max(step?.[figure] ?? 0, reading[figure]);
  return {
    at: reading.at,
    held: highest('held'),
    waiting: highest('waiting'),
    stuck: highest('stuck'),
    blockingMs: highest('blockingMs'),
    low: reading.isWhole ? lower(step?.low ?? reading, reading) : (step?.low ?? null),
  };
}

type Low = NonNullable<FleetSample['low']>;

const lower = (a: Low, b: Low): Low => ({
  held: Math.min(a.held, b.held),
  stuck: Math.min(a.stuck, b.stuck),
});
