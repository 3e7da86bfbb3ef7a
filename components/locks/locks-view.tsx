'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearchParams } from 'next/navigation';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { FleetNow } from '@/server/contract/console/insight-row';
import type { LockPage } from '@/server/contract/console/lock-row';
import { ActionsProvider } from '../actions/actions-provider';
import { DeleteNamesButton } from '../deletion/delete-names-dialog';
import { SelectButton } from '../deletion/select-controls';
import { SelectionBar } from '../deletion/selection-bar';
import { useSelection } from '../deletion/use-selection';
import { ConnectionLostNote } from '../live/connection-lost-note';
import { LiveIndicator } from '../live/live-indicator';
import { ReadingProvider } from '../live/reading';
import type { Reading } from '../live/reading-store';
import { useSession } from '../live/session';
import { useTRPC } from '../live/trpc';
import { FigureStrip } from './figures/figure-strip';
import { FirstLock } from './first-lock';
import { FilterBar, NoMatch } from './list/filter-bar';
import { createVisibleRange, KeyHints, SlowedNote } from './list/key-hints';
import {
  isFiltered,
  type ListQuery,
  type LockSort,
  listUrl,
  readListQuery,
} from './list/list-query';
import { LockList } from './list/lock-list';
import { useLockList } from './list/use-lock-list';
import { useSteadyRows } from './list/use-steady-rows';
import { isSelectable } from './lock-facts';

/** How often the figures of the last hour are read again. They need no stream of their own. */
const FLEET_EVERY_MS = 2_000;

/** The landing page: every lock, worst first, live. */
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
  const [query, setQuery] = useListQuery();
  const trpc = useTRPC();
  const queries = useQueryClient();
  const { data: page, receivedAt, link, retry, show } = useLockList(initial, query);

  const { data: fleet = null, isError: isFleetLost } = useQuery(
    trpc.insights.fleet.queryOptions(undefined, {
      ...(initialFleet && { initialData: initialFleet }),
      refetchInterval: FLEET_EVERY_MS,
    }),
  );

  const backendsKey = trpc.backends.list.queryKey();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key never changes
  useEffect(() => {
    if (receivedAt !== null) queries.setQueryData(backendsKey, page.backends);
  }, [page, receivedAt, queries]);

  const reading = useMemo<Reading>(
    () => ({ asOf: page.asOf, receivedAt, backends: page.backends }),
    [page, receivedAt],
  );
  const { rows, hold } = useSteadyRows(page, listUrl(query));
  const { may } = useSession();
  const selecting = useSelection(rows, isSelectable);
  const [range] = useState(createVisibleRange);
  const onRange = useCallback(
    (first: number, last: number, count: number) => {
      range.set(first, last);
      show(first, last, count);
    },
    [range, show],
  );
  const onSort = (sort: LockSort) =>
    setQuery({ sort, descending: sort === query.sort && !query.descending });
  const scroller = useRef<HTMLDivElement>(null);

  const isSlowed = page.slowed && link === 'live';
  const isEmpty = page.total === 0 && !isFiltered(query);
  return (
    <ReadingProvider reading={reading}>
      <ActionsProvider>
        <h1 className="sr-only">Locks</h1>
        <div ref={scroller} className="relative min-h-0 flex-1 overflow-y-auto overscroll-contain">
          {!isEmpty && (
            <FigureStrip
              page={page}
              receivedAt={receivedAt}
              fleet={fleet}
              isFleetLost={isFleetLost}
              query={query}
              onQuery={setQuery}
            />
          )}
          {!isEmpty && (
            <FilterBar
              page={page}
              query={query}
              onQuery={setQuery}
              chips={may('operator') && <SelectButton selecting={selecting} />}
            >
              <DeleteNamesButton
                kind="lock"
                at={query.namespace ? { namespace: query.namespace } : {}}
                onGone={selecting.drop}
                className="max-md:hidden"
              >
                Delete free locks…
              </DeleteNamesButton>
              <LiveIndicator link={link} onRetry={retry} isFleet />
            </FilterBar>
          )}
          {isEmpty ? (
            <FirstLock origin={origin} link={link} onRetry={retry} />
          ) : page.matching === 0 && rows.length === 0 ? (
            <NoMatch query={query} onQuery={setQuery} />
          ) : (
            <LockList
              rows={rows}
              offset={page.offset}
              matching={page.matching}
              query={query}
              selecting={may('operator') ? selecting : null}
              scroller={scroller}
              onSort={onSort}
              onHold={hold}
              onRange={onRange}
            />
          )}
        </div>
        {isSlowed && <SlowedNote />}
        <ConnectionLostNote />
        {may('operator') && <SelectionBar kind="lock" selecting={selecting} />}
        {!isEmpty && <KeyHints range={range} matching={page.matching} isSlowed={isSlowed} />}
      </ActionsProvider>
    </ReadingProvider>
  );
}

/** What the list shows, kept in the page's address; changing it asks nothing of Next. */
function useListQuery(): [ListQuery, (part: Partial<ListQuery>) => void] {
  const params = useSearchParams();
  const query = useMemo(() => readListQuery(params), [params]);
  const change = useCallback((part: Partial<ListQuery>) => {
    const current = readListQuery(new URLSearchParams(window.location.search));
    window.history.replaceState(null, '', listUrl({ ...current, ...part }));
  }, []);
  return [query, change];
}
