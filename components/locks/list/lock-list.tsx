'use client';

import {
  type CSSProperties,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
} from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { exactCount } from '@/server/core/format/numbers';
import type { SelectionControls } from '../../deletion/use-selection';
import type { PeekControls } from '../peek/use-peek';
import { LockListRow, RowSkeleton } from '../row/lock-list-row';
import { useRowCursor } from '../row/use-row-cursor';
import { useRowKeys } from '../row/use-row-keys';
import { useVirtualRows } from '../row/use-virtual-rows';
import type { KeyNote } from './key-hints';
import { type ListQuery, type LockSort, rowsKey } from './list-query';
import { LockHeads } from './lock-heads';
import { TierHead } from './tiers/tier-head';
import { headsUntil, tierSections } from './tiers/tier-sections';

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
  const isWhole = offset === 0 && rows.length >= matching;
  const sections = useMemo(
    () => (isTiered && isWhole ? tierSections(rows) : []),
    [isTiered, isWhole, rows],
  );
  const list = useRef<HTMLDivElement>(null);
  const all = Math.max(matching, rows.length === 0 ? 0 : offset + rows.length);
  const { count, virtual } = useVirtualRows(all, { isTiered, sections, list, scroller });
  const drawn = { rows, offset, count, virtual, list };
  const { peek, onOpen, onNote } = props;
  const cursor = useRowCursor(drawn, peek, onHold);
  useRowKeys({ drawn, cursor, selecting, peek, onOpen, onNote });
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
