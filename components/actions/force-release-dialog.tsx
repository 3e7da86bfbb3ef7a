'use client';

import type { LockRow } from '@/server/contract/console/lock-row';
import { boundText } from '@/server/core/format/durations';
import { visibleText } from '@/server/core/format/visible-text';
import { useTRPCClient } from '../live/trpc';
import { useIsClosed } from '../shell/backend-queries';
import { ActionDialog } from './action-dialog';
import { TypedNameField, useTypedName } from './fields/typed-name';
import { firstWaiter, grantBlockedBy } from './hold-snapshot';
import { useHoldAttempt } from './use-action-attempt';
import { useSeenHold } from './use-seen-hold';

/** Takes a lock away from its holder, after showing what that does. */
export function ForceReleaseDialog({ row, onClose }: { row: LockRow; onClose: () => void }) {
  const hold = useSeenHold(row);
  const { seen, delayMs } = hold;
  const client = useTRPCClient();
  const typedName = useTypedName(row, seen);

  const next = firstWaiter(seen);
  const blockedBy = grantBlockedBy(seen, useIsClosed(row.backend));
  const first = next ? visibleText(next.owner) : seen.waiters > 0 ? 'next waiter' : null;
  const nextName = blockedBy ? null : first;
  const alone = blockedBy ? 'Force release this hold' : 'Force release (no waiters)';
  const isKept = seen.hold?.releasedAt !== undefined;
  const isDead = seen.hold?.liveness?.state === 'dead';
  const hasDelay = delayMs > 0 && !blockedBy && !isKept;
  const delay = hasDelay ? boundText(delayMs) : null;
  const later = delay ? ` after ${delay}` : '';
  const verb = next?.setSize ? 'offer' : 'grant';
  const actionLabel = nextName ? `Force release and ${verb} to ${nextName}${later}` : alone;

  const attempt = useHoldAttempt(row, hold, onClose, async (input) => {
    const answer = await client.locks.forceRelease.mutate(input);
    if (answer.outcome === 'changed') return answer;
    const { next: to, queueLength: waitersAfter } = answer;
    const isUnclaimed = to.kind === 'nobody' && waitersAfter === 0 && seen.others === 0;
    return {
      kind: 'forced',
      token: input.token,
      next: to,
      waitersAfter,
      delayMs: hasDelay ? delayMs : 0,
      isFree: isUnclaimed && !blockedBy && !hasDelay,
    };
  });

  return (
    <ActionDialog
      row={row}
      hold={hold}
      title={
        nextName
          ? `Force release this lock and ${verb} it to ${nextName}${later}?`
          : 'Force release this lock?'
      }
      actsOnReleased
      warning={
        isKept ? (
          'Its holder has released it. It stays held so that others do not repeat the same work.'
        ) : (
          <>
            {isDead
              ? 'Nothing is interrupted, since its process is dead. Writes that it sent before are '
              : 'The holder is not stopped. It finds out at its next renewal. Its writes are '}
            rejected only by resources that check the fencing token.
            {delay && ` No grants for ${delay} afterwards (namespace lock delay).`}
          </>
        )
      }
      missing={typedName.missing}
      actionLabel={actionLabel}
      tone="danger"
      attempt={attempt}
      onClose={onClose}
    >
      <TypedNameField of={typedName} />
    </ActionDialog>
  );
}
