import { printable } from '../../../client/command/terminal/printable';
import { LockyardError } from '../../contract/errors';
import { setFrozen } from '../../operations/locks/for-people/set-frozen';
import type { OperationContext } from '../../operations/operation-context';
import type { CliCommand } from '../cli-command';
import { readLock } from './read-lock';

type FreezeCommand = Extract<CliCommand, { verb: 'locks freeze' | 'locks unfreeze' }>;

/**
 * Stops all grants of a lock, or ends the freeze that is in force when the command runs. Returns
 * what to print.
 *
 * @throws LockyardError `CONFLICT` if it is frozen already, is not frozen, or was frozen again
 */
export async function freezeNamedLock(
  ctx: OperationContext,
  { verb, input: { namespace, name, reason } }: FreezeCommand,
): Promise<string> {
  const seen = await readLock(ctx, { namespace, name });
  const { rev, frozen, holders, waiters } = seen;
  const lock = printable(name);
  // Without an instant seen, a freeze that has begun since would be lifted.
  if (verb === 'locks unfreeze' && !frozen) throw conflict(`${lock} is not frozen`);
  const by = frozen && `by ${printable(frozen.by)}: ${printable(frozen.reason)}`;
  const seenAt = frozen && verb === 'locks unfreeze' ? { seenAt: frozen.at } : {};
  const step = verb === 'locks freeze' ? 'freeze' : 'unfreeze';
  const answer = await setFrozen(ctx, step, { namespace, name, rev, reason, ...seenAt });
  switch (answer.outcome) {
    case 'frozen':
      return `${lock}: frozen; ${holders.length} held, ${waiters.length} waiting.`;
    case 'unfrozen':
      return `${lock}: unfrozen${by ? `; it was frozen ${by}` : ''}`;
    case 'unchanged':
      throw conflict(step === 'unfreeze' ? `${lock} is not frozen` : `${lock} is frozen ${by}`);
    case 'otherFreeze':
      throw conflict(`${lock} has just been frozen again, by ${printable(answer.frozen.by)}`);
  }
}

const conflict = (why: string) => new LockyardError('CONFLICT', `${why}; nothing was changed.`);
