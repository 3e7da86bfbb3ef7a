'use client';

import type { CounterRow, GateRow } from '@/server/contract/console/counter-row';
import { exactCount } from '@/server/core/format/numbers';
import { OperatorDialog } from '../actions/operator-dialog';
import { useActionAttempt, useRequestId } from '../actions/use-action-attempt';
import { useTRPCClient } from '../live/trpc';
import { boundsDiffer, boundsLabel } from './counter-labels';
import { CounterSummary } from './counter-summary';

/** Gives the gate the durable value now, after a preview of both. */
export function ReconcileDialog({
  row,
  gate,
  onClose,
}: {
  row: CounterRow;
  gate: GateRow;
  onClose: () => void;
}) {
  const client = useTRPCClient();
  const requestId = useRequestId();
  const fast = gate.fast?.value ?? null;
  const attempt = useActionAttempt(async (reason, send) => {
    const { namespace, name, rev } = row;
    const seen = { rev, seenValue: row.value ?? 0, seenFastValue: fast };
    const input = { namespace, name, ...seen, reason, requestId };
    await send(client.counters.reconcile.mutate(input));
    onClose();
  });
  const durable = row.value === null ? 'unknown' : exactCount(row.value);
  const before = fast === null ? 'none' : exactCount(fast);
  return (
    <OperatorDialog
      kind={null}
      of={row}
      title="Reconcile the gate with MySQL?"
      about={
        <>
          <CounterSummary row={row} />
          <div aria-live="polite" className="pt-3">
            <p>
              Fast value: {before} → <b className="font-[550]">{durable}</b>
              {before === durable ? ' (no drift)' : ''}
            </p>
            {gate.fast && boundsDiffer(row, gate) && (
              <p>
                Limits at the gate: {boundsLabel(gate.fast)} →{' '}
                <b className="font-[550]">{boundsLabel(row)}</b>
              </p>
            )}
          </div>
          <p className="pt-1.5 text-t2">
            MySQL is read again and the gate gets what it has then. The counter itself is not
            changed.
          </p>
        </>
      }
      actionLabel="Reconcile"
      attempt={attempt}
      onClose={onClose}
    />
  );
}
