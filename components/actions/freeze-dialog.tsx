'use client';

import type { LockRow } from '@/server/contract/console/lock-row';
import { exactCount, plural } from '@/server/core/format/numbers';
import { Icon } from '../icons/icon';
import { useTRPCClient } from '../live/trpc';
import { VisibleText } from '../ui/visible-text';
import { LockLine } from './action-dialog';
import { publishResult } from './action-results';
import { OperatorDialog } from './operator-dialog';
import { useActionAttempt, useRequestId } from './use-action-attempt';

/** Stops all new grants of a lock, or allows them again. */
export function FreezeDialog({ row, onClose }: { row: LockRow; onClose: () => void }) {
  const client = useTRPCClient();
  const requestId = useRequestId();
  const { frozen, namespace, name, rev } = row;
  const verb = frozen ? 'unfreeze' : 'freeze';
  const actionLabel = frozen ? 'Unfreeze this lock' : 'Freeze this lock';
  const attempt = useActionAttempt(async (reason) => {
    await client.locks[verb].mutate({ namespace, name, rev, reason, requestId });
    publishResult(row.id, { kind: frozen ? 'unfrozen' : 'frozen' });
    onClose();
  });
  return (
    <OperatorDialog
      kind="lock"
      title={`${actionLabel}?`}
      about={
        <>
          <LockLine row={row} />
          {frozen && (
            <p className="mt-3 text-t2">
              Frozen by <VisibleText text={frozen.by} />: “<VisibleText text={frozen.reason} />”
            </p>
          )}
          <p className="mt-4 flex gap-3 rounded-10 bg-frozen-tint px-3.5 py-2.5">
            <Icon name="snowflake" size={16} className="mt-0.5 text-frozen" />
            <span>{frozen ? unfreezeEffect(row) : freezeEffect(row)}</span>
          </p>
        </>
      }
      actionLabel={actionLabel}
      tone={frozen ? 'accent' : 'danger'}
      attempt={attempt}
      onClose={onClose}
    />
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
