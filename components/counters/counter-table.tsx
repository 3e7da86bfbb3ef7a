'use client';

import Link from 'next/link';
import type { CSSProperties } from 'react';
import type { CounterCourses, CounterRow } from '@/server/contract/console/counter-row';
import { agoText, wholeSeconds } from '@/server/core/format/durations';
import { exactCount } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { counterPath } from '@/server/core/paths/console-path';
import { SelectAllBox, SelectBox } from '../deletion/select-controls';
import { isNameable, type SelectionControls } from '../deletion/use-selection';
import { Icon } from '../icons/icon';
import { useAtBackend } from '../live/reading';
import { type Column, TableHead } from '../ui/table-head';
import { ExactName } from '../ui/visible-text';
import { boundLabel, boundsPosition, deltaLabel, headroomLabel } from './counter-labels';
import { CourseCell } from './course/course-cell';

const COURSE: Column = { label: 'Last hour', cell: 'course' };

const COLUMNS: Column[] = [
  'Name',
  { label: 'Value', cell: 'value', isNumber: true },
  { label: 'Headroom', cell: 'room' },
  COURSE,
  { label: 'Floor', cell: 'bound', isNumber: true },
  { label: 'Ceiling', cell: 'bound', isNumber: true },
  { label: 'Last change', cell: 'move' },
];

const WITHOUT_COURSE = COLUMNS.filter((column) => column !== COURSE);

function columnsOf(selecting: SelectionControls | null, hasCourses: boolean): Column[] {
  const columns = hasCourses ? COLUMNS : WITHOUT_COURSE;
  if (!selecting) return columns;
  const content = <SelectAllBox selecting={selecting} label="Select all shown counters" />;
  return [{ label: 'Select', cell: 'select', content }, ...columns];
}

/**
 * The counters, one per line; on a phone a block each. Bounds have columns of their own only on a
 * wide screen: the headroom says how far away they are.
 */
export function CounterTable({
  rows,
  courses,
  selecting,
}: {
  rows: CounterRow[];
  /** Undefined while they are not known; null where there are none to show. */
  courses: CounterCourses | undefined | null;
  /** Null where nothing may be selected. */
  selecting: SelectionControls | null;
}) {
  return (
    <div className="card list-in-card">
      <table
        className="list counter-list"
        data-selecting={selecting?.isSelecting}
        style={{ '--value': `${valueWidth(rows)}px` } as CSSProperties}
      >
        <TableHead columns={columnsOf(selecting, courses !== null)} />
        <tbody>
          {rows.map((row) => (
            <tr
              key={row.id}
              data-selected={selecting?.selection.has(row.id)}
              data-wide={hasWideValue(row)}
            >
              {selecting && <SelectCell row={row} selecting={selecting} />}
              <td data-cell="main">
                <span className="counter-name">
                  <Link
                    href={counterPath(row.namespace, row.name)}
                    prefetch={false}
                    className="item-link"
                  >
                    <ExactName name={row.name} />
                  </Link>
                  <span className="counter-where" title={`${row.namespace} · ${row.backend}`}>
                    {row.namespace} · {row.backend}
                  </span>
                </span>
              </td>
              <td data-cell="act" data-number="true" className="font-[550]">
                <CounterValue row={row} />
              </td>
              <td data-cell="room">
                <Headroom row={row} />
              </td>
              {courses !== null && (
                <td data-cell="course">
                  {courses && <CourseCell row={row} course={courses[row.id] ?? null} />}
                </td>
              )}
              <td data-cell="bound" data-number="true" className="text-t2">
                {boundLabel(row.floor)}
              </td>
              <td data-cell="bound" data-number="true" className="text-t2">
                {boundLabel(row.ceiling)}
              </td>
              <td data-cell="move">
                <span className="counter-change">
                  <LastChange row={row} />
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Whether a value would leave too little of a phone's width to the name beside it. */
const hasWideValue = ({ value, isKnown }: CounterRow): boolean =>
  value !== null && exactCount(value).length + (isKnown ? 0 : 13) > 16;

/** The width of the longest value in one line with the gap to the next column, in pixels. */
const valueWidth = (rows: CounterRow[]): number =>
  20 + 8 * Math.max(0, ...rows.map(({ value }) => (value === null ? 0 : exactCount(value).length)));

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
      <span
        className={`room-label ${tight ? 'font-[550] text-contended' : 'text-t2'}`}
        title={headroomLabel(row)}
      >
        {headroomLabel(row)}
      </span>
    </span>
  );
}

/** Who last changed a counter, by how much, and how long ago. */
export function LastChange({ row }: { row: CounterRow }) {
  const { lastMove } = row;
  const agoMs = useAtBackend(row, (now) =>
    lastMove ? Math.max(0, wholeSeconds(now - lastMove.at)) : 0,
  );
  if (!lastMove) return <span className="text-t3">never changed</span>;
  return (
    <>
      <b className="font-[550]">{deltaLabel(lastMove.delta)}</b>
      <span className="change-by text-t2">
        {' '}
        by <ExactName name={lastMove.who} className="text-12" />
      </span>
      <span className="whitespace-nowrap text-t3"> {agoText(agoMs)}</span>
    </>
  );
}
