'use client';

import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { useSession } from '../live/session';
import { ExtendDialog } from './extend-dialog';
import { ForceReleaseDialog } from './force-release-dialog';
import { FreezeDialog } from './freeze-dialog';
import { NoticeDialog } from './holder-request-dialog';

interface Acts {
  release: (row: LockRow) => void;
  extend: (row: LockRow) => void;
  ask: (row: LockRow) => void;
  stop: (row: LockRow) => void;
  /** Freezes the lock, or unfreezes it. */
  freeze: (row: LockRow) => void;
}

type Act = keyof Acts;

const ActsContext = createContext<Acts | null>(null);

/** The actions on a lock; null for viewers. */
export function useActs(): Acts | null {
  return useContext(ActsContext);
}

/**
 * Renders the dialogs of the actions: one at a time, for the lock as it was when the dialog was
 * opened.
 */
export function ActStage({ children }: { children: ReactNode }) {
  const { may } = useSession();
  const [open, setOpen] = useState<{ act: Act; row: LockRow } | null>(null);
  const isOperator = may('operator');
  const acts = useMemo<Acts | null>(() => {
    const opening = (act: Act) => (row: LockRow) => setOpen({ act, row });
    if (!isOperator) return null;
    return {
      release: opening('release'),
      extend: opening('extend'),
      ask: opening('ask'),
      stop: opening('stop'),
      freeze: opening('freeze'),
    };
  }, [isOperator]);
  const close = () => setOpen(null);
  return (
    <ActsContext.Provider value={acts}>
      {children}
      {open?.act === 'release' && <ForceReleaseDialog row={open.row} onClose={close} />}
      {open?.act === 'ask' && <NoticeDialog verb="askRelease" row={open.row} onClose={close} />}
      {open?.act === 'stop' && <NoticeDialog verb="stopRenewals" row={open.row} onClose={close} />}
      {open?.act === 'freeze' && <FreezeDialog row={open.row} onClose={close} />}
      {open?.act === 'extend' && <ExtendDialog row={open.row} onClose={close} />}
    </ActsContext.Provider>
  );
}
