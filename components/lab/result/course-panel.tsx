'use client';

import { useId, useState } from 'react';
import type { LabRun } from '@/server/contract/console/lab/lab-run';
import { RaceCharts } from '../live/race-charts';
import { sortRows } from './lab-verdict';

/** The charts of a strategy from its start to its end, after the race; one strategy at a time. */
export function CoursePanel({ run: { rows, courses = [], settings } }: { run: LabRun }) {
  const id = useId();
  const [chosen, setChosen] = useState<string | null>(null);
  const samplesOf = new Map(courses.map((course) => [course.id, course.samples]));
  const shown = sortRows(rows).filter((row) => samplesOf.has(row.id));
  const row = shown.find((each) => each.id === chosen) ?? shown[0];
  if (!row) return null;
  return (
    <section aria-label="Course" className="lab-live border-line border-t">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <label htmlFor={id} className="text-t2">
          Course of
        </label>
        <select
          id={id}
          className="field lab-course"
          value={row.id}
          onChange={({ target }) => setChosen(target.value)}
        >
          {shown.map((each) => (
            <option key={each.id} value={each.id}>
              {each.title}
            </option>
          ))}
        </select>
      </p>
      <RaceCharts
        samples={samplesOf.get(row.id) ?? []}
        stock={settings.stock}
        longestMs={row.durationMs}
        result={row}
      />
    </section>
  );
}
