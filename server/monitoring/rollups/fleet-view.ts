import { setTimeout as pause } from 'node:timers/promises';
import type { FleetNow, FleetSample } from '../../contract/console/insight-row';
import { FleetSteps } from '../../core/statistics/fleet-steps';
import type { Clock } from '../../platform/clock';
import type { LockProjection } from '../projection/lock-projection';
import type { LockInsights, SumView } from './lock-insights';

/** Minimum age of the last hour before it is read again. */
const HOUR_FRESH_MS = 1_000;

/**
 * A reading older than the first, as after a time without requests, is refreshed before answering;
 * the wait for that is bounded by the second.
 */
const HOUR_OLD_MS = 5_000;
const HOUR_WITHIN_MS = 500;

/** How often the figures are read. */
export const SAMPLE_EVERY_MS = 1_000;
const STEPS_MAX = 120;

interface Hour {
  view: SumView;
  at: number;
  /** The same instant on the monotonic clock. */
  monotonicMs: number;
}

/** All locks together: now from the projection, the last hour from the roll-ups. */
export class FleetView {
  private hour: Hour | null = null;
  private reading: Promise<Hour> | null = null;
  private readonly course = new FleetSteps(STEPS_MAX);
  private readAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly backends: string[],
    private readonly projection: LockProjection,
    private readonly insights: LockInsights,
    private readonly clock: Clock,
  ) {}

  /** Begins with figures of an earlier time, oldest first. */
  remember(samples: readonly FleetSample[]): void {
    this.course.remember(samples);
  }

  /** Samples the figures of this instant, so that a page shows a course from its first paint. */
  async sample(): Promise<void> {
    await this.read();
  }

  /** While the control database does not respond, the hour is the last one read, at `hourAt`. */
  async now(): Promise<FleetNow> {
    const reading = this.readHour();
    const known = this.hour ?? (await reading);
    const settled = reading.catch(() => known);
    const isOld = this.clock.monotonic() - known.monotonicMs > HOUR_OLD_MS;
    const late = () => pause(HOUR_WITHIN_MS, known, { ref: false });
    const { view, at } = isOld ? await Promise.race([settled, late()]) : known;
    const asOf = this.clock.now();
    const { points: minutes, total: hour } = view;
    const grantsPerSecond = this.projection.grantRate.perSecond();
    const { counts, held, waiting, blocked, blockingMs } = await this.read();
    const samples = [...this.course.all];
    return {
      ...{ counts, held, waiting, blocked: blocked.callers, blockingMs, grantsPerSecond },
      ...{ samples, minutes, hour, hourAt: at, asOf },
    };
  }

  /** Reads the figures of this instant, and adds them to the course. */
  private async read() {
    const counts = await this.projection.counts();
    const { held, waiting, blockingMs, isWhole } = counts;
    const { stuck } = counts.counts;
    const reading = { at: this.clock.now(), held, waiting, stuck, blockingMs, isWhole };
    this.course.add(reading, this.clock.monotonic());
    return counts;
  }

  /** Concurrent requests share one reading. */
  private readHour(): Promise<Hour> {
    if (this.reading) return this.reading;
    const isFresh = this.clock.monotonic() - this.readAt < HOUR_FRESH_MS;
    if (this.hour && isFresh) return Promise.resolve(this.hour);
    this.readAt = this.clock.monotonic();
    this.reading = this.insights
      .ofAll(this.backends, '1h', this.clock.now())
      .then((view) => {
        this.hour = { view, at: this.clock.now(), monotonicMs: this.clock.monotonic() };
        return this.hour;
      })
      .finally(() => {
        this.reading = null;
      });
    return this.reading;
  }
}
