'use client';

import { useEffect, useRef } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { isReleased } from '@/server/core/lock/lock-record';
import { useActions } from '../../actions/actions-provider';
import { isReassignable } from '../../actions/reassign/reassign-obstacle';

/** The lock that the page is about, or that the keyboard is at, and what can be done about it. */
export interface CurrentLock {
  row: LockRow;
  acts: { label: string; run: () => void }[];
}

let source: (() => CurrentLock | null) | null = null;

/** The current lock at this moment; null if there is none. */
export const currentLock = (): CurrentLock | null => source?.() ?? null;

/** Makes a lock the current one for as long as the component is mounted. */
export function useCurrentLock(row: LockRow | null): void {
  const actions = useActions();
  const latest = useRef({ row, actions });
  useEffect(() => {
    latest.current = { row, actions };
  });
  useEffect(() => {
    const own = (): CurrentLock | null => {
      const { row, actions } = latest.current;
      return row && { row, acts: actions ? actsOn(row, actions) : [] };
    };
    source = own;
    return () => {
      if (source === own) source = null;
    };
  }, []);
}

function actsOn(row: LockRow, actions: NonNullable<ReturnType<typeof useActions>>) {
  if (row.status === 'unknown') return [];
  const acts = [
    { label: row.frozen ? 'Unfreeze…' : 'Freeze…', run: () => actions.freeze(row) },
    ...(isReassignable(row) ? [{ label: 'Reassign…', run: () => actions.reassign(row) }] : []),
    { label: 'Force release…', run: () => actions.release(row) },
    { label: 'Extend…', run: () => actions.extend(row) },
    { label: 'Block renewals…', run: () => actions.stop(row) },
    { label: 'Ask to release…', run: () => actions.ask(row) },
  ];
  const onAnyHold = acts.findIndex(({ label }) => label === 'Extend…');
  const possible = !row.hold ? 1 : isReleased(row.hold) ? onAnyHold : acts.length;
  return acts.slice(0, possible).reverse();
}
