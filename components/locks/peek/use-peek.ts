'use client';

import { type RefObject, useCallback, useMemo, useRef } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { usePastAt } from '../../past/past-at';
import type { ListQuery } from '../list/list-query';

/** The preview beside the list. */
export interface PeekControls {
  /** The id of the lock that it shows; null while it is closed, or its row is not loaded. */
  id: string | null;
  isOpen: boolean;
  /** The lock that it shows, with the hold that its acts are about; null while it has none. */
  shown: RefObject<LockRow | null>;
  /** Called when the preview itself moved to another lock. */
  onStepped: RefObject<(row: LockRow) => void>;
  /** Called before it closes: the focus that is in it goes to its row. */
  onClosing: RefObject<() => void>;
  /** @param row null: closes it */
  show: (row: LockRow | null) => void;
}

/** Which lock's preview is open, according to the page's address. */
export function usePeek(
  { peek: at }: ListQuery,
  onQuery: (part: Partial<ListQuery>) => void,
  rows: LockRow[],
): {
  peek: PeekControls;
  row: LockRow | null;
  onStep: (by: 1 | -1) => void;
  /** Where its last step went, until its new content has the focus. */
  stepped: RefObject<1 | -1 | null>;
} {
  const place = at
    ? rows.findIndex(({ namespace, name }) => namespace === at.namespace && name === at.name)
    : -1;
  const row = rows[place] ?? null;
  const id = row?.id ?? null;
  // The preview shows only the present.
  const isPast = usePastAt() !== null;
  const isOpen = at !== null && !isPast;
  const shown = useRef<LockRow | null>(null);
  const stepped = useRef<1 | -1 | null>(null);
  const onClosing = useRef<PeekControls['onClosing']['current']>(() => undefined);
  const onStepped = useRef<PeekControls['onStepped']['current']>(() => undefined);
  const show = useCallback(
    (next: LockRow | null) => {
      if (isPast) return;
      if (!next) onClosing.current();
      onQuery({ peek: next && { namespace: next.namespace, name: next.name } });
    },
    [onQuery, isPast],
  );
  const peek = useMemo<PeekControls>(
    () => ({ id, isOpen, shown, onStepped, onClosing, show }),
    [id, isOpen, show],
  );
  const onStep = (by: 1 | -1) => {
    const next = rows[place + by];
    if (place === -1 || !next) return;
    stepped.current = by;
    show(next);
    onStepped.current(next);
  };
  return { peek, row, onStep, stepped };
}
