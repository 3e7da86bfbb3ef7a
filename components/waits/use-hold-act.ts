'use client';

import { useState } from 'react';
import { clockOffsetOfKeeper } from '@/server/contract/console/backend-health';
import type { LockDetail, LockRow } from '@/server/contract/console/lock-row';
import type {
  GraphLock,
  HeadBlockerRow,
  WaitGraph,
} from '@/server/contract/console/waits/wait-graph';
import { useActions } from '../actions/actions-provider';
import { readFailureTitle } from '../live/problem';
import { useTRPCClient } from '../live/trpc';
import { useSubmit } from '../ui/controls/use-submit';

/** A hold that is part of a deadlock. */
export interface CycleHold {
  lock: GraphLock;
  token: number;
  owner: string;
}

/**
 * The hold of a deadlock whose release loses the least work: the one that was granted last, by the
 * server's clock. Undefined: not a deadlock, or its holds are not known.
 */
export function leastWorkHold(
  { deadlock }: HeadBlockerRow,
  { locks, owners, backends }: WaitGraph,
): CycleHold | undefined {
  const holds = (deadlock?.steps ?? []).flatMap((step) => {
    const lock = locks[step.lock];
    const hold = lock?.holders.find(({ token }) => token === step.token);
    const owner = hold && owners[hold.owner];
    if (!lock || !owner) return [];
    const at = hold.grantedAt - clockOffsetOfKeeper(backends, lock);
    return [{ lock, token: hold.token, owner: owner.owner, at }];
  });
  return holds.sort((a, b) => b.at - a.at)[0];
}

/** The lock to act on, with the hold that was seen; null: that has ended. */
export function lockWithHold({ row, holds }: LockDetail, token: number): LockRow | null {
  const hold = holds.find((each) => each.token === token);
  return hold ? { ...row, hold } : null;
}

const HOLD_ENDED = {
  title: 'This hold has ended',
  problem: { text: 'The waits have changed since. No action taken.' },
};

/**
 * Opens the dialog of an action for a hold of the graph; `mayAct` is false if actions are off,
 * `failure` says why no dialog was opened. The buttons stay enabled while the hold is read: a
 * disabled one would lose the focus, which the dialog gives back to it.
 */
export function useHoldAct() {
  const actions = useActions();
  const client = useTRPCClient();
  const { isBusy, problem, submit } = useSubmit();
  const [hasEnded, setEnded] = useState(false);
  const open = (act: 'ask' | 'release', { lock: { namespace, name }, token }: CycleHold) => {
    if (isBusy) return;
    void submit(async () => {
      const row = lockWithHold(await client.locks.detail.query({ namespace, name }), token);
      setEnded(row === null);
      if (row) actions?.[act](row);
    });
  };
  const unread = problem && { title: readFailureTitle(null, 'the hold'), problem };
  const failure = unread ?? (hasEnded ? HOLD_ENDED : null);
  return { mayAct: actions !== null, failure, open };
}
