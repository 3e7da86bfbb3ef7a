'use client';

import { useState } from 'react';
import type { CounterRow } from '@/server/contract/console/counter-row';
import { isValidReason, ReasonField } from '../../actions/reason-field';
import { useActionAttempt } from '../../actions/use-action-attempt';
import { useRequestId } from '../../actions/use-request-id';
import { exactCount } from '../../format/counts';
import { useTRPCClient } from '../../live/trpc';
import { boundLabel } from '../counter-labels';
import { BoundsFields } from './bounds-fields';
import { ChangedNote } from './changed-note';
import { CounterDialog } from './counter-dialog';
import { CounterSummary } from './counter-summary';
import { isBetween, parseBounds } from './parse-bounds';

type Bounds = Pick<CounterRow, 'floor' | 'ceiling'>;

const textOf = (bound: number | null) => (bound === null ? '' : String(bound));

/**
 * Gives a counter that still has the bounds that the operator saw others, wherever its value has
 * gone within them.
 */
export function BoundsDialog({ row, onClose }: { row: CounterRow; onClose: () => void }) {
  const client = useTRPCClient();
  const [seen, setSeen] = useState<Bounds>(row);
  const requestId = useRequestId(`${seen.floor} ${seen.ceiling}`);
  const [typed, setTyped] = useState({ floor: textOf(row.floor), ceiling: textOf(row.ceiling) });
  const [reason, setReason] = useState('');
  const [refusal, setRefusal] = useState<string | null>(null);
  const bounds = parseBounds(typed);
  const isOutside = row.value !== null && bounds.areValid && !isBetween(row.value, bounds);
  const isSame = bounds.floor === seen.floor && bounds.ceiling === seen.ceiling;
  const hasChanged = row.floor !== seen.floor || row.ceiling !== seen.ceiling;

  const action = useActionAttempt(async () => {
    const { namespace, name, rev } = row;
    const { floor, ceiling } = bounds;
    const answer = await client.counters.setBounds.mutate({
      namespace,
      name,
      rev,
      seenBounds: { floor: seen.floor, ceiling: seen.ceiling },
      bounds: { floor, ceiling },
      reason,
      requestId,
    });
    if (answer.outcome === 'rebound') return onClose();
    const current = `It stands at ${exactCount(answer.value)}, floor ${boundLabel(answer.floor)}, ceiling ${boundLabel(answer.ceiling)}`;
    setRefusal(`${current} now. Nothing was done.`);
  });
  const missing = [
    ...(!bounds.areValid || isSame ? ['other bounds'] : []),
    ...(isOutside ? [`bounds around ${exactCount(row.value ?? 0)}`] : []),
    ...(isValidReason(reason) ? [] : ['a reason']),
  ];
  return (
    <CounterDialog
      title="Change this counter’s bounds?"
      about={<CounterSummary row={{ ...row, ...seen }} />}
      notice={
        (hasChanged || refusal !== null) && (
          <ChangedNote
            onUse={() => {
              setSeen(row);
              setRefusal(null);
              action.forget();
            }}
          >
            {refusal ?? 'The bounds are others now than those that you saw.'}
          </ChangedNote>
        )
      }
      missing={missing}
      word="Set the bounds"
      act={action}
      onClose={onClose}
    >
      <BoundsFields typed={typed} onChange={setTyped} />
      <p className="text-12 text-t2">
        The value stays as it is, so it must lie within them; nothing is clamped.
      </p>
      <ReasonField value={reason} onChange={setReason} hint={REASON_HINT} />
    </CounterDialog>
  );
}

const REASON_HINT = 'kept in the counter’s moves and in the audit log';
