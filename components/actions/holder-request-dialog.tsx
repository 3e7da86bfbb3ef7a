'use client';

import { useState } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { visibleText } from '../format/visible-name';
import { useTRPCClient } from '../live/trpc';
import { renewalDueAt } from '../locks/lock-facts';
import { ActionDialog } from './action-dialog';
import { publishResult } from './action-results';
import { isValidReason, ReasonField } from './reason-field';
import { useActionAttempt, useRequestId } from './use-action-attempt';
import { useSeenHold } from './use-seen-hold';

const REQUESTS = {
  askRelease: {
    title: (owner: string) => `Ask ${owner} to release?`,
    warning:
      'The request, with your name and reason, is delivered at its next renewal. The holder may ignore it.',
    act: 'Ask to release',
  },
  stopRenewals: {
    title: (owner: string) => `Block renewals for ${owner}?`,
    warning:
      'The hold ends when its current lease does, even if the process is healthy. Only Extend can prolong it.',
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
  const requestId = useRequestId(seen.hold?.token);
  const client = useTRPCClient();
  const [reason, setReason] = useState('');
  const { title, warning, act } = REQUESTS[verb];

  const attempt = useActionAttempt(async () => {
    if (!seen.hold) return;
    const { owner, token, expiresAt, renewal } = seen.hold;
    const { namespace, name } = row;
    const input = { namespace, name, token, rev: seen.rev, reason, requestId };
    const answer = await client.locks[verb].mutate(input);
    if (answer.outcome === 'changed') return hold.refuse(answer);
    const result = { lockId: row.id, at: performance.now(), owner };
    publishResult(
      verb === 'askRelease'
        ? { ...result, kind: 'asked', dueAt: renewal ? renewalDueAt(renewal) : null }
        : { ...result, kind: 'stopped', expiresAt },
    );
    onClose();
  });

  return (
    <ActionDialog
      row={row}
      hold={hold}
      title={title(seen.hold ? visibleText(seen.hold.owner) : 'the holder')}
      warning={warning}
      missing={isValidReason(reason) ? [] : ['reason']}
      actionLabel={act}
      tone="accent"
      attempt={attempt}
      onClose={onClose}
    >
      <ReasonField value={reason} onChange={setReason} />
    </ActionDialog>
  );
}
