'use client';

import { useState } from 'react';
import type { CounterRow } from '@/server/contract/console/counter-row';
import { exactCount } from '@/server/core/format/numbers';
import { OperatorDialog } from '../actions/operator-dialog';
import { useActionAttempt, useRequestId } from '../actions/use-action-attempt';
import { useTRPCClient } from '../live/trpc';
import { ChangedNote } from '../ui/problem-note';
import { WholeNumberField } from './bounds-fields';
import { boundsLabel, deltaLabel, parseWholeNumber } from './counter-labels';
import { CounterSummary } from './counter-summary';

/** A change of a counter that was made: the value before and after. */
export interface Adjusted {
  was: number;
  value: number;
}

/** Changes a counter by a step, whatever its current value: concurrent changes do no harm. */
export function AdjustDialog({
  row,
  onDone,
  onClose,
}: {
  row: CounterRow;
  onDone: (change: Adjusted) => void;
  onClose: () => void;
}) {
  const client = useTRPCClient();
  const [text, setText] = useState('');
  const [refusedAt, setRefusedAt] = useState<number | null>(null);
  const typed = parseWholeNumber(text);
  const delta = typed === 0 ? null : typed;
  const requestId = useRequestId(delta ?? 0);
  const attempt = useActionAttempt(async (reason, send) => {
    if (delta === null) return;
    const { namespace, name, rev } = row;
    const step = { namespace, name, rev, delta, reason, requestId };
    const answer = await send(client.counters.adjustBy.mutate(step));
    if (answer.outcome === 'outOfBounds') return setRefusedAt(answer.value);
    onDone(answer);
    onClose();
  });
  const value = row.value ?? 0;
  const isOutside = delta !== null && isOutsideOf(row, value + delta);
  return (
    <OperatorDialog
      kind="counter"
      of={row}
      title="Adjust the counter?"
      about={<CounterSummary row={row} />}
      notice={
        refusedAt !== null && (
          <ChangedNote
            onUse={() => {
              setRefusedAt(null);
              attempt.forget();
            }}
          >
            The value was {exactCount(refusedAt)}, so the result would be outside the limits. Not
            applied.
          </ChangedNote>
        )
      }
      missing={delta === null || isOutside ? ['step within the limits'] : []}
      actionLabel={delta === null ? 'Adjust' : `Adjust by ${deltaLabel(delta)}`}
      attempt={attempt}
      onClose={onClose}
    >
      <WholeNumberField
        label="Adjust by"
        hint={
          delta === null
            ? `+5 or −5; ${boundsLabel(row)}`
            : `${exactCount(value)} → ${exactCount(value + delta)} as it is now`
        }
        value={text}
        problem={isOutside ? 'Outside the limits' : null}
        onChange={setText}
      />
    </OperatorDialog>
  );
}

export function isOutsideOf(
  { floor, ceiling }: Pick<CounterRow, 'floor' | 'ceiling'>,
  value: number,
): boolean {
  return (floor !== null && value < floor) || (ceiling !== null && value > ceiling);
}
