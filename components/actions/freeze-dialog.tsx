'use client';

import { useState } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { exactCount, plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { Icon } from '../icons/icon';
import { useTRPCClient } from '../live/trpc';
import { useLiveLock } from '../locks/lock/use-live-lock';
import { ChangedNote } from '../ui/problem-note';
import { VisibleText } from '../ui/visible-text';
import { LockLine } from './action-dialog';
import { publishResult } from './action-results';
import { OperatorDialog } from './operator-dialog';
import { useActionAttempt, useRequestId } from './use-action-attempt';

/** Stops all new grants of a lock, or lifts the freeze that the operator saw. */
export function FreezeDialog({ row, onClose }: { row: LockRow; onClose: () => void }) {
  const client = useTRPCClient();
  const current = useLiveLock(row, null).data?.row ?? row;
  const [seen, setSeen] = useState(row.frozen);
  const [refusal, setRefusal] = useState<Pick<LockRow, 'rev' | 'frozen'> | null>(null);
  const requestId = useRequestId(seen?.at);
  const actionLabel = seen ? 'Unfreeze this lock' : 'Freeze this lock';
  const attempt = useActionAttempt(async (reason, send) => {
    const { namespace, name, rev } = current;
    const input = { namespace, name, rev, reason, requestId };
    const answer = seen
      ? await send(client.locks.unfreeze.mutate({ ...input, seenAt: seen.at }))
      : await send(client.locks.freeze.mutate(input));
    if (answer.outcome === 'otherFreeze') return setRefusal(answer);
    publishResult(row.id, { kind: seen ? 'unfrozen' : 'frozen' });
    onClose();
  });
  // The server may know of another freeze before this page does.
  const { frozen: present } = refusal && current.rev < refusal.rev ? refusal : current;
  const change = attempt.isBusy ? null : freezeChange(seen, present);
  return (
    <OperatorDialog
      kind="lock"
      of={row}
      title={`${actionLabel}?`}
      about={
        <>
          <LockLine row={current} />
          {seen && (
            <p className="mt-3 text-t2">
              Frozen by <VisibleText text={seen.by} />: “<VisibleText text={seen.reason} />”
            </p>
          )}
          <p className="mt-4 flex gap-3 rounded-10 bg-frozen-tint px-3.5 py-2.5">
            <Icon name="snowflake" size={16} className="mt-0.5 text-frozen" />
            <span>{seen ? unfreezeEffect(current) : freezeEffect(current)}</span>
          </p>
        </>
      }
      notice={
        change && (
          <ChangedNote
            onUse={() => {
              setSeen(present);
              attempt.forget();
            }}
          >
            {change}
            {attempt.isRefused && ' Not applied.'}
          </ChangedNote>
        )
      }
      actionLabel={actionLabel}
      tone={seen ? 'accent' : 'danger'}
      attempt={attempt}
      onClose={onClose}
    />
  );
}

/** How the freeze that was seen has changed; null: it is the same, or there is still none. */
export function freezeChange(seen: LockRow['frozen'], now: LockRow['frozen']): string | null {
  if (seen?.at === now?.at) return null;
  if (!now) return 'It is no longer frozen.';
  const remark = `by ${visibleText(now.by)}: “${visibleText(now.reason)}”.`;
  return seen ? `It was frozen again ${remark}` : `It is frozen ${remark}`;
}

function freezeEffect({ holders, waiters }: LockRow): string {
  const holder =
    holders === 0
      ? ''
      : ` The current ${holders === 1 ? 'holder' : 'holders'} can still renew and release.`;
  const queue =
    waiters === 0
      ? ''
      : ` ${plural(waiters, 'waiter')} ` +
        `${waiters === 1 ? 'keeps its position' : 'keep their positions'}.`;
  return `No new grants until unfrozen.${holder}${queue}`;
}

function unfreezeEffect({ holders, waiters }: LockRow): string {
  if (waiters === 0) return 'New grants resume.';
  if (holders > 0) return `New grants resume; ${exactCount(waiters)} waiting.`;
  return waiters === 1
    ? 'The waiter is granted immediately.'
    : `The next of ${exactCount(waiters)} waiters is granted immediately.`;
}
