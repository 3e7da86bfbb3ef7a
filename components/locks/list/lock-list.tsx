'use client';

import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import type { SelectionControls } from '../../deletion/use-selection';
import { exactCount } from '../../format/numbers';
import { LockListRow, RowSkeleton } from '../row/lock-list-row';
import { type PeekControls, useRowKeys } from '../row/use-row-keys';
import { type ListQuery, type LockSort, rowsKey } from './list-query';
import { LockHeads } from './lock-heads';

/** Enough rows for any first screen before its size is known. */
const FIRST_SCREEN = { width: 1440, height: 1200 };

/** Browsers draw no element much higher than this; Firefox ends at about 17.8 million pixels. */
const HEIGHT_MAX_PX = 15_000_000;

interface ListProps {
  /** The rows that are read. */
  rows: LockRow[];
  /** The place of the first of them. */
  offset: number;
  /** How many locks match, read or not. */
  matching: number;
  query: ListQuery;
  /** Null where nothing may be selected. */
  selecting: SelectionControls | null;
  isOneBackend: boolean;
  peek: PeekControls;
  /** Opens the page of a lock. */
  onOpen: (row: LockRow) => void;
  /** Opens it from what is known, if there is no other way; false: there is. */
  onOpenKnown: (row: LockRow) => boolean;
  onCopied: (name: string) => void;
  scroller: RefObject<HTMLDivElement | null>;
  onSort: (sort: LockSort) => void;
  /** The pointer is over the rows or the keyboard moves in them: they must not move. */
  onHold: () => void;
  /** Which places are in view, of how many. */
  onRange: (first: number, last: number, count: number) => void;
}

/** All rows, of which only those in view exist; those that are not read yet hold their places. */
export function LockList(props: ListProps) {
  const { rows, offset, matching, query, selecting, scroller, onSort, onHold, onRange } = props;
  const rowHeight = useRowHeight();
  const list = useRef<HTMLDivElement>(null);
  const margin = useOffsetTop(list, scroller);
  const all = Math.max(matching, rows.length === 0 ? 0 : offset + rows.length);
  const count = Math.min(all, Math.floor(HEIGHT_MAX_PX / rowHeight));
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    scrollMargin: margin,
    initialRect: FIRST_SCREEN,
  });
  const { cursor, onCursor } = useRowKeys({
    rows,
    offset,
    count,
    virtual,
    list,
    selecting,
    peek: props.peek,
    onOpen: props.onOpen,
    onCopied: props.onCopied,
    onHold,
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new height resizes all
  useEffect(() => virtual.measure(), [rowHeight, virtual]);
  useScrollToTop(query, scroller, list);

  const isSelectable = selecting !== null;
  const { range } = virtual;
  const first = range?.startIndex ?? 0;
  const last = range?.endIndex ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new list has its window
  useEffect(() => onRange(first, last, count), [first, last, count, query, onRange]);

  return (
    // biome-ignore lint/a11y/useSemanticElements: virtual rows fold into lines
    <div
      role="grid"
      aria-label="Locks"
      aria-rowcount={all + 1}
      aria-multiselectable={isSelectable}
      data-selectable={isSelectable}
      data-selecting={selecting?.isSelecting}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: see above */}
      <div role="rowgroup" className="sticky top-11 z-10 max-md:hidden">
        <LockHeads query={query} selecting={selecting} onSort={onSort} />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: see above */}
      <div
        ref={list}
        role="rowgroup"
        onPointerMove={(event) => event.pointerType === 'mouse' && onHold()}
        className="relative"
        style={{ height: virtual.getTotalSize() }}
      >
        {virtual.getVirtualItems().map(({ index }) => {
          const row = rows[index - offset];
          if (!row) {
            return (
              <RowSkeleton key={`to come ${index}`} place={index} isSelectable={isSelectable} />
            );
          }
          return (
            <LockListRow
              key={row.id}
              row={row}
              place={index}
              isCursor={cursor === row.id}
              isEntry={cursor ? cursor === row.id : index === first}
              isSelected={selecting?.selection.has(row.id) ?? null}
              isPeeked={props.peek.id === row.id}
              isOneBackend={props.isOneBackend}
              onPeek={props.peek.show}
              onOpenKnown={props.onOpenKnown}
              onCursor={onCursor}
              onSelect={selecting?.select}
            />
          );
        })}
      </div>
      {all > count && (
        <p className="px-[var(--gutter)] py-4 text-12 text-t2">
          Showing {exactCount(count)} of {exactCount(all)}. Narrow your search to see more.
        </p>
      )}
    </div>
  );
}

/**
 * How far below the top of what scrolls the list begins. Measured when something there changes
 * size: after each message the browser would have to lay out the page for it alone.
 */
function useOffsetTop(
  list: RefObject<HTMLDivElement | null>,
  scroller: RefObject<HTMLDivElement | null>,
): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () => setTop(list.current?.offsetTop ?? 0);
    measure();
    const sizes = new ResizeObserver(measure);
    for (const part of scroller.current?.children ?? []) sizes.observe(part);
    return () => sizes.disconnect();
  }, [list, scroller]);
  return top;
}

/** Another search, filter or order begins at its first row. */
function useScrollToTop(
  query: ListQuery,
  scroller: RefObject<HTMLDivElement | null>,
  list: RefObject<HTMLDivElement | null>,
) {
  const address = rowsKey(query);
  const shown = useRef(address);
  useLayoutEffect(() => {
    if (shown.current === address) return;
    shown.current = address;
    const grid = list.current?.parentElement;
    if (!scroller.current || !grid) return;
    scroller.current.scrollTop = Math.min(scroller.current.scrollTop, grid.offsetTop);
  }, [address, scroller, list]);
}

const TABLE = '(min-width: 900px)';
/** As in the style sheet: a line of the table, three lines on a phone. */
const TABLE_ROW_PX = 30;
const PHONE_ROW_PX = 86;

function subscribe(listener: () => void) {
  const media = window.matchMedia(TABLE);
  media.addEventListener('change', listener);
  return () => media.removeEventListener('change', listener);
}

/** How high a row of the lock list is. The server guesses a table. */
function useRowHeight(): number {
  const isTable = useSyncExternalStore(
    subscribe,
    () => window.matchMedia(TABLE).matches,
    () => true,
  );
  return isTable ? TABLE_ROW_PX : PHONE_ROW_PX;
}
