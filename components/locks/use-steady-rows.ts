'use client';

import { useCallback, useMemo, useState } from 'react';
import type { LockRow } from '@/server/domain/lock-row';
import { type SteadyRows, steadyRows } from './steady-rows';

/** The rows to draw, kept in their places while somebody points at them. */
export function useSteadyRows(fresh: LockRow[], key: string) {
  const [kept, setKept] = useState<{ key: string; rows: LockRow[] } | null>(null);
  const isKept = kept !== null && kept.key === key;
  const shown = useMemo<SteadyRows<LockRow>>(
    () => (isKept ? steadyRows(kept.rows, fresh) : { rows: fresh, moves: 0 }),
    [isKept, kept, fresh],
  );

  const hold = useCallback(
    (isHeld: boolean) => {
      setKept((old) => {
        if (!isHeld) return null;
        return old?.key === key ? old : { key, rows: fresh };
      });
    },
    [fresh, key],
  );
  /** Lets the rows move once, and holds them again where they come to stand. */
  const letMove = useCallback(
    () => setKept((old) => (old === null ? null : { key, rows: fresh })),
    [fresh, key],
  );
  return { ...shown, hold, letMove };
}
