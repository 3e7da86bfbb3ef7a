'use client';

import { useState } from 'react';
import type { CounterRow } from '@/server/contract/console/counter-row';
import { exactCount } from '@/server/core/format/numbers';
import { OperatorDialog } from '../actions/operator-dialog';
import { useActionAttempt, useRequestId } from '../actions/use-action-attempt';
import { useTRPCClient } from '../live/trpc';
import { Button } from '../ui/controls/button';
import { type Adjusted, isOutsideOf } from './adjust-dialog';
import { WholeNumberField } from './bounds-fields';
import { boundsLabel, deltaLabel, parseWholeNumber } from './counter-labels';
import { CounterSummary } from './counter-summary';

/**
 * Sets a counter if it still has the value that the operator saw; or, if the operator so chooses,
 * whatever its value is by then.
 */
export function SetDialog({
  row,
  onDone,
  onClose,
}: {
  row: CounterRow;
  onDone: (change: Adjusted) => void;
  onClose: () => void;
}) {
  const client = useTRPCClient();
  const [seen, setSeen] = useState(row);
  const [isAnyway, setAnyway] = useState(false);
  const [text, setText] = useState('');
  const [changedTo, setChangedTo] = useState<number | null>(null);
  const value = parseWholeNumber(text);
  const seenValue = seen.value ?? 0;
  const now = row.rev > seen.rev ? row.value : (changedTo ?? seen.value);
  const requestId = useRequestId(`${isAnyway ? 'anyway' : seen.rev}-${value}`);
  const isOutside = value !== null && isOutsideOf(row, value);

  const attempt = useActionAttempt(async (reason, send) => {
    if (value === null) return;
    const { namespace, name } = row;
    const from = { rev: seen.rev, seenValue: isAnyway ? null : seenValue };
    const change = { namespace, name, ...from, value, reason, requestId };
    const answer = await send(client.counters.adjust.mutate(change));
    if (answer.outcome !== 'adjusted') return setChangedTo(answer.value);
    onDone(answer);
    onClose();
  });
  const hasChanged = !isAnyway && now !== null && now !== seenValue;
  const base = isAnyway ? (row.value ?? 0) : seenValue;
  const suffix = isAnyway ? ' as it is now' : '';
  return (
    <OperatorDialog
      kind="counter"
      of={row}
      title="Set the counter’s value?"
      about={<CounterSummary row={isAnyway ? row : seen} />}
      notice={
        hasChanged && (
          <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <p className="min-w-0">
              Value changed from {exactCount(seenValue)} to {exactCount(now)}.
              {attempt.isRefused && ' Not applied.'}
            </p>
            <span className="flex flex-wrap gap-2">
              <Button
                onClick={() => {
                  setSeen({ ...row, value: now });
                  setChangedTo(null);
                  attempt.forget();
                }}
              >
                Use current state
              </Button>
              <Button
                onClick={() => {
                  setAnyway(true);
                  attempt.forget();
                }}
              >
                Set anyway
              </Button>
            </span>
          </div>
        )
      }
      missing={value === null || isOutside ? ['value within the limits'] : []}
      actionLabel={actionLabel(value, isAnyway)}
      attempt={attempt}
      onClose={onClose}
    >
      <WholeNumberField
        label="New value"
        hint={
          value === null
            ? boundsLabel(row)
            : `${deltaLabel(value - base)} from ${exactCount(base)}${suffix}`
        }
        value={text}
        problem={isOutside ? 'Outside the limits' : null}
        onChange={setText}
      />
      {isAnyway && (
        <p className="text-12 text-t2">
          Replaces whatever the value is by then. The result and the audit log show that value.
        </p>
      )}
    </OperatorDialog>
  );
}

function actionLabel(value: number | null, isAnyway: boolean): string {
  if (value === null) return 'Set value';
  return `Set to ${exactCount(value)}${isAnyway ? ' anyway' : ''}`;
}
