'use client';

import { useRef, useState } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { exactCount, plural } from '../format/numbers';
import { Icon } from '../icons/icon';
import { type Problem, problemOf, retryableFailureTitle } from '../live/problem';
import { useTRPCClient } from '../live/trpc';
import { Button } from '../ui/controls/button';
import { Dialog } from '../ui/controls/dialog';
import { ProblemNote } from '../ui/problem-note';
import { StatusBadge } from '../ui/status-badge';
import { VisibleText, WholeName } from '../ui/visible-text';
import { publishResult } from './action-results';
import { isValidReason, ReasonField } from './reason-field';
import { useRequestId } from './use-action-attempt';

/** Keeps newcomers away from a lock, or lets them come again. */
export function FreezeDialog({ row, onClose }: { row: LockRow; onClose: () => void }) {
  const client = useTRPCClient();
  const requestId = useRequestId();
  const cancel = useRef<HTMLButtonElement>(null);
  const [reason, setReason] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const { frozen, namespace, name, rev } = row;
  const actionLabel = frozen ? 'Unfreeze this lock' : 'Freeze this lock';

  const change = async () => {
    setBusy(true);
    setProblem(null);
    try {
      const verb = frozen ? 'unfreeze' : 'freeze';
      await client.locks[verb].mutate({ namespace, name, rev, reason, requestId });
      const kind = frozen ? 'unfrozen' : 'frozen';
      publishResult({ kind, lockId: row.id, at: performance.now() });
      onClose();
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };

  return (
    <Dialog open onClose={onClose} title={`${actionLabel}?`} initialFocus={cancel}>
      <p className="mt-1.5 flex min-w-0 flex-wrap items-center gap-x-2.5">
        <StatusBadge status={row.status} />
        <WholeName name={name} />
        <span className="text-12 text-t3">
          {namespace} · {row.backend}
        </span>
      </p>
      {frozen && (
        <p className="mt-3 text-t2">
          Frozen by <VisibleText text={frozen.by} />: “<VisibleText text={frozen.reason} />”
        </p>
      )}
      <p className="my-4 flex gap-3 rounded-10 bg-frozen-tint px-3.5 py-2.5">
        <Icon name="snowflake" size={16} className="mt-0.5 text-frozen" />
        <span>{frozen ? unfreezeEffect(row) : freezeEffect(row)}</span>
      </p>
      <ReasonField value={reason} onChange={setReason} />
      {problem && (
        <div className="mt-4">
          <ProblemNote problem={problem} title={retryableFailureTitle(problem)} />
        </div>
      )}
      <div className="mt-5 flex flex-wrap justify-end gap-3">
        <Button ref={cancel} size="large" onClick={onClose}>
          Cancel
        </Button>
        <Button
          size="large"
          tone={frozen ? 'accent' : 'danger'}
          disabled={!isValidReason(reason) || isBusy}
          onClick={() => void change()}
        >
          {isBusy ? 'Working…' : actionLabel}
        </Button>
      </div>
    </Dialog>
  );
}

function freezeEffect({ holders, waiters }: LockRow): string {
  const holder =
    holders === 0
      ? ''
      : ` The current ${holders === 1 ? 'holder' : 'holders'} can still renew and release.`;
  const queue =
    waiters === 0
      ? ''
      : ` ${plural(waiters, 'waiter')} ${waiters === 1 ? 'keeps its position' : 'keep their positions'}.`;
  return `No new grants until unfrozen.${holder}${queue}`;
}

function unfreezeEffect({ holders, waiters }: LockRow): string {
  if (waiters === 0) return 'New grants resume.';
  if (holders > 0) return `New grants resume; ${exactCount(waiters)} waiting.`;
  return waiters === 1
    ? 'The waiter is granted immediately.'
    : `The next of ${exactCount(waiters)} waiters is granted immediately.`;
}
