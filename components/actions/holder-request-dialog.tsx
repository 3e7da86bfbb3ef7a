'use client';

import type { LockRow } from '@/server/contract/console/lock-row';
import { visibleText } from '@/server/core/format/visible-text';
import { useTRPCClient } from '../live/trpc';
import { renewalDueAt } from '../locks/lock-facts';
import { ActionDialog } from './action-dialog';
import { useHoldAttempt } from './use-action-attempt';
import { useSeenHold } from './use-seen-hold';

const REQUESTS = {
  askRelease: {
    title: (owner: string) => `Ask ${owner} to release?`,
    warning:
      'The request, with your name and reason, is delivered at its next renewal. The holder ' +
      'may ignore it.',
    act: 'Ask to release',
  },
  stopRenewals: {
    title: (owner: string) => `Block renewals for ${owner}?`,
    warning:
      'The hold ends when its current lease does, even if the process is healthy. Only ' +
      'Extend can prolong it.',
    act: 'Block renewals',
  },
} as const;

/** Sends a holder a request to release the lock, or stops its renewals. */
export function HolderRequestDialog({
  verb,
  row,
  onClose,
}: {
  verb: keyof typeof REQUESTS;
  row: LockRow;
  onClose: () => void;
}) {
  const hold = useSeenHold(row);
  const { seen } = hold;
  const client = useTRPCClient();
  const { title, warning, act } = REQUESTS[verb];

  const attempt = useHoldAttempt(row, hold, onClose, async (input, { owner, ...held }) => {
    const answer = await client.locks[verb].mutate(input);
    if (answer.outcome === 'changed') return answer;
    const { token } = input;
    if (verb === 'stopRenewals') {
      return { kind: 'stopped', token, owner, expiresAt: held.expiresAt };
    }
    return { kind: 'asked', token, owner, dueAt: held.renewal ? renewalDueAt(held.renewal) : null };
  });

  return (
    <ActionDialog
      row={row}
      hold={hold}
      title={title(seen.hold ? visibleText(seen.hold.owner) : 'the holder')}
      warning={warning}
      actionLabel={act}
      tone="accent"
      attempt={attempt}
      onClose={onClose}
    />
  );
}
