import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useLayoutEffect, useState } from 'react';
import { useMedia } from '../../ui/use-media';
import type { TierSection } from '../list/tiers/tier-sections';

/** Enough rows for any first screen before its size is known. */
const FIRST_SCREEN = { width: 1440, height: 1200 };

/** Browsers draw no element much higher than this; Firefox ends at about 17.8 million pixels. */
const HEIGHT_MAX_PX = 15_000_000;

interface ListLayout {
  isTiered: boolean;
  sections: TierSection[];
  list: RefObject<HTMLDivElement | null>;
  scroller: RefObject<HTMLDivElement | null>;
}

/**
 * Which of all rows are in view and therefore rendered. `count`: how many the list can show, which
 * may be fewer than all.
 */
export function useVirtualRows(
  all: number,
  { isTiered, sections, list, scroller }: ListLayout,
): { count: number; virtual: Virtualizer<HTMLDivElement, Element> } {
  const { rowHeight, headHeight } = useHeights(isTiered);
  const margin = useOffsetTop(list, scroller);
  const count = Math.min(all, Math.floor(HEIGHT_MAX_PX / rowHeight));
  const virtual = useVirtualizer<HTMLDivElement, Element>({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: (place) =>
      rowHeight + (sections.some((section) => section.first === place) ? headHeight : 0),
    overscan: 6,
    scrollMargin: margin,
    initialRect: FIRST_SCREEN,
  });
  const begins = sections.map(({ first }) => first).join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new height resizes all
  useLayoutEffect(() => virtual.measure(), [rowHeight, headHeight, begins, virtual]);
  return { count, virtual };
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
