'use client';

import type { Virtualizer } from '@tanstack/react-virtual';
import { useRouter } from 'next/navigation';
import { type FocusEvent, type RefObject, useCallback, useState } from 'react';
import type { LockRow } from '@/server/domain/lock-row';
import { useActs } from '../acts/act-stage';
import { lockPath } from '../format/lock-path';
import { useKeys } from '../live/use-keys';

/** The row that the keyboard is at, and the keys that move it and act on it. */
export function useRowKeys({
  rows,
  virtual,
  list,
  onHold,
}: {
  rows: LockRow[];
  virtual: Virtualizer<HTMLDivElement, Element>;
  list: RefObject<HTMLDivElement | null>;
  onHold: (isHeld: boolean) => void;
}) {
  const [cursor, setCursorId] = useState<string | null>(null);
  const acts = useActs();
  const router = useRouter();

  const setCursor = useCallback(
    (id: string) => {
      setCursorId(id);
      onHold(true);
    },
    [onHold],
  );

  const place = rows.findIndex(({ id }) => id === cursor);
  const current = rows[place];

  const moveTo = (next: number) => {
    const wanted = Math.max(0, Math.min(rows.length - 1, next));
    const row = rows[wanted];
    if (!row) return;
    setCursor(row.id);
    virtual.scrollToIndex(wanted, { align: 'auto' });
    requestAnimationFrame(() => {
      const line = list.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(row.id)}"]`);
      line?.focus({ preventScroll: true });
    });
  };
  const isInList = () => list.current?.contains(document.activeElement) ?? false;
  const step = (by: number) => moveTo(place === -1 ? 0 : place + by);

  useKeys({
    j: () => step(1),
    k: () => step(-1),
    ArrowDown: () => (isInList() ? step(1) : virtual.scrollBy(60)),
    ArrowUp: () => (isInList() ? step(-1) : virtual.scrollBy(-60)),
    Enter: ({ target }) => {
      if (target instanceof HTMLElement && target.matches('a, button')) return target.click();
      if (current) router.push(lockPath(current.namespace, current.name));
    },
    e: () => current?.hold && acts?.extend(current),
    r: () => current?.hold && acts?.release(current),
    Escape: () => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      setCursorId(null);
    },
  });

  const onBlur = (event: FocusEvent<HTMLDivElement>) => {
    if (event.currentTarget.contains(event.relatedTarget)) return;
    onHold(event.currentTarget.matches(':hover'));
  };
  return { cursor, setCursor, onBlur };
}
