'use client';

import { useState } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { visibleText } from '../format/visible-name';
import { type Problem, problemOf } from '../live/problem';
import { useTRPCClient } from '../live/trpc';
import { ActionDialog } from './action-dialog';
import { publishResult } from './action-results';
import { isValidReason, ReasonField } from './reason-field';
import { useRequestId } from './use-request-id';
import { useSeenHold } from './use-seen-hold';

const REQUESTS = {
  askRelease: {
    title: (owner: string) => `Ask ${owner} to let go?`,
    warning:
      'It is told at its next renewal, with your name and reason, and decides itself. Nothing else changes.',
    act: 'Ask to let go',
    told: 'asked',
  },
  stopRenewals: {
    title: (owner: string) => `Stop the renewals of ${owner}?`,
    warning:
      'Its hold ends with the lease it has, however healthy it is. It is told at its next renewal; only an extension gives it more time.',
    act: 'Stop its renewals',
    told: 'stopped',
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
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const { title, warning, act, told } = REQUESTS[verb];

  const send = async () => {
    if (!seen.hold) return;
    setBusy(true);
    setProblem(null);
    try {
      const { owner, token } = seen.hold;
      const { namespace, name } = row;
      const input = { namespace, name, token, rev: seen.rev, reason, requestId };
      const answer = await client.locks[verb].mutate(input);
      if (answer.outcome === 'changed') return hold.refuse(answer);
      publishResult({ kind: told, lockId: row.id, at: performance.now(), owner });
      onClose();
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };

  return (
    <ActionDialog
      row={row}
      hold={hold}
      title={title(seen.hold ? visibleText(seen.hold.owner) : 'the holder')}
      warning={warning}
      missing={isValidReason(reason) ? [] : ['a reason']}
      actionLabel={act}
      tone="accent"
      isBusy={isBusy}
      problem={problem}
      onConfirm={() => void send()}
      onClose={onClose}
    >
      <ReasonField value={reason} onChange={setReason} />
    </ActionDialog>
  );
}
