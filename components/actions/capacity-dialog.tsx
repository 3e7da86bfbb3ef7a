'use client';

import { useState } from 'react';
import type { LockDetail, LockRow } from '@/server/contract/console/lock-row';
import { exactCount, plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { waitersThatFit } from '@/server/core/lock/permits';
import { parseWholeNumber } from '../counters/counter-labels';
import { Icon } from '../icons/icon';
import { useTRPCClient } from '../live/trpc';
import { useLiveLock } from '../locks/lock/use-live-lock';
import { Field } from '../ui/controls/field';
import { ChangedNote } from '../ui/problem-note';
import { LockLine } from './action-dialog';
import { publishResult } from './action-results';
import { OperatorDialog } from './operator-dialog';
import { useActionAttempt, useRequestId } from './use-action-attempt';

/** The same as in the contract, which browsers do not load. */
const CAPACITY_MAX = 10_000;

/** Changes how many permits of a lock may be held at the same time. */
export function CapacityDialog({ row, onClose }: { row: LockRow; onClose: () => void }) {
  const client = useTRPCClient();
  const detail = useLiveLock(row, null).data;
  const permits = (detail?.row ?? row).permits;
  const [seen, setSeen] = useState(row.permits?.capacity ?? 0);
  const requestId = useRequestId(seen);
  const [typed, setTyped] = useState(String(seen));
  const [refusal, setRefusal] = useState<string | null>(null);
  const capacity = parseWholeNumber(typed) ?? 0;
  const isValid = capacity >= 1 && capacity <= CAPACITY_MAX;
  const tooLarge = isValid ? waiterAbove(detail, capacity) : null;
  const hasChanged = permits?.capacity !== seen;
  const attempt = useActionAttempt(async (reason, send) => {
    const { namespace, name, rev } = detail?.row ?? row;
    const change = { seenCapacity: seen, capacity, rev, reason, requestId };
    const answer = await send(client.locks.setCapacity.mutate({ namespace, name, ...change }));
    if (answer.outcome === 'otherCapacity') return setRefusal(changedText(answer.capacity));
    if (answer.outcome === 'waiterWantsMore') return setRefusal(refusedText(answer));
    publishResult(row.id, { kind: 'capacitySet', capacity, inUse: answer.inUse });
    onClose();
  });
  const isSame = capacity === seen;
  const missing = [
    ...(!isValid || isSame ? ['new capacity'] : []),
    ...(tooLarge ? [`at least ${exactCount(tooLarge.permits ?? 0)}`] : []),
  ];
  return (
    <OperatorDialog
      kind="lock"
      of={row}
      title="Change the capacity?"
      about={
        <>
          <LockLine row={row} />
          {permits && (
            <p className="mt-3 text-t2">
              {exactCount(permits.inUse)} of {plural(permits.capacity, 'permit')} in use,{' '}
              {row.waiters === 0 ? 'no waiters' : `${exactCount(row.waiters)} waiting`}.
            </p>
          )}
        </>
      }
      notice={
        (hasChanged || refusal !== null) && (
          <ChangedNote
            onUse={() => {
              setSeen(permits?.capacity ?? 0);
              setRefusal(null);
              attempt.forget();
            }}
          >
            {refusal ?? changedText(permits?.capacity ?? null)}
            {attempt.isRefused && ' Not applied.'}
          </ChangedNote>
        )
      }
      missing={missing}
      actionLabel={isValid ? `Set capacity to ${exactCount(capacity)}` : 'Set capacity'}
      attempt={attempt}
      onClose={onClose}
    >
      <Field
        label="New capacity"
        hint="1 to 10,000"
        value={typed}
        inputMode="numeric"
        autoComplete="off"
        maxLength={16}
        mono
        problem={tooLarge ? refusedText(tooLarge) : isValid ? null : 'Must be 1 to 10,000'}
        onChange={(event) => setTyped(event.target.value)}
      />
      {isValid && !isSame && !tooLarge && detail && (
        <p className="flex gap-3 rounded-10 bg-contended-tint px-3.5 py-2.5">
          <Icon name="arrow-right" size={16} className="mt-0.5 text-contended" />
          <span>{effectOf(detail, capacity)}</span>
        </p>
      )}
      <p className="text-12 text-t2">
        Applies until no permits are held or waited for; then the next caller sets the capacity.
        Until then callers may pass {namedText(permits?.named ?? seen, capacity)} as the capacity.
      </p>
    </OperatorDialog>
  );
}

const changedText = (capacity: number | null): string =>
  capacity === null
    ? 'No permits are held or waited for any more, so there is no capacity.'
    : `The capacity is now ${exactCount(capacity)}.`;

const refusedText = ({ owner, permits }: { owner: string; permits?: number }) =>
  `${visibleText(owner)} waits for ${plural(permits ?? 0, 'permit')}.`;

const namedText = (named: number, capacity: number) =>
  named === capacity || capacity < 1
    ? exactCount(named)
    : `${exactCount(named)} or ${exactCount(capacity)}`;

const waiterAbove = (detail: LockDetail | null, capacity: number) =>
  detail?.waiters.find(({ permits = 0 }) => permits > capacity) ?? null;

/** The immediate effect of the change. */
function effectOf({ row, holds, waiters }: LockDetail, capacity: number): string {
  const inUse = row.permits?.inUse ?? 0;
  if (inUse > capacity) {
    const excess = plural(inUse - capacity, 'permit');
    return `Nothing is revoked. No grants until at least ${excess} are released.`;
  }
  if (row.frozen) return 'No grants: frozen.';
  const isBeside = holds.every(({ mode }) => mode === 'permit');
  const served = isBeside ? waitersThatFit(waiters, capacity - inUse) : [];
  if (served.length === 0) return 'No waiter gets permits from this change.';
  const [first] = served;
  const others = served.length > 1 ? ` and ${plural(served.length - 1, 'other')}` : '';
  return `Permits are granted to ${visibleText(first?.owner ?? '')}${others} immediately.`;
}
