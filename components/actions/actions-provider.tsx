'use client';

import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { useSession } from '../live/session';
import { CapacityDialog } from './capacity-dialog';
import { ExtendDialog } from './extend-dialog';
import { ForceReleaseDialog } from './force-release-dialog';
import { FreezeDialog } from './freeze-dialog';
import { HolderRequestDialog } from './holder-request-dialog';

interface Actions {
  release: (row: LockRow) => void;
  extend: (row: LockRow) => void;
  ask: (row: LockRow) => void;
  stop: (row: LockRow) => void;
  /** Freezes the lock, or unfreezes it. */
  freeze: (row: LockRow) => void;
  /** Changes how many permits may be held at once. */
  capacity: (row: LockRow) => void;
}

type Action = keyof Actions;

const ActionsContext = createContext<Actions | null>(null);

/** The actions on a lock; null for viewers. */
export function useActions(): Actions | null {
  return useContext(ActionsContext);
}

/** Renders the dialogs of the actions, one at a time, for the lock as it was on opening. */
export function ActionsProvider({ children }: { children: ReactNode }) {
  const { may } = useSession();
  const [open, setOpen] = useState<{ act: Action; row: LockRow } | null>(null);
  const isOperator = may('operator');
  const actions = useMemo<Actions | null>(() => {
    const opener = (act: Action) => (row: LockRow) => setOpen({ act, row });
    if (!isOperator) return null;
    return {
      release: opener('release'),
      extend: opener('extend'),
      ask: opener('ask'),
      stop: opener('stop'),
      freeze: opener('freeze'),
      capacity: opener('capacity'),
    };
  }, [isOperator]);
  const close = () => setOpen(null);
  return (
    <ActionsContext.Provider value={actions}>
      {children}
      {open?.act === 'release' && <ForceReleaseDialog row={open.row} onClose={close} />}
      {open?.act === 'ask' && (
        <HolderRequestDialog verb="askRelease" row={open.row} onClose={close} />
      )}
      {open?.act === 'stop' && (
        <HolderRequestDialog verb="stopRenewals" row={open.row} onClose={close} />
      )}
      {open?.act === 'freeze' && <FreezeDialog row={open.row} onClose={close} />}
      {open?.act === 'capacity' && <CapacityDialog row={open.row} onClose={close} />}
      {open?.act === 'extend' && <ExtendDialog row={open.row} onClose={close} />}
    </ActionsContext.Provider>
  );
}
