'use client';

import type { Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import type { PeekControls } from '../peek/use-peek';

/** Where the keyboard is: at a row, or at a position whose row has not been read yet. */
interface Cursor {
  place: number;
  id: string | null;
}

/** The rows of a list, and where they are drawn. */
export interface DrawnRows {
  /** Those that were read. */
  rows: LockRow[];
  /** The position of the first of `rows`. */
  offset: number;
  /** How many rows the list has, read or not. */
  count: number;
  virtual: Virtualizer<HTMLDivElement, Element>;
  list: RefObject<HTMLDivElement | null>;
}

/** The row that the keyboard is at. */
export interface RowCursor {
  /** Its id; null if the keyboard is at no row that was read. */
  id: string | null;
  /** That row; while the keyboard is at none, that of the open preview. */
  row: LockRow | undefined;
  /** Moves to a position, or to the nearest one that exists, and focuses its row. */
  moveTo: (place: number) => void;
  /** Moves by some rows; to the first one while the keyboard is at none. */
  step: (by: number) => void;
  /** To be called when a row gets the focus. */
  onCursor: (place: number, id: string) => void;
  leave: () => void;
}

/**
 * Where the keyboard is in the list. An open preview and the keyboard are at the same lock: both
 * name the keys of its acts.
 *
 * @param onHold called when the keyboard moves
 */
export function useRowCursor(
  { rows, offset, count, virtual, list }: DrawnRows,
  peek: PeekControls,
  onHold: () => void,
): RowCursor {
  const [cursor, setCursor] = useState<Cursor | null>(null);

  const latest = useRef({ rows, peek, cursor });
  useEffect(() => {
    latest.current = { rows, peek, cursor };
  });
  const onCursor = useCallback(
    (place: number, id: string) => {
      setCursor({ place, id });
      onHold();
      const { rows, peek, cursor } = latest.current;
      const row = cursor?.id === id ? undefined : rows.find((each) => each.id === id);
      if (row && peek.isOpen) peek.show(row);
    },
    [onHold],
  );

  // A row keeps the keyboard wherever the row moves; a position without a row passes it to the row
  // that is read there.
  const found = cursor?.id ? rows.findIndex(({ id }) => id === cursor.id) : -1;
  const place = found === -1 ? (cursor?.place ?? -1) : offset + found;
  const current = cursor?.id ? rows[found] : rows[place - offset];
  if (cursor?.id === null && current) setCursor({ place, id: current.id });
  const row = current ?? (cursor ? undefined : rows.find(({ id }) => id === peek.id));

  const wantsFocus = useWantedFocus(place, current?.id, virtual, list);

  const moveTo = (next: number) => {
    if (count === 0) return;
    const wanted = Math.max(0, Math.min(count - 1, next));
    const wantedRow = rows[wanted - offset];
    setCursor({ place: wanted, id: wantedRow?.id ?? null });
    if (wantedRow && peek.isOpen) peek.show(wantedRow);
    onHold();
    wantsFocus.current = true;
    virtual.scrollToIndex(wanted, { align: 'auto' });
  };

  usePeekCalls(peek, {
    onStepped(to) {
      const place = offset + rows.findIndex(({ id }) => id === to.id);
      setCursor({ place, id: to.id });
      virtual.scrollToIndex(place, { align: 'auto' });
    },
    onClosing() {
      const isInside = document.activeElement?.closest('.peek') ?? null;
      const at = row ? offset + rows.indexOf(row) : -1;
      if (!isInside || at === -1) return;
      setCursor({ place: at, id: row?.id ?? null });
      const line = lineAt(list, at);
      if (line) return line.focus({ preventScroll: true });
      wantsFocus.current = true;
      virtual.scrollToIndex(at, { align: 'auto' });
    },
  });

  return {
    id: current?.id ?? null,
    row,
    moveTo,
    step: (by) => moveTo(place === -1 ? 0 : place + by),
    onCursor,
    leave() {
      wantsFocus.current = false;
      setCursor(null);
    },
  };
}

const lineAt = (list: RefObject<HTMLElement | null>, place: number) =>
  list.current?.querySelector<HTMLElement>(`[data-place="${place}"]`);

/** Focuses the line at a position once it is drawn, and again once its row has been read. */
function useWantedFocus(
  place: number,
  id: string | undefined,
  virtual: DrawnRows['virtual'],
  list: DrawnRows['list'],
): RefObject<boolean> {
  const wantsFocus = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row exists once read
  useEffect(() => {
    if (!wantsFocus.current) return;
    const line = lineAt(list, place);
    line?.focus({ preventScroll: true });
    if (line?.dataset.row) wantsFocus.current = false;
  }, [place, id, virtual.range?.startIndex, list]);
  return wantsFocus;
}

/** Lets the preview call functions of the present render. */
function usePeekCalls(
  peek: PeekControls,
  calls: { onStepped: (row: LockRow) => void; onClosing: () => void },
): void {
  useEffect(() => {
    const { onStepped, onClosing } = peek;
    onStepped.current = calls.onStepped;
    onClosing.current = calls.onClosing;
    return () => {
      onClosing.current = () => undefined;
    };
  });
}
