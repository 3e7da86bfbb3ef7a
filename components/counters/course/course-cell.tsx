import type { CounterCourse, CounterRow } from '@/server/contract/console/counter-row';
import { useAtBackend } from '../../live/reading';
import { rateLabel } from './course-labels';
import { ValueLine } from './value-line';

const REDRAWN_MS = 10_000;

/** How a counter's value changed over the last hour, and how fast it changes now. */
export function CourseCell({
  row,
  course,
}: {
  row: CounterRow;
  /** Null: it did not change, or that is unknown. */
  course: CounterCourse | null;
}) {
  const now = useAtBackend(row, (at) => Math.floor(at / REDRAWN_MS) * REDRAWN_MS);
  if (!course) return <span className="room-label text-t3">no change in last hour</span>;
  return (
    <span className="room">
      <ValueLine row={row} course={course} now={now} height={20} />
      <span className="room-label text-t2" title={rateLabel(course)}>
        {rateLabel(course)}
      </span>
    </span>
  );
}
