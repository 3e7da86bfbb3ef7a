'use client';

import type { LockRow } from '@/server/contract/console/lock-row';
import { useActions } from '../../actions/actions-provider';
import { agoText } from '../../format/durations';
import { Icon } from '../../icons/icon';
import { useAtBackend } from '../../live/reading';
import { useSession } from '../../live/session';
import { useKeys } from '../../live/use-keys';
import { Button } from '../../ui/controls/button';
import { onItLabel } from './acted-label';
import { useOnIt } from './presence';

/** Who is on a lock, and for operators the button that says so of oneself. */
export function OnItButton({ row }: { row: LockRow }) {
  const onIt = useOnIt(row);
  const actions = useActions();
  const { account } = useSession();
  const since = useAtBackend(row.backend, (now) =>
    onIt ? agoText(Math.max(0, now - onIt.at)).replace(/ ago$/, '') : '',
  );
  useKeys({ i: () => actions?.onIt(row) });
  const isMine = onIt?.actor === account.name;
  return (
    <>
      {onIt && (
        <span className="flex items-center gap-1.5 text-12 text-t2" role="status">
          <Icon name="hand" size={15} className="text-acc" />
          {onItLabel(onIt, account.name)}, since {since}
        </span>
      )}
      {actions && (
        <Button onClick={() => actions.onIt(row)} aria-pressed={isMine}>
          {isMine ? 'Step back' : 'I’m on it'}
        </Button>
      )}
    </>
  );
}
