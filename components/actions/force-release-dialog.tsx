'use client';

import { useState } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { boundText } from '../format/durations';
import { plural } from '../format/numbers';
import { visibleText } from '../format/visible-name';
import { Icon } from '../icons/icon';
import { useAtBackend } from '../live/reading';
import { useTRPCClient } from '../live/trpc';
import { isRenewing } from '../locks/lock-facts';
import { useIsClosed } from '../shell/backend-queries';
import { Field } from '../ui/controls/field';
import { ActionDialog } from './action-dialog';
import { firstWaiter, grantBlockedBy } from './hold-snapshot';
import { useHoldAttempt } from './use-action-attempt';
import { useSeenHold } from './use-seen-hold';

/** With more waiters than this, the lock's name must be typed. */
const NAME_REQUIRED_ABOVE = 10;

/** Takes a lock away from its holder, after everything has been said about it. */
export function ForceReleaseDialog({ row, onClose }: { row: LockRow; onClose: () => void }) {
  const hold = useSeenHold(row);
  const { seen, delayMs } = hold;
  const client = useTRPCClient();
  const [typed, setTyped] = useState('');

  const renewal = seen.hold?.renewal;
  const isAlive = useAtBackend(
    row.backend,
    (now) => renewal !== undefined && isRenewing(renewal, now),
  );
  const nameReason = nameRequiredBecause(isAlive, seen.waiters);
  // Once the name has to be typed, this stays so: the dialog must not become easier to confirm
  // while it is open.
  const [requiredBecause, setAsked] = useState<string | null>(null);
  if (nameReason !== null && requiredBecause === null) setAsked(nameReason);

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
  const missing = requiredBecause !== null && typed !== row.name ? ['lock name'] : [];

  const attempt = useHoldAttempt(row, hold, onClose, async (input) => {
    const answer = await client.locks.forceRelease.mutate(input);
    if (answer.outcome === 'changed') return answer;
    return {
      kind: 'forced',
      token: input.token,
      next: answer.next,
      waitersBefore: seen.waiters,
      waitersAfter: answer.queueLength,
      delayMs: hasDelay ? delayMs : 0,
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
      missing={missing}
      actionLabel={actionLabel}
      tone="danger"
      attempt={attempt}
      onClose={onClose}
    >
      {requiredBecause !== null && (
        <Field
          label="Type the lock name to confirm"
          hint={requiredBecause}
          mono
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          autoComplete="off"
          autoCapitalize="off"
          autoCorrect="off"
          spellCheck={false}
          end={
            typed === row.name && (
              <span className="flex items-center gap-1.5 text-12 font-[550] text-acc">
                <Icon name="check" size={15} />
                matches
              </span>
            )
          }
        />
      )}
    </ActionDialog>
  );
}

function nameRequiredBecause(isRenewing: boolean, waiters: number): string | null {
  if (isRenewing) return 'the holder is still renewing';
  return waiters > NAME_REQUIRED_ABOVE ? plural(waiters, 'waiter') : null;
}
