import { printable } from '../../../client/command/terminal/printable';
import type { SetCapacityInput } from '../../contract/console/console-inputs';
import { LockyardError } from '../../contract/errors';
import { setCapacity } from '../../operations/locks/for-people/set-capacity';
import type { OperationContext } from '../../operations/operation-context';
import { counted } from '../counted';
import { readLock } from './read-lock';

/** The command's input. It replaces the capacity that is current when it runs. */
type CapacityCommand = Pick<SetCapacityInput, 'namespace' | 'name' | 'capacity' | 'reason'>;

/**
 * Changes how many permits of a lock can be held at a time. Returns what to print.
 *
 * @throws LockyardError `CONFLICT` if no permits are in use, a waiter wants more, or another
 *   operator changes the capacity at the same time
 */
export async function setLockCapacity(
  ctx: OperationContext,
  { namespace, name, capacity, reason }: CapacityCommand,
): Promise<string> {
  const { rev, permits } = await readLock(ctx, { namespace, name });
  const lock = printable(name);
  if (!permits) throw unused(lock);
  const seenCapacity = permits.capacity;
  const change = { namespace, name, rev, seenCapacity, capacity, reason };
  const answer = await setCapacity(ctx, change);
  switch (answer.outcome) {
    case 'capacitySet': {
      const { inUse, queueLength } = answer;
      const use = `${counted(inUse, 'permit')} held, ${queueLength} waiting`;
      return `${lock}: capacity ${seenCapacity} -> ${capacity}; ${use}.`;
    }
    case 'otherCapacity':
      if (answer.capacity === null) throw unused(lock);
      throw new LockyardError(
        'CONFLICT',
        `The capacity of ${lock} has just been changed to ${answer.capacity}; nothing was changed.`,
      );
    case 'waiterWantsMore':
      throw new LockyardError(
        'CONFLICT',
        `${printable(answer.owner)} is waiting for ${answer.permits} permits of ${lock}; ` +
          'nothing was changed.',
      );
  }
}

const unused = (lock: string) =>
  new LockyardError(
    'CONFLICT',
    `No permits of ${lock} are held or waited for: its next caller sets the capacity.`,
  );
