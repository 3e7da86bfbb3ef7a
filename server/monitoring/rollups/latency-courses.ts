import {
  type BackendCourses,
  type BackendHealth,
  COURSE_SPAN_MS,
  COURSE_STEP_MS,
  type LatencyPoint,
} from '../../contract/console/backend-health';
import type { Clock } from '../../platform/clock';

/** How often the health of the backends is sampled. */
export const LATENCY_SAMPLE_EVERY_MS = 5_000;

const POINTS_MAX = COURSE_SPAN_MS / COURSE_STEP_MS;

/**
 * How fast each backend responded over the last hour: a ring of `POINTS_MAX` points a backend in
 * the memory of this process, which a restart empties.
 */
export class LatencyCourses {
  private readonly points = new Map<string, LatencyPoint[]>();

  constructor(
    private readonly healths: () => readonly BackendHealth[],
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** Adds a sample of each backend, except one whose first response is still pending. */
  sample(): void {
    const now = this.clock.now();
    const at = now - (now % COURSE_STEP_MS);
    for (const { id, reachable, latencyMs } of this.healths()) {
      if (latencyMs === null && reachable) continue;
      const points = this.points.get(id) ?? [];
      this.points.set(id, points);
      // Later points are from before the clock was set back.
      while ((points.at(-1)?.at ?? at) > at) points.pop();
      const last = points.at(-1);
      const responded = reachable ? latencyMs : null;
      if (last?.at === at) {
        last.latencyMs = slower(last.latencyMs, responded);
        last.wasSilent ||= !reachable;
      } else {
        points.push({ at, latencyMs: responded, wasSilent: !reachable });
      }
      if (points.length > POINTS_MAX) points.shift();
    }
  }

  /** The courses of all backends, in the order of their ids. */
  now(): BackendCourses {
    const asOf = this.clock.now();
    const courses = [...this.points].map(([backend, points]) => {
      const recent = points.filter(({ at }) => at >= asOf - COURSE_SPAN_MS);
      return { backend, points: recent.map((point) => ({ ...point })) };
    });
    return { courses: courses.sort((a, b) => (a.backend < b.backend ? -1 : 1)), asOf };
  }
}

function slower(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.max(a, b);
}
