'use client';

import type { Virtualizer } from '@tanstack/react-virtual';
import { useRouter } from 'next/navigation';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { isReleased } from '@/server/core/lock/lock-record';
import { useActions } from '../../actions/actions-provider';
import type { SelectionControls } from '../../deletion/use-selection';
import { lockPath } from '../../format/lock-path';
import { useKeys } from '../../live/use-keys';

/** Where the keyboard is: at a row, or at a place whose row has not been read yet. */
interface Cursor {
  place: number;
  id: string | null;
}

/** The row that the keyboard is at, and the keys that move it and act on it. */
export function useRowKeys({
  rows,
  offset,
  count,
  virtual,
  list,
  selecting,
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
  onHold: () => void;
}) {
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const actions = useActions();
  const router = useRouter();

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
    setCursor({ place: wanted, id: rows[wanted - offset]?.id ?? null });
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
      if (target instanceof HTMLElement && target.matches('a, button, input'))
        return target.click();
      if (current) router.push(lockPath(current.namespace, current.name));
    },
    e: () => current?.hold && !isReleased(current.hold) && actions?.extend(current),
    r: () => current?.hold && actions?.release(current),
    i: () => current && actions?.onIt(current),
    x: () => current && selecting?.select(current.id, !selecting.selection.has(current.id), false),
    X: () => current && selecting?.select(current.id, true, true),
    Escape: () => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      wantsFocus.current = false;
      setCursor(null);
    },
  });

  return { cursor: current?.id ?? null, onCursor };
}
