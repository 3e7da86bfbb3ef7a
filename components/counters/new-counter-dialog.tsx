'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { exactCount } from '@/server/core/format/numbers';
import { counterPath } from '@/server/core/paths/console-path';
import { OperatorDialog } from '../actions/operator-dialog';
import { useActionAttempt, useRequestId } from '../actions/use-action-attempt';
import { useTRPCClient } from '../live/trpc';
import { NamespaceSelect } from '../namespaces/namespace-select';
import { Field } from '../ui/controls/field';
import { BoundsFields, isBetween, parseBounds, WholeNumberField } from './bounds-fields';
import { parseWholeNumber } from './counter-labels';

/**
 * Creates a counter, and opens its page.
 *
 * @param at the namespace that is chosen at first
 */
export function NewCounterDialog({ at, onClose }: { at: string; onClose: () => void }) {
  const client = useTRPCClient();
  const router = useRouter();
  const requestId = useRequestId();
  const [namespace, setNamespace] = useState(at);
  const [name, setName] = useState('');
  const [initial, setInitial] = useState('0');
  const [typed, setTyped] = useState({ floor: '0', ceiling: '' });
  const [existingValue, setExistingValue] = useState<number | null>(null);
  const bounds = parseBounds(typed);
  const value = parseWholeNumber(initial);
  const isOutside = value !== null && bounds.areValid && !isBetween(value, bounds);

  const attempt = useActionAttempt(async (reason, send) => {
    const { floor, ceiling } = bounds;
    const limits = { ...(floor !== null && { floor }), ...(ceiling !== null && { ceiling }) };
    const input = { namespace, name, initial: value ?? 0, ...limits, reason, requestId };
    const answer = await send(client.counters.create.mutate(input));
    if (answer.outcome === 'exists') return setExistingValue(answer.value);
    onClose();
    router.push(counterPath(namespace, name));
  });
  const missing = [
    ...(name === '' ? ['name'] : []),
    ...(value === null || isOutside ? ['value within the limits'] : []),
    ...(bounds.areValid ? [] : ['valid limits']),
  ];
  return (
    <OperatorDialog
      kind="counter"
      of={{ namespace, name }}
      isHarmless
      title="New counter"
      notice={
        existingValue !== null && (
          <p>
            Already exists (value <b>{exactCount(existingValue)}</b>). Not applied.
          </p>
        )
      }
      missing={missing}
      actionLabel="Create counter"
      attempt={attempt}
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_160px]">
        <Field
          label="Name"
          hint="case-sensitive, spaces are kept"
          value={name}
          mono
          maxLength={200}
          autoComplete="off"
          onChange={(event) => {
            setExistingValue(null);
            setName(event.target.value);
          }}
        />
        <NamespaceSelect
          value={namespace}
          onChange={(next) => {
            setExistingValue(null);
            setNamespace(next);
          }}
        />
      </div>
      <WholeNumberField
        label="Initial value"
        value={initial}
        problem={isOutside ? 'Outside the limits' : null}
        onChange={setInitial}
      />
      <BoundsFields typed={typed} onChange={setTyped} />
    </OperatorDialog>
  );
}
