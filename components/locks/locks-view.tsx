'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { FleetNow } from '@/server/contract/console/insight-row';
import type { LockPage, LockRow } from '@/server/contract/console/lock-row';
import { ActionsProvider } from '../actions/actions-provider';
import { useSelection } from '../deletion/use-selection';
import { ReadingProvider, useLiveReading } from '../live/reading';
import { useSession } from '../live/session';
import { useTRPC } from '../live/trpc';
import { useLoadedEarly } from '../navigation/use-loaded';
import { useFleet } from './figures/use-fleet';
import { isFiltered, type ListQuery, listUrl } from './list/list-query';
import { useListQuery } from './list/use-list-query';
import { useLockList } from './list/use-lock-list';
import { useSteadyRows } from './list/use-steady-rows';
import { keepList } from './list/walk/use-list-walk';
import { isSelectable } from './lock-facts';
import { LocksMain } from './locks-main';
import { loadPeekPanel, PeekPanel } from './peek/lazy-peek-panel';
import { useKnownLock } from './peek/use-known-lock';
import { usePeek } from './peek/use-peek';
import { DeadlockedProvider } from './presence/deadlock-mark';

const LOADERS = [loadPeekPanel];

/** The landing page: what needs attention, or every lock, worst first, live. */
export function LocksView({
  initial,
  initialFleet,
  origin,
}: {
  initial: LockPage;
  /** Null where it could not be read for the first paint. */
  initialFleet: FleetNow | null;
  origin: string;
}) {
  const [query, setQuery] = useListQuery(initial.attention);
  const live = useLockList(initial, query);
  const { data: page, view, receivedAt, link, refusal } = live;
  // Read on behind a page that was opened from a row, so that the list shows no older figures then.
  const fleet = useFleet(initialFleet, !page.past);
  useFreshBackends(page, receivedAt);
  const reading = useLiveReading(page, { receivedAt, refusal });
  const { rows, hold } = useSteadyRows(page, view);
  const isOperator = useSession().may('operator');
  const selecting = useSelection(rows, isSelectable);
  const { known, ...opens } = useKnownLock(page, receivedAt, link);
  const { peek, row: peeked, ...steps } = usePeek(query, setQuery, rows);
  useKeptList(query, rows, page);
  useLoadedEarly(LOADERS, true);

  if (known) return known;
  return (
    <ReadingProvider reading={reading}>
      <ActionsProvider>
        <DeadlockedProvider>
          <h1 className="sr-only">Locks</h1>
          <div className="locks-frame">
            <LocksMain
              live={live}
              rows={rows}
              query={query}
              onQuery={setQuery}
              selecting={isOperator ? selecting : null}
              peek={peek}
              fleet={fleet}
              origin={origin}
              onHold={hold}
              {...opens}
            />
            {query.peek && !page.past && (
              <PeekPanel
                key={`${query.peek.namespace}/${query.peek.name}`}
                {...query.peek}
                row={peeked}
                page={page}
                receivedAt={receivedAt}
                place={peeked && page.offset + rows.indexOf(peeked)}
                shown={peek.shown}
                onClose={() => peek.show(null)}
                {...steps}
                onOpen={opens.onOpen}
              />
            )}
          </div>
        </DeadlockedProvider>
      </ActionsProvider>
    </ReadingProvider>
  );
}

/** Gives other parts of the page the health of the backends that came with the list. */
function useFreshBackends(page: LockPage, receivedAt: number | null): void {
  const queries = useQueryClient();
  const key = useTRPC().backends.list.queryKey();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key never changes
  useEffect(() => {
    if (receivedAt !== null) queries.setQueryData(key, page.backends);
  }, [page, receivedAt, queries]);
}

/** Keeps the list for the pages of its locks, which lead to the next and the previous one. */
function useKeptList(query: ListQuery, rows: LockRow[], page: LockPage): void {
  useEffect(() => {
    const title = query.view === 'attention' && !isFiltered(query) ? 'Needs attention' : 'Locks';
    const { offset, matching } = page;
    keepList({ title, href: listUrl({ ...query, peek: null }), rows, offset, matching });
  }, [query, rows, page]);
}
