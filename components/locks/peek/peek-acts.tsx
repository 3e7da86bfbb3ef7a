'use client';

import type { HoldRow, LockDetail, LockRow } from '@/server/contract/console/lock-row';
import { plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { isReleased } from '@/server/core/lock/lock-record';
import { useActions } from '../../actions/actions-provider';
import { reassignObstacle } from '../../actions/reassign/reassign-obstacle';
import { useIsStale, useStoreObstacle } from '../../live/reading';
import type { StoreObstacle } from '../../live/reading-store';
import { useIsClosed } from '../../shell/backend-queries';
import { Panel } from '../../ui/panel';

interface Act {
  key: string;
  label: string;
  effect: string;
  isHard?: boolean;
  /** Why the action is not possible now; null if it is. */
  impossible: string | null;
  run: (row: LockRow) => void;
}

/**
 * What can be done about a lock, gentle to hard, each with its key.
 *
 * @param isAwaited the state is known to the list, but the server has not answered yet
 */
export function PeekActs({
  detail,
  chosen,
  isAwaited,
}: {
  detail: LockDetail;
  chosen: HoldRow | null;
  isAwaited: boolean;
}) {
  const actions = useActions();
  const isStale = useIsStale();
  const isClosed = useIsClosed(detail.row.backend);
  const atStore = useStoreObstacle(detail.row);
  const row = { ...detail.row, hold: chosen };
  if (!actions) return null;
  const none = noActReason({ isStale, isFresh: detail.fresh, isAwaited, atStore });
  const unheld = none ?? (chosen ? null : 'not held');
  const released = unheld ?? (chosen && isReleased(chosen) ? 'already released' : null);
  const cannotHear = released ?? (chosen?.liveness?.state === 'dead' ? 'process is dead' : null);
  const delayMs = chosen && isReleased(chosen) ? 0 : detail.policy.lockDelayMs;
  const [next] = detail.waiters;
  const acts: Act[] = [
    {
      key: 'a',
      label: chosen?.askedToRelease ? 'Ask again…' : 'Ask…',
      effect: chosen?.askedToRelease
        ? `Asked by ${visibleText(chosen.askedToRelease.by)}`
        : 'Sent with its next renewal',
      impossible: cannotHear,
      run: actions.ask,
    },
    {
      key: 's',
      label: 'Block renewals…',
      effect: 'Frees when the lease ends',
      impossible: cannotHear,
      run: actions.stop,
    },
    {
      key: 'e',
      label: 'Extend…',
      effect:
        detail.waiters.length > 0
          ? `Delays ${plural(detail.waiters.length, 'waiter')}`
          : 'Gives the holder time',
      impossible: released,
      run: actions.extend,
    },
    {
      key: 'r',
      label: 'Force release…',
      effect: next ? `Next: ${visibleText(next.owner)}` : 'No waiters',
      isHard: true,
      impossible: unheld,
      run: actions.release,
    },
    {
      key: 'R',
      label: 'Reassign…',
      effect: 'To a waiter that you choose',
      isHard: true,
      impossible: unheld ?? reassignObstacle(detail, delayMs, isClosed),
      run: actions.reassign,
    },
    {
      key: 'f',
      label: row.frozen ? 'Unfreeze…' : 'Freeze…',
      effect: row.frozen ? 'New grants resume' : 'No new grants',
      impossible: none,
      run: actions.freeze,
    },
  ];
  return (
    <Panel title="Actions">
      <ul className="py-1">
        {acts.map(({ key, label, effect, isHard, impossible, run }) => (
          <li key={key}>
            <button
              type="button"
              disabled={impossible !== null}
              onClick={() => run(row)}
              className="peek-act"
            >
              <kbd className="key max-md:hidden">{key}</kbd>
              <span className={isHard && !impossible ? 'text-dangertext' : ''}>{label}</span>
              <span className="truncate text-12 text-t3 first-letter:uppercase">
                {impossible ?? effect}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Why no action is possible on a lock, held or not; null: there is no such reason. */
export function noActReason({
  isStale,
  isFresh,
  isAwaited,
  atStore,
}: Record<'isStale' | 'isFresh' | 'isAwaited', boolean> & {
  atStore: StoreObstacle | null;
}): string | null {
  if (isFresh && !isStale) return atStore;
  return isAwaited && !isStale ? 'loading…' : 'state unknown';
}
