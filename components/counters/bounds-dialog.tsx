'use client';

import { useState } from 'react';
import type { CounterRow } from '@/server/contract/console/counter-row';
import { exactCount } from '@/server/core/format/numbers';
import { OperatorDialog } from '../actions/operator-dialog';
import { useActionAttempt, useRequestId } from '../actions/use-action-attempt';
import { useTRPCClient } from '../live/trpc';
import { ChangedNote } from '../ui/problem-note';
import { BoundsFields, isBetween, parseBounds } from './bounds-fields';
import { boundsLabel } from './counter-labels';
import { CounterSummary } from './counter-summary';

type Bounds = Pick<CounterRow, 'floor' | 'ceiling'>;

const textOf = (bound: number | null) => (bound === null ? '' : String(bound));

/** Changes the bounds of a counter whose bounds are still those that the operator saw. */
export function BoundsDialog({ row, onClose }: { row: CounterRow; onClose: () => void }) {
  const client = useTRPCClient();
  const [seen, setSeen] = useState<Bounds>(row);
  const requestId = useRequestId(`${seen.floor} ${seen.ceiling}`);
  const [typed, setTyped] = useState({ floor: textOf(row.floor), ceiling: textOf(row.ceiling) });
  const [refusal, setRefusal] = useState<string | null>(null);
  const bounds = parseBounds(typed);
  const isOutside = row.value !== null && bounds.areValid && !isBetween(row.value, bounds);
  const isSame = bounds.floor === seen.floor && bounds.ceiling === seen.ceiling;
  const hasChanged = row.floor !== seen.floor || row.ceiling !== seen.ceiling;

  const attempt = useActionAttempt(async (reason, send) => {
    const { namespace, name, rev } = row;
    const { floor, ceiling } = bounds;
    const seenBounds = { floor: seen.floor, ceiling: seen.ceiling };
    const change = { seenBounds, bounds: { floor, ceiling }, reason, requestId };
    const request = client.counters.setBounds.mutate({ namespace, name, rev, ...change });
    const answer = await send(request);
    if (answer.outcome === 'rebound') return onClose();
    const current = `Value is ${exactCount(answer.value)}, ${boundsLabel(answer)}`;
    setRefusal(`${current} now. Not applied.`);
  });
  const missing = [
    ...(!bounds.areValid || isSame ? ['new limits'] : []),
    ...(isOutside ? [`limits that include ${exactCount(row.value ?? 0)}`] : []),
  ];
  return (
    <OperatorDialog
      kind="counter"
      of={row}
      title="Edit the counter’s limits?"
      about={<CounterSummary row={{ ...row, ...seen }} />}
      notice={
        (hasChanged || refusal !== null) && (
          <ChangedNote
            onUse={() => {
              setSeen(row);
              setRefusal(null);
              attempt.forget();
            }}
          >
            {refusal ?? 'The limits have changed since you opened this.'}
          </ChangedNote>
        )
      }
      missing={missing}
      actionLabel="Set limits"
      attempt={attempt}
      onClose={onClose}
    >
      <BoundsFields typed={typed} onChange={setTyped} />
      <p className="text-12 text-t2">
        The value is not changed and must lie within the new limits.
      </p>
    </OperatorDialog>
  );
}
