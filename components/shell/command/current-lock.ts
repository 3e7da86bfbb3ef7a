'use client';

import { useEffect, useRef } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { useActions } from '../../actions/actions-provider';
import { isReassignable } from '../../actions/reassign/reassign-obstacle';
import { possibleActs } from '../../locks/possible-acts';

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

/** Gentle to hard. */
function actsOn(row: LockRow, actions: NonNullable<ReturnType<typeof useActions>>) {
  const { request, extend, release, freeze } = possibleActs(row);
  const acts = [
    { label: 'Ask to release…', isPossible: request, run: () => actions.ask(row) },
    { label: 'Block renewals…', isPossible: request, run: () => actions.stop(row) },
    { label: 'Extend…', isPossible: extend, run: () => actions.extend(row) },
    { label: 'Force release…', isPossible: release, run: () => actions.release(row) },
    { label: 'Reassign…', isPossible: isReassignable(row), run: () => actions.reassign(row) },
    {
      label: row.frozen ? 'Unfreeze…' : 'Freeze…',
      isPossible: freeze,
      run: () => actions.freeze(row),
    },
  ];
  return acts.filter(({ isPossible }) => isPossible);
}
