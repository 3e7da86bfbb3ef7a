'use client';

import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { exactCount } from '@/server/core/format/numbers';
import type { SelectionControls } from '../../deletion/use-selection';
import { useMedia } from '../../ui/use-media';
import type { PeekControls } from '../peek/use-peek';
import { LockListRow, RowSkeleton } from '../row/lock-list-row';
import { useRowCursor } from '../row/use-row-cursor';
import { useRowKeys } from '../row/use-row-keys';
import type { KeyNote } from './key-hints';
import { type ListQuery, type LockSort, rowsKey } from './list-query';
import { LockHeads } from './lock-heads';
import { TierHead } from './tiers/tier-head';
import { headsUntil, tierSections } from './tiers/tier-sections';

/** Enough rows for any first screen before its size is known. */
const FIRST_SCREEN = { width: 1440, height: 1200 };

/** Browsers draw no element much higher than this; Firefox ends at about 17.8 million pixels. */
const HEIGHT_MAX_PX = 15_000_000;

interface ListProps {
  /** The rows that were read. */
  rows: LockRow[];
  /** The position of the first of them. */
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
  /** Opens it from known data if the server is not responding; false: the server is. */
  onOpenKnown: (row: LockRow) => boolean;
  onNote: (note: KeyNote) => void;
  scroller: RefObject<HTMLDivElement | null>;
  onSort: (sort: LockSort) => void;
  /** The pointer is over the rows or the keyboard moves in them: they must not move. */
  onHold: () => void;
  /** Called with the first and last position in view and the number of rows. */
  onRange: (first: number, last: number, count: number) => void;
}

/** All rows; only those in view are rendered, with skeletons for those that are not read yet. */
export function LockList(props: ListProps) {
  const { rows, offset, matching, query, selecting, scroller, onSort, onHold, onRange } = props;
  const isTiered = query.view === 'attention' && query.sort === 'worst' && !query.descending;
  const { rowHeight, headHeight } = useHeights(isTiered);
  const isWhole = offset === 0 && rows.length >= matching;
  const sections = useMemo(
    () => (isTiered && isWhole ? tierSections(rows) : []),
    [isTiered, isWhole, rows],
  );
  const begins = sections.map(({ first }) => first).join(' ');
  const list = useRef<HTMLDivElement>(null);
  const margin = useOffsetTop(list, scroller);
  const all = Math.max(matching, rows.length === 0 ? 0 : offset + rows.length);
  const count = Math.min(all, Math.floor(HEIGHT_MAX_PX / rowHeight));
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: (place) =>
      rowHeight + (sections.some((section) => section.first === place) ? headHeight : 0),
    overscan: 6,
    scrollMargin: margin,
    initialRect: FIRST_SCREEN,
  });
  const drawn = { rows, offset, count, virtual, list };
  const { peek, onOpen, onNote } = props;
  const cursor = useRowCursor(drawn, peek, onHold);
  useRowKeys({ drawn, cursor, selecting, peek, onOpen, onNote });

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new height resizes all
  useLayoutEffect(() => virtual.measure(), [rowHeight, headHeight, begins, virtual]);
  useScrollToTop(query, scroller, list);

  const isSelectable = selecting !== null;
  // Before `range`, which this call updates.
  const items = virtual.getVirtualItems();
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
      data-tiers={isTiered || undefined}
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
        className="lock-rows"
        style={{ '--count': count, '--sections': sections.length } as CSSProperties}
      >
        {sections.map((section, i) => (
          <TierHead key={section.tier} section={section} heads={i + 1} />
        ))}
        {items.map(({ index }) => {
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
              isCursor={cursor.id === row.id}
              isEntry={cursor.id ? cursor.id === row.id : index === first}
              isSelected={selecting?.selection.has(row.id) ?? null}
              isPeeked={peek.id === row.id}
              isOneBackend={props.isOneBackend}
              isTiered={isTiered}
              heads={headsUntil(sections, index)}
              onPeek={peek.show}
              onOpenKnown={props.onOpenKnown}
              onCursor={cursor.onCursor}
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
 * How far the list begins below the top of its scroller. Measured only when something above it
 * changes size: otherwise the browser would have to lay out the page after each message.
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

/** Scrolls to the first row when the search, a filter or the order changes. */
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

const TABLET = '(min-width: 640px)';
const TABLE = '(min-width: 900px)';
const WIDE = '(min-width: 1800px)';
/** As in the style sheet: a line of the table, three on a phone, two on a tablet and in tiers. */
const TABLE_ROW_PX = 30;
const TABLET_ROW_PX = 62;
const PHONE_ROW_PX = 90;
const TIERED_ROW_PX = 44;
const TIER_HEAD_PX = 34;

/** How high a row of the lock list and the head of a tier are. The server guesses a table. */
function useHeights(isTiered: boolean): { rowHeight: number; headHeight: number } {
  const isTablet = useMedia(TABLET, true);
  const isTable = useMedia(TABLE, true);
  const isWide = useMedia(WIDE, false);
  if (isTiered && isWide) return { rowHeight: TIERED_ROW_PX, headHeight: TIER_HEAD_PX };
  const rowHeight = isTable ? TABLE_ROW_PX : isTablet ? TABLET_ROW_PX : PHONE_ROW_PX;
  return { rowHeight, headHeight: 0 };
}
