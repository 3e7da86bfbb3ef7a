'use client';

import { useQuery } from '@tanstack/react-query';
import type { CounterRow } from '@/server/contract/console/counter-row';
import { useAtBackend } from '../../live/reading';
import { useTRPC } from '../../live/trpc';
import { boundLabelAhead, rateLabel } from './course-labels';
import { ValueLine } from './value-line';

export const COURSES_POLL_MS = 15_000;
const REDRAWN_MS = 5_000;

/** A counter's value over the last hour, its rate, and when it reaches a bound at that rate. */
export function CoursePanel({ row }: { row: CounterRow }) {
  const trpc = useTRPC();
  const { namespace, name } = row;
  const { data, error } = useQuery(
    trpc.counters.course.queryOptions({ namespace, name }, { refetchInterval: COURSES_POLL_MS }),
  );
  const now = useAtBackend(row, (at) => Math.floor(at / REDRAWN_MS) * REDRAWN_MS);
  const ahead = data && row.isKnown ? boundLabelAhead(row, data) : null;
  return (
    <section aria-label="Last hour" className="card p-4">
      <div className="flex flex-wrap justify-between gap-x-4 gap-y-1 pb-2">
        <h2 className="text-12 text-t2">Last hour</h2>
        <p className="text-12 text-t2">
          {data && rateLabel(data)}
          {ahead && <b className="font-[550] text-contended">, {ahead}</b>}
        </p>
      </div>
      {data && <ValueLine row={row} course={data} now={now} height={72} />}
      {data === null && <p className="text-t3">No change in the last hour.</p>}
      {data === undefined && (
        <p className="text-t3">{error ? 'Could not be read; trying again.' : 'Loading…'}</p>
      )}
    </section>
  );
}
