'use client';

import { useEffect, useRef } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { useActions } from '../../actions/actions-provider';
import { useReadingStore } from '../../live/reading';
import { type StoreObstacle, storeObstacle } from '../../live/reading-store';
import { actObstacle, type LockAct } from '../../locks/possible-acts';

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
  const reading = useReadingStore();
  const latest = useRef({ row, actions });
  useEffect(() => {
    latest.current = { row, actions };
  });
  useEffect(() => {
    const own = (): CurrentLock | null => {
      const { row, actions } = latest.current;
      const atStore = storeObstacle(reading.get(), row);
      return row && { row, acts: actions ? actsOn(row, actions, atStore) : [] };
    };
    source = own;
    return () => {
      if (source === own) source = null;
    };
  }, [reading]);
}

/** Gentle to hard. */
function actsOn(
  row: LockRow,
  actions: NonNullable<ReturnType<typeof useActions>>,
  atStore: StoreObstacle | null,
) {
  const acts: { label: string; act: LockAct; run: (row: LockRow) => void }[] = [
    { label: 'Ask to release…', act: 'request', run: actions.ask },
    { label: 'Block renewals…', act: 'request', run: actions.stop },
    { label: 'Extend…', act: 'extend', run: actions.extend },
    { label: 'Force release…', act: 'release', run: actions.release },
    { label: 'Reassign…', act: 'reassign', run: actions.reassign },
    { label: row.frozen ? 'Unfreeze…' : 'Freeze…', act: 'freeze', run: actions.freeze },
  ];
  return acts
    .filter(({ act }) => actObstacle(row, act, atStore) === null)
    .map(({ label, run }) => ({ label, run: () => run(row) }));
}
