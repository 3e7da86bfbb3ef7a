import type { SetCapacityInput } from '../../../contract/console/console-inputs';
import type { SetCapacityAnswer } from '../../../contract/console/operator-answers';
import { runAuditedRecordAct } from '../../audit/run-audited-record-act';
import type { OperationContext } from '../../operation-context';

/**
 * Changes how many permits of a lock may be held at the same time, if the operator saw the capacity
 * that is in force. Nothing is revoked: if more permits are held, grants wait until enough are
 * released. Refused below what a waiter wants.
 */
export function setCapacity(
  ctx: OperationContext,
  { rev, seenCapacity, capacity, ...on }: SetCapacityInput,
): Promise<SetCapacityAnswer> {
  const seen = { rev, capacity: seenCapacity, newCapacity: capacity };
  return runAuditedRecordAct(
    ctx,
    { act: 'lock.setCapacity', ...on, seen },
    ({ engine, key, by, once }) =>
      engine.run(key, {
        verb: 'setCapacity',
        seen: seenCapacity,
        capacity,
        by,
        reason: on.reason,
        ...once,
      }),
  );
}
