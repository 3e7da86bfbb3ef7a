'use client';

import { useState } from 'react';
import type { CounterRow } from '@/server/contract/console/counter-row';
import { exactCount } from '@/server/core/format/numbers';
import { OperatorDialog } from '../../actions/operator-dialog';
import { useActionAttempt, useRequestId } from '../../actions/use-action-attempt';
import { useTRPCClient } from '../../live/trpc';
import { type Adjusted, isOutsideOf } from '../adjust-dialog';
import { WholeNumberField } from '../bounds-fields';
import { boundsLabel, deltaLabel, parseWholeNumber } from '../counter-labels';
import { CounterSummary } from '../counter-summary';
import { ChangedValue } from './changed-value';
import { useSeenValue } from './use-seen-value';

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
  const seen = useSeenValue(row);
  const [text, setText] = useState('');
  const value = parseWholeNumber(text);
  const { isAnyway, changedTo } = seen;
  const requestId = useRequestId(`${isAnyway ? 'anyway' : seen.rev}-${value}`);
  const isOutside = value !== null && isOutsideOf(row, value);

  const attempt = useActionAttempt(async (reason, send) => {
    if (value === null) return;
    const { namespace, name } = row;
    const from = { rev: seen.rev, seenValue: isAnyway ? null : seen.value };
    const change = { namespace, name, ...from, value, reason, requestId };
    const answer = await send(client.counters.adjust.mutate(change));
    if (answer.outcome !== 'adjusted') return seen.refuse(answer.value);
    onDone(answer);
    onClose();
  });
  const after = (choose: () => void) => () => {
    choose();
    attempt.forget();
  };
  const suffix = isAnyway ? ' as it is now' : '';
  return (
    <OperatorDialog
      kind="counter"
      of={row}
      title="Set the counter’s value?"
      about={<CounterSummary row={seen.row} />}
      notice={
        changedTo !== null && (
          <ChangedValue
            from={seen.value}
            to={changedTo}
            isRefused={attempt.isRefused}
            onUse={after(seen.acceptCurrent)}
            onAnyway={after(seen.ignoreChanges)}
          />
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
            : `${deltaLabel(value - seen.value)} from ${exactCount(seen.value)}${suffix}`
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
