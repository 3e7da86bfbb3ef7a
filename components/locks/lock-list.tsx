'use client';

import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { LockRow } from '@/server/domain/lock-row';
import type { ListQuery, LockSort } from './list-query';
import { LockHeads } from './lock-heads';
import { LockRowLine } from './lock-row-line';
import { useRowHeight } from './use-row-height';
import { useRowKeys } from './use-row-keys';

/** Enough rows for any first screen before its size is known. */
const FIRST_SCREEN = { width: 1440, height: 1200 };

interface ListProps {
  rows: LockRow[];
  /** How many locks match, shown or not. */
  matching: number;
  query: ListQuery;
  scroller: RefObject<HTMLDivElement | null>;
  onSort: (sort: LockSort) => void;
  /** Somebody points at the rows or has the keyboard in them: they must not move. */
  onHold: (isHeld: boolean) => void;
  /** The end of what is loaded is near. */
  onEnd: () => void;
  onRange: (first: number, last: number) => void;
}

/** The rows, of which only those in view exist. */
export function LockList(props: ListProps) {
  const { rows, matching, query, scroller, onSort, onHold, onEnd, onRange } = props;
  const rowHeight = useRowHeight();
  const list = useRef<HTMLDivElement>(null);
  const [margin, setMargin] = useState(0);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (place) => rows[place]?.id ?? place,
    overscan: 10,
    scrollMargin: margin,
    initialRect: FIRST_SCREEN,
  });
  const { cursor, setCursor, onBlur } = useRowKeys({ rows, virtual, list, onHold });

  // biome-ignore lint/correctness/useExhaustiveDependencies: another height makes every measure wrong
  useEffect(() => virtual.measure(), [rowHeight, virtual]);
  useLayoutEffect(() => {
    const top = list.current?.offsetTop ?? 0;
    setMargin((old) => (old === top ? old : top));
  });

  const items = virtual.getVirtualItems();
  const firstItem = items[0];
  const lastItem = items.at(-1);
  const lastPlace = lastItem?.index ?? -1;
  useEffect(() => {
    if (lastPlace >= rows.length - 20 && rows.length < matching) onEnd();
  }, [lastPlace, rows.length, matching, onEnd]);

  const { range } = virtual;
  const first = range?.startIndex ?? 0;
  const last = range?.endIndex ?? 0;
  useEffect(() => onRange(first, last), [first, last, onRange]);

  return (
    // biome-ignore lint/a11y/useSemanticElements: a virtual list whose rows fold into lines is no HTML table
    <div role="grid" aria-label="Locks" aria-rowcount={matching + 1}>
      {/* biome-ignore lint/a11y/useSemanticElements: see above */}
      <div role="rowgroup" className="sticky top-11 z-10 max-md:hidden">
        <LockHeads query={query} onSort={onSort} />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: see above */}
      <div
        ref={list}
        role="rowgroup"
        onPointerEnter={(event) => event.pointerType === 'mouse' && onHold(true)}
        onPointerLeave={() => onHold(list.current?.querySelector(':focus-visible') != null)}
        onBlur={onBlur}
        style={{
          paddingTop: firstItem ? firstItem.start - margin : 0,
          paddingBottom: lastItem ? virtual.getTotalSize() - (lastItem.end - margin) : 0,
        }}
      >
        {items.map(({ index, key }) => {
          const row = rows[index];
          return (
            row && (
              <LockRowLine
                key={key}
                row={row}
                place={index}
                isCursor={cursor === row.id}
                isEntry={cursor ? cursor === row.id : index === 0}
                onCursor={setCursor}
              />
            )
          );
        })}
      </div>
    </div>
  );
}
