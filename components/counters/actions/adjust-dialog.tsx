'use client';

import { useState } from 'react';
import type { CounterRow } from '@/server/contract/console/counter-row';
import { isReason, ReasonField } from '../../actions/reason-field';
import { useAct } from '../../actions/use-action-attempt';
import { useRequestId } from '../../actions/use-request-id';
import { exactCount } from '../../format/counts';
import { useTRPCClient } from '../../live/trpc';
import { boundText, deltaText, wholeNumber } from '../counter-labels';
import { MovedNote } from './changed-note';
import { CounterActFrame } from './counter-dialog';
import { CounterFacts } from './counter-summary';
import { WholeField } from './whole-number-field';

/** Sets a counter that still has the value that the operator saw. */
export function AdjustDialog({ row, onClose }: { row: CounterRow; onClose: () => void }) {
  const client = useTRPCClient();
  const [seen, setSeen] = useState(row);
  const requestId = useRequestId(seen.rev);
  const [text, setText] = useState('');
  const [reason, setReason] = useState('');
  const [movedTo, setMovedTo] = useState<number | null>(null);
  const value = wholeNumber(text);
  const seenValue = seen.value ?? 0;
  const now = row.rev > seen.rev ? row.value : (movedTo ?? seen.value);
  const isOutside =
    value !== null &&
    ((row.floor !== null && value < row.floor) || (row.ceiling !== null && value > row.ceiling));

  const act = useAct(async () => {
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
    setMovedTo(answer.value);
  });
  const missing = [
    ...(value === null || isOutside ? ['a value within the bounds'] : []),
    ...(isReason(reason) ? [] : ['a reason']),
  ];
  return (
    <CounterActFrame
      title="Set this counter’s value?"
      about={<CounterFacts row={seen} />}
      notice={
        now !== null &&
        now !== seenValue && (
          <MovedNote
            onUse={() => {
              setSeen({ ...row, value: now });
              setMovedTo(null);
              act.forget();
            }}
          >
            You saw {exactCount(seenValue)}; it stands at {exactCount(now)} now.
            {!act.isUnclear && ' Nothing was done.'}
          </MovedNote>
        )
      }
      missing={missing}
      word={value === null ? 'Set the value' : `Set it to ${exactCount(value)}`}
      act={act}
      onClose={onClose}
    >
      <WholeField
        label="New value"
        hint={
          value === null
            ? `floor ${boundText(row.floor)}, ceiling ${boundText(row.ceiling)}`
            : `${deltaText(value - seenValue)} from what you saw`
        }
        value={text}
        problem={isOutside ? 'is not within the bounds' : null}
        onChange={setText}
      />
      <ReasonField value={reason} onChange={setReason} hint={KEPT} />
    </CounterActFrame>
  );
}

const KEPT = 'kept in the counter’s moves and in the audit log';
