import type { ReconcileCounterInput } from '../../../contract/console/counter-inputs';
import type { ReconcileAnswer } from '../../../contract/console/counter-row';
import { LockyardError } from '../../../contract/errors';
import { runAuditedAct } from '../../audit/run-audited-act';
import { engineOf } from '../../locks/resolve-lock';
import type { OperationContext } from '../../operation-context';

/**
 * Gives the gate in front of a counter the value that MySQL has now. The counter itself is not
 * changed, so this is safe to repeat.
 *
 * @throws LockyardError `CONFLICT` where the namespace has no gate, `BACKEND_DOWN` if the gate or
 *   MySQL is not responding, `NOT_FOUND` for an unknown namespace or counter
 */
export function reconcileCounter(
  ctx: OperationContext,
  { namespace, name, rev, seenValue, seenFastValue, reason, requestId }: ReconcileCounterInput,
): Promise<ReconcileAnswer> {
  const seen = { rev, value: seenValue, fastValue: seenFastValue };
  const on = { namespace, subject: name, reason, seen, requestId };
  return runAuditedAct(ctx, { act: 'counter.reconcile', ...on }, async () => {
    const { backend } = await engineOf(ctx, namespace);
    const gate = ctx.runtime.gates.of(backend, namespace);
    if (!gate) {
      const text = `Namespace "${namespace}" has no gate on this server: nothing to reconcile.`;
      throw new LockyardError('CONFLICT', text);
    }
    const { fast, durable } = await gate.reconcile({ namespace, name });
    const fastValue = fast?.value ?? null;
    return { outcome: 'reconciled', fastValue, value: durable.value, rev: durable.rev };
  });
}
