'use client';

import { useState } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import type { ReassignObstacle } from '@/server/contract/console/operator-answers';
import { plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { useTRPCClient } from '../../live/trpc';
import { ChangedNote } from '../../ui/problem-note';
import { ActionDialog } from '../action-dialog';
import { TypedNameField, useTypedName } from '../fields/typed-name';
import { useHoldAttempt } from '../use-action-attempt';
import { useSeenHold } from '../use-seen-hold';
import { WaiterChoice } from './waiter-choice';
import { waiterObstacle } from './waiter-obstacle';

const OBSTACLES: Record<ReassignObstacle, string> = {
  waiterGone: 'This waiter is no longer in the queue.',
  multiLock: 'This waiter needs several locks and gets this one only with the others.',
  noRoom: 'Other holders remain, and this waiter does not fit beside them.',
  frozen: 'The lock is frozen.',
  delayed: 'The namespace’s lock delay allows no grant right after a forced release.',
};

/** Takes a lock away from its holder and gives it to a waiter that the operator chooses. */
export function ReassignDialog({ row, onClose }: { row: LockRow; onClose: () => void }) {
  const hold = useSeenHold(row);
  const { seen } = hold;
  const client = useTRPCClient();
  const typedName = useTypedName(row, seen);
  const [ticket, setTicket] = useState<number | null>(null);
  const [refusal, setRefusal] = useState<ReassignObstacle | null>(null);

  const queue = seen.queue ?? [];
  const chosen = queue.find((waiter) => waiter.ticket === ticket) ?? null;
  const isGone = ticket !== null && chosen === null && seen.queue !== null;
  const obstacle = refusal ?? (chosen && waiterObstacle(seen, chosen)) ?? (isGone && 'waiterGone');
  const to = chosen && visibleText(chosen.owner);
  const first = queue[0];
  const others = queue.length - 1;

  const attempt = useHoldAttempt(row, hold, onClose, async (input) => {
    if (ticket === null) return null;
    // For another waiter it is another action.
    const requestId = `${input.requestId}-${ticket}`;
    const answer = await client.locks.reassign.mutate({ ...input, ticket, requestId });
    if (answer.outcome === 'changed') return answer;
    if (answer.outcome === 'notReassigned') {
      setRefusal(answer.obstacle);
      return null;
    }
    const { next, queueLength: waitersAfter } = answer;
    return { kind: 'reassigned', token: input.token, next, waitersAfter };
  });

  const chooseAgain = () => {
    setTicket(null);
    setRefusal(null);
    attempt.forget();
  };
  return (
    <ActionDialog
      row={row}
      hold={hold}
      title={to ? `Reassign this lock to ${to}?` : 'Reassign this lock?'}
      actsOnReleased
      warning={
        <>
          The waiter goes ahead of all others, who keep their positions. The holder is not stopped:
          it finds out at its next renewal, and its writes are rejected only by resources that check
          the fencing token.
        </>
      }
      notice={
        obstacle && (
          <ChangedNote onUse={chooseAgain}>
            {OBSTACLES[obstacle]}
            {attempt.isRefused && ' Not applied.'}
          </ChangedNote>
        )
      }
      missing={[...(chosen ? [] : ['waiter']), ...typedName.missing]}
      actionLabel={to ? `Reassign to ${to}` : 'Reassign'}
      tone="danger"
      attempt={attempt}
      onClose={onClose}
    >
      <WaiterChoice side={seen} row={row} ticket={ticket} onChoose={setTicket} />
      {chosen && first && others > 0 && (
        <p className="text-12 text-t2">
          {chosen === first
            ? `${to} is first in the queue.`
            : `${visibleText(first.owner)} stays first in the queue.`}{' '}
          {plural(others, 'other waiter')}{' '}
          {others === 1 ? 'keeps its position' : 'keep their positions'}.
        </p>
      )}
      <TypedNameField of={typedName} />
    </ActionDialog>
  );
}
