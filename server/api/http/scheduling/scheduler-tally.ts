import type { MetricFamily } from '../../../monitoring/metrics/metrics';
import { CALL_CLASSES } from './call-class';

/** Upper bounds in seconds. */
const BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Counts, by class, how many calls wait for their turn and for how long. */
export class SchedulerTally {
  private readonly byClass = CALL_CLASSES.map((name) => ({
    name,
    waiting: 0,
    buckets: BOUNDS.map((bound): [number, number] => [bound, 0]),
    begun: 0,
    delaySeconds: 0,
  }));

  arrived(classIndex: number): void {
    const tally = this.byClass[classIndex];
    if (tally) tally.waiting += 1;
  }

  /** @param wasWaiting whether `arrived` was called before */
  began(classIndex: number, delayMs: number, wasWaiting: boolean): void {
    const tally = this.byClass[classIndex];
    if (!tally) return;
    const seconds = delayMs / 1_000;
    tally.begun += 1;
    tally.delaySeconds += seconds;
    if (wasWaiting) tally.waiting -= 1;
    for (let i = BOUNDS.length - 1; i >= 0; i -= 1) {
      const bucket = tally.buckets[i];
      if (!bucket || seconds > bucket[0]) break;
      bucket[1] += 1;
    }
  }

  metrics(): MetricFamily[] {
    return [
      {
        name: 'lockyard_requests_waiting',
        help: 'Requests that wait for their turn, by class.',
        type: 'gauge',
        samples: this.byClass.map(({ name, waiting }) => ({
          labels: { class: name },
          value: waiting,
        })),
      },
      {
        name: 'lockyard_request_delay_seconds',
        help: 'How long requests waited for their turn, by class; 0 for those that began at once.',
        type: 'histogram',
        samples: this.byClass.map(({ name, buckets, begun, delaySeconds }) => ({
          labels: { class: name },
          buckets,
          count: begun,
          sum: delaySeconds,
        })),
      },
    ];
  }
}
