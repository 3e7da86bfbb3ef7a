import { printable } from '../../../client/command/terminal/printable';
import type { ReassignInput } from '../../contract/console/console-inputs';
import type { ReassignObstacle } from '../../contract/console/operator-answers';
import { LockyardError } from '../../contract/errors';
import { capital } from '../../core/format/numbers';
import { reassignLock } from '../../operations/locks/for-people/reassign-lock';
import type { OperationContext } from '../../operations/operation-context';
import { counted } from '../counted';
import { readLock } from './read-lock';

/** The command's input. It ends the hold that exists when it runs. */
type ReassignCommand = Pick<ReassignInput, 'namespace' | 'name' | 'reason'> & {
  /** The owner of the waiter that gets the lock; the first of that name in the queue. */
  to: string;
};

const OBSTACLES: Record<ReassignObstacle, string> = {
  waiterGone: 'the waiter has just left the queue',
  multiLock: 'the waiter needs several locks, and gets this one only with the others',
  noRoom: 'other holders remain, beside whom the waiter does not fit',
  frozen: 'the lock is frozen',
  delayed: 'the lock delay of the namespace allows no grant right after a forced release',
};

/**
 * Ends the hold of a lock and grants it to a waiter, ahead of the queue. Returns what to print.
 *
 * @throws LockyardError `NOT_FOUND` if no such owner is waiting; `CONFLICT` if the lock does not
 *   have exactly one holder, has just changed hands, or cannot be granted
 */
export async function reassignNamedLock(
  ctx: OperationContext,
  { namespace, name, to, reason }: ReassignCommand,
): Promise<string> {
  const seen = await readLock(ctx, { namespace, name });
  const { rev, holders, waiters } = seen;
  const lock = printable(name);
  const [holder, other] = holders;
  if (!holder || other) {
    const count = counted(holders.length, 'holder');
    throw conflict(`the lock has ${count}: only a lock with one can be reassigned`);
  }
  const waiter = waiters.find(({ owner }) => owner === to);
  if (!waiter) throw new LockyardError('NOT_FOUND', `${printable(to)} does not wait for ${lock}.`);
  const { token } = holder;
  const input = { namespace, name, token, rev, ticket: waiter.ticket, reason };
  const answer = await reassignLock(ctx, input);
  switch (answer.outcome) {
    case 'reassigned': {
      const { next, queueLength } = answer;
      const grant = next.kind === 'granted' ? 'granted to' : 'offered to';
      const given = `released from ${printable(holder.owner)}, ${grant} ${printable(next.owner)}`;
      return `${lock}: ${given}; ${queueLength} waiting.`;
    }
    case 'notReassigned':
      throw conflict(OBSTACLES[answer.obstacle]);
    case 'changed':
      throw conflict('the lock has just changed hands');
  }
}

const conflict = (why: string) =>
  new LockyardError('CONFLICT', `${capital(why)}; nothing was changed.`);
