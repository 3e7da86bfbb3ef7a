'use client';

import type { ReactNode } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { Icon } from '../../icons/icon';
import { useAtBackend, useAtEachBackend } from '../../live/reading';
import { useSession } from '../../live/session';
import { actedLabel, actedSentence } from './acted-label';
import { useOnIt } from './presence';

/** States whose reason matters less than what operators have done about the lock. */
const CALM: ReadonlySet<LockRow['status']> = new Set(['contended', 'held', 'delayed', 'free']);

/**
 * In a row of the list: what operators have done about the lock, for everyone to see; beside the
 * reason for its state, or in its place where that is less important.
 */
export function ActedNote({ row, children }: { row: LockRow; children: ReactNode }) {
  const onIt = useOnIt(row);
  const { account } = useSession();
  const words = useAtBackend(row, (now) => actedLabel(row, onIt, account.name, now));
  const all = useAtEachBackend((nowOf) =>
    actedSentence(row, onIt, account.name, nowOf(row), nowOf(null)),
  );
  if (!words) return children;
  const isCalm = CALM.has(row.status);
  return (
    <>
      <span className="row-acted" data-brief={!isCalm} title={all}>
        <Icon name="hand" size={14} className="shrink-0" />
        <span className="truncate">{words}</span>
      </span>
      <span className="row-unacted" data-instead={isCalm}>
        {children}
      </span>
    </>
  );
}
