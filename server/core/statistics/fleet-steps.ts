import type { FleetSample } from '../../contract/console/insight-row';

/** One reading of all locks. */
interface FleetReading extends Omit<FleetSample, 'low'> {
  /** Whether all backends were known. */
  isWhole: boolean;
}

const STEP_MS = 30_000;

/** The course of all locks, in steps of 30 s. */
export class FleetSteps {
  private steps: readonly FleetSample[] = [];
  /** When the last step began. */
  private stepFrom = Number.NEGATIVE_INFINITY;

  /** @param stepsMax how many of the latest are kept */
  constructor(private readonly stepsMax: number) {}

  /** The oldest first; the last one is still under way. */
  get all(): readonly FleetSample[] {
    return this.steps;
  }

  /** Puts earlier steps before the present ones. */
  remember(earlier: readonly FleetSample[]): void {
    this.steps = [...earlier, ...this.steps].slice(-this.stepsMax);
  }

  /** @param now on a clock that never steps, in milliseconds */
  add(reading: FleetReading, now: number): void {
    const last = this.steps.at(-1);
    const isOfLast = last !== undefined && now - this.stepFrom < STEP_MS;
    if (!isOfLast) this.stepFrom = now;
    const earlier = isOfLast ? this.steps.slice(0, -1) : this.steps;
    const step = withReading(isOfLast ? last : null, reading);
    // Steps with a later instant are from before the clock was set back.
    const kept = earlier.filter(({ at }) => at < step.at);
    this.steps = [...kept, step].slice(-this.stepsMax);
  }
}

type Figure = 'held' | 'waiting' | 'stuck' | 'blockingMs';

/**
 * A step of the course with one more reading.
 *
 * @param step null: the reading is the first of its step
 */
function withReading(step: FleetSample | null, reading: FleetReading): FleetSample {
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
