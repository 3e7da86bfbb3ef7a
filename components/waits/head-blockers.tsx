'use client';

import { type ReactNode, useEffect, useRef } from 'react';
import type {
  GraphOwner,
  HeadBlockerRow,
  WaitGraph,
} from '@/server/contract/console/waits/wait-graph';
import { agoText, wholeSeconds } from '@/server/core/format/durations';
import { exactCount, plural } from '@/server/core/format/numbers';
import { useAtBackend, useBlockingMs } from '../live/reading';
import { LockLink } from '../locks/lock-link';
import { OpenTrace } from '../locks/open-trace';
import { Duration } from '../ui/duration';
import { StatusBadge } from '../ui/status-badge';
import { ExactName, VisibleText } from '../ui/visible-text';
import { DeadlockActs } from './deadlock-acts';
import { DeadlockBadge } from './deadlock-badge';
import type { Band } from './graph/use-bands';
import { headId } from './wait-facts';

const LOCKS_SHOWN = 3;

/** What the padding and the border of a panel add to the height of its content. */
const PANEL_EDGES = 21;

/** Who keeps others waiting and waits for no one else: deadlocks first, then by blocking time. */
export function HeadBlockers({
  graph,
  bands,
  panelHeight,
  onPanel,
}: {
  graph: WaitGraph;
  /** The bands of the graph beside it, which keep their head blockers together; empty: no graph. */
  bands: readonly Band[];
  /** The minimum height of a head blocker's panel; null: none. */
  panelHeight: ((id: string) => number) | null;
  /** Called with the height of a panel; null: there is nothing beside it. */
  onPanel: ((id: string, height: number) => void) | null;
}) {
  const bandOf = (id: string) => bands.findIndex((band) => band.heads.includes(id));
  const ranked = graph.heads.map((head, rank) => ({ head, rank, id: headId(head, graph) }));
  const sorted = ranked.sort((a, b) => bandOf(a.id) - bandOf(b.id) || a.rank - b.rank);
  return (
    <section aria-label="Head blockers" className="head-blockers">
      <header className="flex h-[30px] items-center justify-between text-12 text-t2">
        <h2 className="font-[550]">
          Head blockers <span className="text-t3">{exactCount(graph.heads.length)}</span>
        </h2>
        <span>total blocking time</span>
      </header>
      <ol>
        {sorted.map(({ head, rank, id }) => (
          <HeadPanel
            key={id}
            id={id}
            isDeadlock={head.deadlock !== null}
            minHeight={panelHeight?.(id) ?? 0}
            onHeight={onPanel}
          >
            <HeadTitle head={head} rank={rank} />
            <HeadOwners head={head} graph={graph} />
            <HeadLocks head={head} graph={graph} />
            {head.deadlock && <DeadlockActs head={head} graph={graph} />}
          </HeadPanel>
        ))}
      </ol>
      {graph.moreHeads > 0 && (
        <p className="py-2 text-12 text-t3">
          {plural(graph.moreHeads, 'more head blocker')} with less waiting behind them.
        </p>
      )}
    </section>
  );
}

/** One head blocker; reports the height of its content. */
function HeadPanel({
  id,
  isDeadlock,
  minHeight,
  onHeight,
  children,
}: {
  id: string;
  isDeadlock: boolean;
  minHeight: number;
  onHeight: ((id: string, height: number) => void) | null;
  children: ReactNode;
}) {
  const content = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = content.current;
    if (!element || !onHeight) return;
    const observer = new ResizeObserver(() => onHeight(id, element.offsetHeight + PANEL_EDGES));
    observer.observe(element);
    return () => observer.disconnect();
  }, [id, onHeight]);
  return (
    <li className="head-blocker" data-deadlock={isDeadlock} style={{ minHeight }}>
      <div ref={content} className="flex flex-col gap-1">
        {children}
      </div>
    </li>
  );
}

function HeadTitle({ head, rank }: { head: HeadBlockerRow; rank: number }) {
  const { deadlock, waiting, blocked, blockingMs, status, owners } = head;
  const refused = blocked - waiting;
  const isUnknown = status === 'unknown';
  const ms = useBlockingMs(blockingMs, isUnknown ? 0 : blocked);
  return (
    <div className="flex flex-wrap items-center gap-x-2.5 gap-y-0.5">
      <span className="w-3 text-11 text-t3">{exactCount(rank + 1)}</span>
      {deadlock ? <DeadlockBadge /> : <StatusBadge status={status} />}
      <span className="ml-auto text-right">
        <span className="text-14 font-[600]">
          {blocked > 0 ? <Duration ms={ms} atLeast={isUnknown} /> : '–'}
        </span>
        <span className="block text-12 text-t3">
          {blocked === 0 ? plural(waiting, 'standby', 'standbys') : plural(waiting, 'caller')}
          {refused > 0 && `, ${exactCount(refused)} refused`}
        </span>
      </span>
      {deadlock && (
        <p className="basis-full pl-[22px] text-12 text-t2">
          {plural(owners.length, 'owner')} wait for one another
        </p>
      )}
    </div>
  );
}

function HeadOwners({ head, graph }: { head: HeadBlockerRow; graph: WaitGraph }) {
  if (head.owners.length === 0) {
    return (
      <p className="pl-[22px] text-12 text-t2">
        Not held: waiters get it as soon as it can be granted.
      </p>
    );
  }
  return (
    <ul className="flex flex-col gap-1 pl-[22px]">
      {head.owners.map((place) => {
        const owner = graph.owners[place];
        return owner ? <OwnerLine key={place} owner={owner} /> : null;
      })}
    </ul>
  );
}

function OwnerLine({ owner }: { owner: GraphOwner }) {
  const { host, pid, version, renewedAt, isConcurrent } = owner;
  const agoMs = useAtBackend(null, (now) =>
    renewedAt === null ? -1 : wholeSeconds(Math.max(0, now - renewedAt)),
  );
  return (
    <li className="flex min-h-6 min-w-0 flex-wrap items-baseline gap-x-2">
      <ExactName name={owner.owner} className="font-[550] text-12" />
      <span className="parts text-12 text-t3">
        <span>{owner.service}</span>
        {(host || pid) && (
          <span>
            {host && <VisibleText text={host} />}
            {pid && (
              <>
                {' pid '}
                <VisibleText text={pid} />
              </>
            )}
          </span>
        )}
        {version && (
          <span>
            <VisibleText text={version} />
          </span>
        )}
        {agoMs >= 0 && <span>renewed {agoText(agoMs)}</span>}
        {isConcurrent && <span>also waits, for other work</span>}
      </span>
    </li>
  );
}

function HeadLocks({ head, graph }: { head: HeadBlockerRow; graph: WaitGraph }) {
  const hidden = head.locks.length - LOCKS_SHOWN;
  return (
    <ul className="flex flex-col gap-1 pl-[22px] text-12">
      {head.locks.slice(0, LOCKS_SHOWN).map((place) => {
        const lock = graph.locks[place];
        if (!lock) return null;
        return (
          <li
            key={lock.id}
            className="flex min-h-6 min-w-0 flex-wrap content-center items-baseline gap-x-2 pointer-coarse:min-h-10"
          >
            <LockLink namespace={lock.namespace} name={lock.name} />
            <span className="shrink-0 text-t3">
              {lock.namespace} · {lock.backend} · {exactCount(lock.waiting)} waiting
            </span>
            <OpenTrace
              traceparent={
                lock.holders.find(({ owner }) => head.owners.includes(owner))?.traceparent
              }
            />
          </li>
        );
      })}
      {hidden > 0 && <li className="text-t3">and {plural(hidden, 'more lock')}</li>}
    </ul>
  );
}
