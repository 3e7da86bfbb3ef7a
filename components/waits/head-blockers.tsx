'use client';

import type {
  GraphOwner,
  HeadBlockerRow,
  WaitGraph,
} from '@/server/contract/console/waits/wait-graph';
import { agoText } from '../format/durations';
import { exactCount, plural } from '../format/numbers';
import { useAged, useAtBackend } from '../live/reading';
import { LockLink } from '../locks/lock-link';
import { Button } from '../ui/controls/button';
import { Duration } from '../ui/duration';
import { StatusBadge } from '../ui/status-badge';
import { ExactName, VisibleText } from '../ui/visible-text';
import { DeadlockActs } from './deadlock-acts';
import { DeadlockBadge } from './deadlock-badge';
import { headId } from './wait-facts';

const LOCKS_SHOWN = 3;

/** Who keeps others waiting and waits for no one else: deadlocks first, then by blocking time. */
export function HeadBlockers({
  graph,
  focus,
  onFocus,
}: {
  graph: WaitGraph;
  /** The head blocker that the graph shows; null: none in particular. */
  focus: string | null;
  onFocus: (id: string | null) => void;
}) {
  return (
    <section aria-label="Head blockers" className="head-blockers">
      <header className="flex h-[30px] items-center justify-between text-12 text-t2">
        <h2 className="font-[550]">
          Head blockers <span className="text-t3">{exactCount(graph.heads.length)}</span>
        </h2>
        <span>total blocking time</span>
      </header>
      <ol>
        {graph.heads.map((head, rank) => {
          const id = headId(head, graph);
          return (
            <li key={id} className="head-blocker" data-deadlock={head.deadlock !== null}>
              <HeadTitle head={head} rank={rank} />
              <HeadOwners head={head} graph={graph} />
              <HeadLocks head={head} graph={graph} />
              {head.deadlock && <DeadlockActs head={head} graph={graph} />}
              <Button
                tone="quiet"
                size="small"
                className="head-focus"
                aria-pressed={focus === id}
                onClick={() => onFocus(focus === id ? null : id)}
              >
                Show in graph
              </Button>
            </li>
          );
        })}
      </ol>
      {graph.moreHeads > 0 && (
        <p className="py-2 text-12 text-t3">
          {plural(graph.moreHeads, 'more head blocker')} with less waiting behind them.
        </p>
      )}
    </section>
  );
}

function HeadTitle({ head, rank }: { head: HeadBlockerRow; rank: number }) {
  const { deadlock, waiting, blocked, blockingMs, status, owners } = head;
  const refused = blocked - waiting;
  const isUnknown = status === 'unknown';
  const seconds = useAged((ageMs) =>
    Math.floor((blockingMs + (isUnknown ? 0 : blocked * Math.min(ageMs, 5_000))) / 1_000),
  );
  return (
    <div className="flex flex-wrap items-center gap-x-2.5 gap-y-0.5">
      <span className="w-3 text-11 text-t3">{exactCount(rank + 1)}</span>
      {deadlock ? <DeadlockBadge /> : <StatusBadge status={status} />}
      <span className="text-12 text-t2">
        {deadlock ? `${plural(owners.length, 'owner')} wait for one another` : null}
      </span>
      <span className="ml-auto text-right">
        <span className="text-14 font-[600]">
          {blocked > 0 ? <Duration ms={seconds * 1_000} atLeast={isUnknown} /> : '–'}
        </span>
        <span className="block text-12 text-t3">
          {blocked === 0 ? plural(waiting, 'standby', 'standbys') : plural(waiting, 'caller')}
          {refused > 0 && `, ${exactCount(refused)} refused`}
        </span>
      </span>
    </div>
  );
}

function HeadOwners({ head, graph }: { head: HeadBlockerRow; graph: WaitGraph }) {
  if (head.owners.length === 0) {
    return (
      <p className="pl-[22px] text-12 text-t2">Not held: its waiters get it once it is open.</p>
    );
  }
  return (
    <ul className="pl-[22px]">
      {head.owners.map((place) => {
        const owner = graph.owners[place];
        return owner ? <OwnerLine key={place} owner={owner} /> : null;
      })}
    </ul>
  );
}

function OwnerLine({ owner }: { owner: GraphOwner }) {
  const { host, pid, version, renewedAt, isConcurrent } = owner;
  const agoMs = useAtBackend('', (now) =>
    renewedAt === null ? -1 : Math.floor(Math.max(0, now - renewedAt) / 1_000) * 1_000,
  );
  return (
    <li className="flex min-w-0 flex-wrap items-baseline gap-x-2">
      <ExactName name={owner.owner} className="font-[550] text-12" />
      <span className="text-12 text-t3">
        {owner.service}
        {host && (
          <>
            {' · '}
            <VisibleText text={host} />
          </>
        )}
        {pid && (
          <>
            {' pid '}
            <VisibleText text={pid} />
          </>
        )}
        {version && (
          <>
            {' · '}
            <VisibleText text={version} />
          </>
        )}
        {agoMs >= 0 && ` · renewed ${agoText(agoMs)}`}
        {isConcurrent && ' · also waits, for other work'}
      </span>
    </li>
  );
}

function HeadLocks({ head, graph }: { head: HeadBlockerRow; graph: WaitGraph }) {
  const hidden = head.locks.length - LOCKS_SHOWN;
  return (
    <ul className="flex flex-col pl-[22px] text-12">
      {head.locks.slice(0, LOCKS_SHOWN).map((place) => {
        const lock = graph.locks[place];
        if (!lock) return null;
        return (
          <li key={lock.id} className="flex min-w-0 items-baseline gap-2">
            <LockLink namespace={lock.namespace} name={lock.name} />
            <span className="shrink-0 text-t3">
              {lock.backend} · {exactCount(lock.waiting)} waiting
            </span>
          </li>
        );
      })}
      {hidden > 0 && <li className="text-t3">and {plural(hidden, 'more lock')}</li>}
    </ul>
  );
}
