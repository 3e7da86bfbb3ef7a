import { formatDuration } from '../../../client/command/terminal/duration';
import { printable } from '../../../client/command/terminal/printable';
import type { Changed, NextHolder } from '../../contract/console/operator-answers';
import { LockyardError } from '../../contract/errors';
import type { EndCause } from '../../contract/primitives';
import { extendLock } from '../../operations/locks/for-people/extend-lock';
import { forceReleaseLock } from '../../operations/locks/for-people/force-release-lock';
import { requestRelease } from '../../operations/locks/for-people/request-release';
import type { OperationContext } from '../../operations/operation-context';
import type { CliCommand } from '../cli-command';
import { readLock } from './read-lock';

type HoldCommand = Extract<
  CliCommand,
  {
    verb: 'locks request-release' | 'locks block-renewals' | 'locks extend' | 'locks force-release';
  }
>;

/**
 * Acts on the hold with the token that the operator saw, or does nothing. Returns what to print.
 *
 * @throws LockyardError `CONFLICT`, with how that hold ended, if that is known, and who holds the
 *   lock now, if it is not a current one
 */
export async function actOnHold(ctx: OperationContext, command: HoldCommand): Promise<string> {
  const { namespace, name, token } = command.input;
  const { rev, holders } = await readLock(ctx, { namespace, name });
  const seen = holders.find((holder) => holder.token === token);
  const owner = seen ? printable(seen.owner) : `token ${token}`;
  return `${printable(name)}: ${await act(ctx, command, rev, owner)}`;
}

async function act(
  ctx: OperationContext,
  { verb, input }: HoldCommand,
  rev: number,
  owner: string,
): Promise<string> {
  const { name, token } = input;
  switch (verb) {
    case 'locks request-release':
    case 'locks block-renewals': {
      const step = verb === 'locks request-release' ? 'askRelease' : 'stopRenewals';
      const answer = await requestRelease(ctx, step, { ...input, rev });
      if (answer.outcome === 'changed') throw changed(name, token, answer);
      return step === 'askRelease'
        ? `${owner} is asked to release it, at its next renewal.`
        : `renewals of ${owner} are blocked; the hold ends with its lease.`;
    }
    case 'locks extend': {
      const answer = await extendLock(ctx, { ...input, rev });
      if (answer.outcome === 'changed') throw changed(name, token, answer);
      return `the lease of ${owner} ends in ${formatDuration(answer.expiresInMs)}.`;
    }
    case 'locks force-release': {
      const answer = await forceReleaseLock(ctx, { ...input, rev });
      if (answer.outcome === 'changed') throw changed(name, token, answer);
      const { next, queueLength } = answer;
      return `released from ${owner}${grantOf(next)}; ${queueLength} waiting.`;
    }
  }
}

function grantOf(next: NextHolder): string {
  if (next.kind === 'nobody') return '';
  return `, ${next.kind === 'granted' ? 'granted' : 'offered'} to ${printable(next.owner)}`;
}

const ENDINGS: Record<Exclude<EndCause, 'superseded'>, string> = {
  expired: 'its lease expired',
  released: 'its holder released it',
  forced: 'it was force-released',
};

function changed(name: string, token: number, { ended, holders }: Changed): LockyardError {
  const now = holders.map((held) => `${printable(held.owner)}, token ${held.token}`).join('; ');
  const state = now === '' ? 'it is not held' : `it is held by ${now}`;
  const what = endOf(printable(name), token, ended);
  return new LockyardError('CONFLICT', `${what}. Now ${state}; nothing was changed.`);
}

function endOf(name: string, token: number, { cause, ...ended }: Changed['ended']): string {
  // The token may be from long ago, or may never have been granted.
  if (cause === 'superseded') return `${name} has no hold with token ${token}, nor a record of one`;
  const by = ended.by === undefined ? '' : ` by ${printable(ended.by)}`;
  const why = ended.reason === undefined ? '' : ` (${printable(ended.reason)})`;
  return `The hold of ${name} with token ${token} has ended: ${ENDINGS[cause]}${by}${why}`;
}
