'use client';

import type { LockRow } from '@/server/contract/console/lock-row';
import { useActions } from '../../actions/actions-provider';
import { Icon } from '../../icons/icon';
import { useAtBackend, useIsStale } from '../../live/reading';
import { useSession } from '../../live/session';
import { useKeys } from '../../live/use-keys';
import { Button } from '../../ui/controls/button';
import { onItLabel, sinceLabel } from './acted-label';
import { useOnIt } from './presence';

/** Who is working on a lock; renders nothing if no user is. */
export function OnItNote({ row }: { row: LockRow }) {
  const onIt = useOnIt(row);
  const { account } = useSession();
  const since = useAtBackend(null, (now) => (onIt ? sinceLabel(onIt, now) : ''));
  if (!onIt) return null;
  return (
    <span className="flex items-center gap-1.5 text-12 text-t2">
      <Icon name="hand" size={15} className="text-acc" />
      <span>
        <span role="status">{onItLabel(onIt, account.name)}</span>, since {since}
      </span>
    </span>
  );
}

/** For operators: a button that starts or ends their work on a lock. */
export function OnItButton({ row, size }: { row: LockRow; size?: 'small' }) {
  const onIt = useOnIt(row);
  const actions = useActions();
  const { account } = useSession();
  const isStale = useIsStale();
  useKeys({ i: () => !isStale && actions?.onIt(row) });
  if (!actions) return null;
  const isMine = onIt?.actor === account.name;
  return (
    <Button
      disabled={isStale}
      onClick={() => actions.onIt(row)}
      aria-pressed={isMine}
      {...(size && { size })}
    >
      {isMine ? 'Step back' : 'I’m on it'}
    </Button>
  );
}
