'use client';

import type { ReactNode } from 'react';
import { SelectAllBox } from '../../deletion/select-controls';
import type { SelectionControls } from '../../deletion/use-selection';
import { Icon } from '../../icons/icon';
import { FAR_POSITION, P99_POSITION } from '../row/range-position';
import { columnOrder, type ListQuery, type LockSort } from './list-query';

const HEADS: {
  cell: string;
  word: string;
  sort?: LockSort;
  /** What the head shows while the list is sorted by it: in natural order, and in reverse. */
  orders?: [string, string];
  className?: string;
  beside?: ReactNode;
}[] = [
  { cell: 'state', word: 'State', sort: 'worst', orders: ['worst first', 'best first'] },
  { cell: 'name', word: 'Lock', sort: 'name', orders: ['A–Z', 'Z–A'] },
  { cell: 'owner', word: 'Owner' },
  { cell: 'blocking', word: 'Blocking' },
  { cell: 'process', word: 'Process' },
  { cell: 'version', word: 'Version' },
  {
    cell: 'held',
    word: 'Held',
    sort: 'held',
    orders: ['longest first', 'shortest first'],
    className: 'flex items-center gap-2.5',
    beside: <RangeMarks />,
  },
  { cell: 'granted', word: 'Granted', className: 'pl-2' },
  { cell: 'waited', word: 'Waited to acquire', className: 'pr-3.5' },
  { cell: 'lease', word: 'Lease left', sort: 'lease', orders: ['soonest first', 'latest first'] },
  { cell: 'waiters', word: 'Waiters', sort: 'waiters', orders: ['most first', 'fewest first'] },
  { cell: 'renewals', word: 'Renewals' },
  { cell: 'rev', word: 'Rev' },
  { cell: 'token', word: 'Token' },
];

/** Positions and meanings of the marks on the range bars below. */
function RangeMarks() {
  return (
    <>
      <span className="range-marks">
        <span style={{ left: `${P99_POSITION}%` }}>p99</span>
        <span style={{ left: `${FAR_POSITION + 6}%` }} className="text-dangertext">
          5×
        </span>
      </span>
      <span className="own-p99" title="This lock’s 99th-percentile hold time">
        p99 hold
      </span>
    </>
  );
}

/** The heads of the table; a click sorts, a second click reverses the order. */
export function LockHeads({
  query,
  selecting,
  onSort,
}: {
  query: ListQuery;
  /** Null where nothing may be selected. */
  selecting: SelectionControls | null;
  onSort: (sort: LockSort) => void;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the rows
    // biome-ignore lint/a11y/useFocusableInteractive: its buttons take the focus
    <div
      role="row"
      aria-rowindex={1}
      className="lock-heads border-line border-b bg-bg text-12 text-t2"
    >
      {selecting && (
        // biome-ignore lint/a11y/useSemanticElements: see the rows
        // biome-ignore lint/a11y/useFocusableInteractive: its checkbox takes the focus
        <div role="columnheader">
          <SelectAllBox
            selecting={selecting}
            label="Select the loaded locks"
            title="Select the loaded locks, up to 200"
          />
        </div>
      )}
      {HEADS.map(({ cell, word, sort, orders, className = '', beside }) => {
        const isSorting = sort === query.sort;
        const isDown = isSorting && !query.descending;
        return (
          // biome-ignore lint/a11y/useSemanticElements: see the rows
          // biome-ignore lint/a11y/useFocusableInteractive: its button takes the focus
          <div
            key={cell}
            role="columnheader"
            data-cell={cell}
            aria-sort={isSorting ? columnOrder(query) : undefined}
            className={`min-w-0 ${className}`}
          >
            {sort ? (
              <button
                type="button"
                onClick={() => onSort(sort)}
                title={`Sort: ${orders?.[isDown ? 1 : 0]}`}
                className={`${cell === 'held' ? 'held-head shrink-0 justify-end' : ''} inline-flex max-w-full items-center gap-1 rounded-4 hover:text-t1 ${isSorting ? 'font-[550] text-t1' : ''}`}
              >
                {word}
                {isSorting && (
                  <Icon name={query.descending ? 'arrow-up' : 'arrow-down'} size={13} />
                )}
                {isSorting && cell === 'state' && (
                  <span className="truncate font-[450] text-t3">by severity</span>
                )}
              </button>
            ) : (
              word
            )}
            {beside}
          </div>
        );
      })}
    </div>
  );
}
