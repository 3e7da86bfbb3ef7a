'use client';

import Link from 'next/link';
import type { CounterCourses, CounterRow } from '@/server/contract/console/counter-row';
import { counterPath } from '@/server/core/names/console-path';
import { SelectAllBox, SelectBox } from '../deletion/select-controls';
import type { SelectionControls } from '../deletion/use-selection';
import { isNameable } from '../deletion/use-selection';
import { agoText } from '../format/durations';
import { exactCount } from '../format/numbers';
import { visibleText } from '../format/visible-name';
import { Icon } from '../icons/icon';
import { useAtBackend } from '../live/reading';
import { ExactName } from '../ui/visible-text';
import { boundLabel, boundsPosition, deltaLabel, headroomLabel } from './counter-labels';
import { CourseCell } from './course/course-cell';

/** The counters, one a line; on a phone a block each. */
export function CounterTable({
  rows,
  courses,
  selecting,
}: {
  rows: CounterRow[];
  /** Undefined while they are not known. */
  courses: CounterCourses | undefined;
  /** Null where nothing may be selected. */
  selecting: SelectionControls | null;
}) {
  return (
    <div className="card list-in-card">
      <table className="list counter-list" data-selecting={selecting?.isSelecting}>
        <thead>
          <tr>
            {selecting && (
              <th scope="col" data-cell="select">
                <SelectAllBox selecting={selecting} label="Select all shown counters" />
              </th>
            )}
            <th scope="col">Name</th>
            <th scope="col" data-cell="value" data-number="true">
              Value
            </th>
            <th scope="col" data-cell="room">
              Headroom
            </th>
            <th scope="col" data-cell="course">
              Last hour
            </th>
            <th scope="col" data-cell="bound" data-number="true">
              Floor
            </th>
            <th scope="col" data-cell="bound" data-number="true">
              Ceiling
            </th>
            <th scope="col">Last change</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id} data-selected={selecting?.selection.has(row.id)}>
              {selecting && <SelectCell row={row} selecting={selecting} />}
              <td data-cell="main">
                <Link
                  href={counterPath(row.namespace, row.name)}
                  prefetch={false}
                  className="flex min-w-0 rounded-4"
                >
                  <ExactName name={row.name} />
                </Link>
                <span className="block truncate text-12 font-[450] text-t3">
                  {row.namespace} · {row.backend}
                </span>
              </td>
              <td data-cell="act" data-number="true" className="font-[550]">
                <CounterValue row={row} />
              </td>
              <td data-cell="room">
                <Headroom row={row} />
              </td>
              <td data-cell="course">
                {courses && <CourseCell row={row} course={courses[row.id] ?? null} />}
              </td>
              <td data-number="true" className="text-t2 max-md:hidden!">
                {boundLabel(row.floor)}
              </td>
              <td data-number="true" className="text-t2 max-md:hidden!">
                {boundLabel(row.ceiling)}
              </td>
              <td data-cell="move">
                <LastChange row={row} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function SelectCell({ row, selecting }: { row: CounterRow; selecting: SelectionControls }) {
  const { selection, select } = selecting;
  return (
    <td data-cell="select">
      {isNameable(row) && (
        <SelectBox
          label={`Select ${visibleText(row.name)}`}
          isChecked={selection.has(row.id)}
          onSelect={(isSelected, isRange) => select(row.id, isSelected, isRange)}
        />
      )}
    </td>
  );
}

/** A counter's value, marked as such where it is only the last known one. */
function CounterValue({ row }: { row: CounterRow }) {
  const { value, isKnown } = row;
  if (isKnown && value !== null) return exactCount(value);
  return (
    <span className="inline-flex items-center gap-1.5 text-unknown" title="Current value unknown">
      <Icon name="question" size={14} />
      {value === null ? 'unknown' : exactCount(value)}
      {value !== null && <span className="text-12">last known</span>}
    </span>
  );
}

const isTight = (state: string) => state !== 'within' && state !== 'unknown';

/** How far a counter is from its bounds: a bar where it has both, and in words. */
function Headroom({ row }: { row: CounterRow }) {
  const { state, share } = boundsPosition(row);
  const tight = isTight(state);
  return (
    <span className="room">
      {share !== null && (
        <span aria-hidden="true" className="room-bar" data-tight={tight}>
          <span style={{ inlineSize: `${share * 100}%` }} />
        </span>
      )}
      <span className={`text-12 ${tight ? 'font-[550] text-contended' : 'text-t2'}`}>
        {headroomLabel(row)}
      </span>
    </span>
  );
}

/** Who moved a counter last, by how much, and how long ago. */
export function LastChange({ row }: { row: CounterRow }) {
  const { lastMove, backend } = row;
  const agoMs = useAtBackend(backend, (now) =>
    lastMove ? Math.max(0, Math.floor((now - lastMove.at) / 1_000) * 1_000) : 0,
  );
  if (!lastMove) return <span className="text-t3">never changed</span>;
  return (
    <>
      <b className="font-[550]">{deltaLabel(lastMove.delta)}</b>
      <span className="text-t2">
        {' '}
        by <ExactName name={lastMove.who} className="text-12" />
      </span>
      <span className="whitespace-nowrap text-t3"> {agoText(agoMs)}</span>
    </>
  );
}
