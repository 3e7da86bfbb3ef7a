'use client';

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { LockPage, LockRow } from '@/server/contract/console/lock-row';

/** How long rows keep their positions after the last pointer or keyboard action on them. */
const STILL_MS = 3_000;

/** The longest time for which an old order is kept. */
const LONGEST_MS = 15_000;

/**
 * The rows of a page to draw. While the pointer is over them they keep their positions; call `hold`
 * to report that it is.
 *
 * @param view what the page shows and how it is sorted: another view is drawn immediately
 */
export function useSteadyRows(page: LockPage, view: string): { rows: LockRow[]; hold: () => void } {
  const [frozen, setFrozen] = useState<{ of: string; rows: LockRow[] } | null>(null);
  const of = `${page.offset} ${view}`;
  const isFrozen = frozen?.of === of;
  const rows = useMemo(
    () => (isFrozen ? steadyRows(frozen.rows, page.rows) : page.rows),
    [isFrozen, frozen, page.rows],
  );
  const shown = useRef({ of, rows });
  useEffect(() => {
    shown.current = { of, rows };
  });

  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const until = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  const hold = useCallback(() => {
    const now = performance.now();
    if (until.current <= now) until.current = now + LONGEST_MS;
    setFrozen((old) => (old?.of === shown.current.of ? old : shown.current));
    clearTimeout(timer.current);
    const unfreeze = () => {
      until.current = 0;
      setFrozen(null);
    };
    timer.current = setTimeout(unfreeze, Math.min(STILL_MS, until.current - now));
  }, []);
  return { rows, hold };
}

/**
 * Keeps rows where they are: fresh data in the old order. A row that is gone keeps its place with
 * its last data; a new one comes last, if there is room.
 *
 * @param shown the rows that are drawn now
 * @param fresh the server's rows, in its order
 */
export function steadyRows<T extends { id: string }>(
  shown: readonly T[],
  fresh: readonly T[],
): T[] {
  const byId = new Map(fresh.map((row) => [row.id, row]));
  const known = new Set(shown.map(({ id }) => id));
  const added = fresh.filter(({ id }) => !known.has(id));
  const rows = [...shown.map((row) => byId.get(row.id) ?? row), ...added];
  return rows.slice(0, Math.max(shown.length, fresh.length));
}
