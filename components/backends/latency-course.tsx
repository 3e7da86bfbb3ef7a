import {
  type BackendCourses,
  COURSE_SPAN_MS,
  COURSE_STEP_MS,
  type LatencyPoint,
} from '@/server/contract/console/backend-health';
import { latencyText } from '../format/durations';
import { courseBars, courseSummary, latenciesOf } from './course-bars';

/** Of the drawing; its width is stretched to the available space. */
const HEIGHT = 44;
const STEPS = COURSE_SPAN_MS / COURSE_STEP_MS;

/** A backend's response time over the last hour, a bar per step; pale where it did not serve. */
export function LatencyCourse({
  backend,
  courses,
  asOf,
}: BackendCourses & {
  /** The backend's id. */
  backend: string;
}) {
  const points = courses.find((course) => course.backend === backend)?.points ?? [];
  const known = latenciesOf(points);
  return (
    <figure className="latency-course" aria-label={`Latency, last hour: ${courseSummary(points)}`}>
      <figcaption className="flex justify-between gap-3 text-12 text-t2">
        <span>Latency, last hour</span>
        {known.length > 0 && (
          <span>
            max <b className="font-[600] text-t1">{latencyText(Math.max(...known))}</b>
          </span>
        )}
      </figcaption>
      {points.length === 0 ? (
        <p className="text-12 text-t3">No readings yet.</p>
      ) : (
        <Bars points={points} asOf={asOf} />
      )}
    </figure>
  );
}

function Bars({ points, asOf }: { points: readonly LatencyPoint[]; asOf: number }) {
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${STEPS} ${HEIGHT}`}
      preserveAspectRatio="none"
      style={{ height: HEIGHT }}
    >
      {courseBars(points, asOf).map(({ at, left, share, isSilent }) => (
        <rect
          key={at}
          data-silent={isSilent}
          x={left}
          width={0.8}
          y={HEIGHT - Math.max(2, share * HEIGHT)}
          height={Math.max(2, share * HEIGHT)}
        />
      ))}
    </svg>
  );
}
