'use client';

import type { LockRow } from '@/server/contract/console/lock-row';
import { resultLabel, useWatchedResult } from '../../actions/action-results';
import { Icon } from '../../icons/icon';
import { useAtBackend, useIsStale, useStoreRefusal } from '../../live/reading';
import { reasonLabel, waitersLabel } from '../lock-labels';
import { ActedNote } from '../presence/acted-note';
import { DeadlockMark, useIsDeadlocked } from '../presence/deadlock-mark';

const REASON_INKS: Partial<Record<LockRow['status'], string>> = {
  free: 'text-t3',
  stuck: 'text-t1',
  orphaned: 'text-t1',
};

/** Why a row is where it is, and what operators do about it; on old data the last known reason. */
export function RowReason({ row }: { row: LockRow }) {
  const result = useWatchedResult(row);
  const isDeadlocked = useIsDeadlocked(row);
  const isStale = useIsStale();
  const label = useAtBackend(row, (now, silentMs, _, refusal) =>
    reasonLabel(row, now, { silentMs, refusal }, isDeadlocked),
  );
  const refusal = useStoreRefusal(row);
  const isRejected = refusal !== null && row.status === 'unknown' && row.unreadable === undefined;
  const words = isStale && label ? `last known: ${label}` : label;
  if (result) {
    return (
      <span
        className="flex min-w-0 items-center gap-1 text-12 text-acc"
        title={resultLabel(result)}
      >
        <Icon name="check" size={14} />
        <span className="truncate">{resultLabel(result)}</span>
      </span>
    );
  }
  const waiting = waitersLabel(row, label);
  return (
    <>
      {isDeadlocked && <DeadlockMark />}
      <ActedNote row={row}>
        <span
          className={`row-reason ${REASON_INKS[row.status] ?? 'text-t2'}`}
          title={isRejected ? `${words}: ${refusal}` : words || undefined}
        >
          <span className="md:hidden">
            {waiting}
            {waiting && words && ' · '}
          </span>
          {words}
        </span>
      </ActedNote>
    </>
  );
}
