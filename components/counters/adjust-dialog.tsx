'use client';

import { useState } from 'react';
import type { CounterRow } from '@/server/contract/console/counter-row';
import { ChangedNote, OperatorDialog } from '../actions/operator-dialog';
import { useActionAttempt, useRequestId } from '../actions/use-action-attempt';
import { exactCount } from '../format/numbers';
import { useTRPCClient } from '../live/trpc';
import { WholeNumberField } from './bounds-fields';
import { boundsLabel, deltaLabel, parseWholeNumber } from './counter-labels';
import { CounterSummary } from './counter-summary';

/** Sets a counter that still has the value that the operator saw. */
export function AdjustDialog({ row, onClose }: { row: CounterRow; onClose: () => void }) {
  const client = useTRPCClient();
  const [seen, setSeen] = useState(row);
  const requestId = useRequestId(seen.rev);
  const [text, setText] = useState('');
  const [changedTo, setChangedTo] = useState<number | null>(null);
  const value = parseWholeNumber(text);
  const seenValue = seen.value ?? 0;
  const now = row.rev > seen.rev ? row.value : (changedTo ?? seen.value);
  const isOutside =
    value !== null &&
    ((row.floor !== null && value < row.floor) || (row.ceiling !== null && value > row.ceiling));

  const attempt = useActionAttempt(async (reason) => {
    const { namespace, name } = row;
    const answer = await client.counters.adjust.mutate({
      namespace,
      name,
      rev: seen.rev,
      seenValue,
      value: value ?? seenValue,
      reason,
      requestId,
    });
    if (answer.outcome === 'adjusted') return onClose();
    setChangedTo(answer.value);
  });
  const missing = value === null || isOutside ? ['value within the limits'] : [];
  return (
    <OperatorDialog
      kind="counter"
      title="Set the counter’s value?"
      about={<CounterSummary row={seen} />}
      notice={
        now !== null &&
        now !== seenValue && (
          <ChangedNote
            onUse={() => {
              setSeen({ ...row, value: now });
              setChangedTo(null);
              attempt.forget();
            }}
          >
            Value changed from {exactCount(seenValue)} to {exactCount(now)}.
            {!attempt.isUnclear && ' Not applied.'}
          </ChangedNote>
        )
      }
      missing={missing}
      actionLabel={value === null ? 'Set value' : `Set to ${exactCount(value)}`}
      attempt={attempt}
      onClose={onClose}
    >
      <WholeNumberField
        label="New value"
        hint={
          value === null
            ? boundsLabel(row)
            : `${deltaLabel(value - seenValue)} from ${exactCount(seenValue)}`
        }
        value={text}
        problem={isOutside ? 'Outside the limits' : null}
        onChange={setText}
      />
    </OperatorDialog>
  );
}
