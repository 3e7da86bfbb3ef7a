'use client';

import type { Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { isReleased } from '@/server/core/lock/lock-record';
import { useActions } from '../../actions/actions-provider';
import { isReassignable } from '../../actions/reassign/reassign-obstacle';
import type { SelectionControls } from '../../deletion/use-selection';
import { useKeys } from '../../live/use-keys';
import { useCurrentLock } from '../../shell/command/current-lock';

/** Where the keyboard is: at a row, or at a place whose row has not been read yet. */
interface Cursor {
  place: number;
  id: string | null;
}

/** The preview beside the list. */
export interface PeekControls {
  /** The id of the lock that it shows; null while it is closed, or its row is not loaded. */
  id: string | null;
  isOpen: boolean;
  /** @param row null: closes it */
  show: (row: LockRow | null) => void;
}

const CONTROL = 'a, button, input, summary';

/** The row that the keyboard is at, and the keys that move it and act on it. */
export function useRowKeys({
  rows,
  offset,
  count,
  virtual,
  list,
  selecting,
  peek,
  onOpen,
  onCopied,
  onHold,
}: {
  rows: LockRow[];
  /** The place of the first of `rows`. */
  offset: number;
  /** How many rows the list has, read or not. */
  count: number;
  virtual: Virtualizer<HTMLDivElement, Element>;
  list: RefObject<HTMLDivElement | null>;
  /** Null where nothing may be selected. */
  selecting: SelectionControls | null;
  peek: PeekControls;
  /** Opens the page of a lock. */
  onOpen: (row: LockRow) => void;
  onCopied: (name: string) => void;
  onHold: () => void;
}) {
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const actions = useActions();

  const onCursor = useCallback(
    (place: number, id: string) => {
      setCursor({ place, id });
      onHold();
    },
    [onHold],
  );

  // A row keeps the keyboard wherever it moves to, and leaves it to no other; a place gives it to
  // the row that is read there.
  const found = cursor?.id ? rows.findIndex(({ id }) => id === cursor.id) : -1;
  const place = found === -1 ? (cursor?.place ?? -1) : offset + found;
  const current = cursor?.id ? rows[found] : rows[place - offset];
  if (cursor?.id === null && current) setCursor({ place, id: current.id });
  const row = current ?? (cursor ? undefined : rows.find(({ id }) => id === peek.id));

  useCurrentLock(row ?? null);

  const wantsFocus = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row exists once read
  useEffect(() => {
    if (!wantsFocus.current) return;
    const line = list.current?.querySelector<HTMLElement>(`[data-place="${place}"]`);
    line?.focus({ preventScroll: true });
    if (line?.dataset.row) wantsFocus.current = false;
  }, [place, current?.id, virtual.range?.startIndex, list]);

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
  const isInList = () => list.current?.contains(document.activeElement) ?? false;
  const step = (by: number) => moveTo(place === -1 ? 0 : place + by);

  useKeys({
    j: () => step(1),
    k: () => step(-1),
    ArrowDown: () => (isInList() ? step(1) : virtual.scrollBy(60)),
    ArrowUp: () => (isInList() ? step(-1) : virtual.scrollBy(-60)),
    Home: () => moveTo(0),
    End: () => moveTo(count - 1),
    Enter: ({ target }) => {
      if (target instanceof HTMLElement && target.matches(CONTROL)) return target.click();
      if (row) onOpen(row);
    },
    ' ': ({ target }) => {
      if (target instanceof Element && target.matches(CONTROL)) return false;
      peek.show(row && peek.id !== row.id ? row : null);
    },
    a: () => isRenewable(row) && actions?.ask(row),
    s: () => isRenewable(row) && actions?.stop(row),
    e: () => isRenewable(row) && actions?.extend(row),
    r: () => row?.hold && actions?.release(row),
    R: () => row && isReassignable(row) && actions?.reassign(row),
    i: () => row && actions?.onIt(row),
    f: () => row && row.status !== 'unknown' && actions?.freeze(row),
    y: () => row && void navigator.clipboard?.writeText(row.name).then(() => onCopied(row.name)),
    x: () => row && selecting?.select(row.id, !selecting.selection.has(row.id), false),
    X: () => row && selecting?.select(row.id, true, true),
    Escape: () => {
      if (peek.isOpen) return peek.show(null);
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      wantsFocus.current = false;
      setCursor(null);
    },
  });

  return { cursor: current?.id ?? null, onCursor };
}

/** Whether a holder could still renew: what is asked of a holder is refused after its release. */
function isRenewable(row: LockRow | undefined): row is LockRow {
  return row?.hold != null && !isReleased(row.hold);
}
