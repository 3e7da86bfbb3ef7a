'use client';

import dynamic from 'next/dynamic';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { useSession } from '../live/session';
import { PresenceContext, usePresence, useToggleOnIt } from '../locks/presence/presence';
import { CapacityDialog } from './capacity-dialog';
import { ExtendDialog } from './extend-dialog';
import { ForceReleaseDialog } from './force-release-dialog';
import { FreezeDialog } from './freeze-dialog';
import { HolderRequestDialog } from './holder-request-dialog';

interface Actions {
  release: (row: LockRow) => void;
  /** Takes the lock from its holder and gives it to a chosen waiter. */
  reassign: (row: LockRow) => void;
  extend: (row: LockRow) => void;
  ask: (row: LockRow) => void;
  stop: (row: LockRow) => void;
  /** Freezes the lock, or unfreezes it. */
  freeze: (row: LockRow) => void;
  /** Changes how many permits may be held at once. */
  capacity: (row: LockRow) => void;
  /** Says that one is on the lock, or is no more: at once, without a dialog. */
  onIt: (row: LockRow) => void;
}

type Action = Exclude<keyof Actions, 'onIt'>;

const ReassignDialog = dynamic(() =>
  import('./reassign/reassign-dialog').then((loaded) => loaded.ReassignDialog),
);

const ActionsContext = createContext<Actions | null>(null);

/** The actions on a lock; null for viewers. */
export function useActions(): Actions | null {
  return useContext(ActionsContext);
}

/**
 * Renders the dialogs of the actions, one at a time, for the lock as it was on opening; and tells
 * everything inside who is on which lock.
 */
export function ActionsProvider({ children }: { children: ReactNode }) {
  const { may } = useSession();
  const [open, setOpen] = useState<{ act: Action; row: LockRow } | null>(null);
  const isOperator = may('operator');
  const presence = usePresence();
  const onIt = useToggleOnIt(presence);
  const actions = useMemo<Actions | null>(() => {
    const opener = (act: Action) => (row: LockRow) => setOpen({ act, row });
    if (!isOperator) return null;
    return {
      release: opener('release'),
      reassign: opener('reassign'),
      extend: opener('extend'),
      ask: opener('ask'),
      stop: opener('stop'),
      freeze: opener('freeze'),
      capacity: opener('capacity'),
      onIt,
    };
  }, [isOperator, onIt]);
  const close = () => setOpen(null);
  return (
    <ActionsContext.Provider value={actions}>
      <PresenceContext.Provider value={presence}>{children}</PresenceContext.Provider>
      {open?.act === 'release' && <ForceReleaseDialog row={open.row} onClose={close} />}
      {open?.act === 'reassign' && <ReassignDialog row={open.row} onClose={close} />}
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
