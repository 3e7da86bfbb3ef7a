'use client';

import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { useSession } from '../live/session';
import { PresenceContext, usePresence, useToggleOnIt } from '../locks/presence/presence';
import { abandonNavigation } from '../navigation/abandon-navigation';
import { lazyDialog } from '../navigation/lazy-dialog';
import { useLoadedEarly } from '../navigation/use-loaded';

interface Actions {
  release: (row: LockRow) => void;
  /** Takes the lock from its holder and gives it to a chosen waiter. */
  reassign: (row: LockRow) => void;
  extend: (row: LockRow) => void;
  ask: (row: LockRow) => void;
  stop: (row: LockRow) => void;
  /** Freezes the lock, or unfreezes it. */
  freeze: (row: LockRow) => void;
  /** Changes how many permits may be held at the same time. */
  capacity: (row: LockRow) => void;
  /** Starts or ends the user's work on the lock, which everyone sees; without a dialog. */
  onIt: (row: LockRow) => void;
}

type Action = Exclude<keyof Actions, 'onIt'>;

const loadCapacity = () => import('./capacity-dialog').then((all) => all.CapacityDialog);
const loadExtend = () => import('./extend-dialog').then((all) => all.ExtendDialog);
const loadFreeze = () => import('./freeze-dialog').then((all) => all.FreezeDialog);
const loadReassign = () => import('./reassign/reassign-dialog').then((all) => all.ReassignDialog);
const loadRelease = () => import('./force-release-dialog').then((all) => all.ForceReleaseDialog);
const loadRequest = () => import('./holder-request-dialog').then((all) => all.HolderRequestDialog);

const CapacityDialog = lazyDialog(loadCapacity);
const ExtendDialog = lazyDialog(loadExtend);
const ForceReleaseDialog = lazyDialog(loadRelease);
const FreezeDialog = lazyDialog(loadFreeze);
const HolderRequestDialog = lazyDialog(loadRequest);
const ReassignDialog = lazyDialog(loadReassign);

const LOADERS = [loadRelease, loadRequest, loadExtend, loadFreeze, loadReassign, loadCapacity];

const ActionsContext = createContext<Actions | null>(null);

/** The actions on a lock; null for viewers, and while the past is shown. */
export function useActions(): Actions | null {
  return useContext(ActionsContext);
}

/**
 * Renders the dialogs of the actions, one at a time, for the lock as it was on opening. Provides
 * the actions, and which users work on which locks, to everything inside.
 */
export function ActionsProvider({ children }: { children: ReactNode }) {
  const { may } = useSession();
  const [open, setOpen] = useState<{ act: Action; row: LockRow } | null>(null);
  const isOperator = may('operator');
  const presence = usePresence();
  const onIt = useToggleOnIt(presence);
  const actions = useMemo<Actions | null>(() => {
    const opener = (act: Action) => (row: LockRow) => {
      abandonNavigation();
      setOpen({ act, row });
    };
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
  useLoadedEarly(LOADERS, isOperator);
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
