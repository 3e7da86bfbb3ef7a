'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { FleetNow } from '@/server/contract/console/insight-row';
import type { LockPage, LockRow } from '@/server/contract/console/lock-row';
import { ActionsProvider } from '../actions/actions-provider';
import { DeleteNamesDialog } from '../deletion/lazy-delete-names-dialog';
import { SelectButton } from '../deletion/select-controls';
import { type SelectionControls, useSelection } from '../deletion/use-selection';
import { ConnectionLostNote } from '../live/connection-lost-note';
import { LiveIndicator } from '../live/live-indicator';
import { ReadingProvider, useLiveReading } from '../live/reading';
import { useSession } from '../live/session';
import { useTRPC } from '../live/trpc';
import type { Live } from '../live/use-live';
import { useLoadedEarly } from '../navigation/use-loaded';
import { PastNote } from '../past/past-note';
import { Button } from '../ui/controls/button';
import { BulkBar } from './bulk/bulk-bar';
import { FigureStrip } from './figures/figure-strip';
import { useFleet } from './figures/use-fleet';
import { FirstLock } from './first-lock';
import { FilterBar, NoMatch, NormalLocks } from './list/filter-bar';
import { createVisibleRange, FootNote, KeyHints, type KeyNote } from './list/key-hints';
import { isFiltered, type ListQuery, type LockSort, listUrl } from './list/list-query';
import { LockList } from './list/lock-list';
import { useListQuery } from './list/use-list-query';
import { useLockList } from './list/use-lock-list';
import { useSteadyRows } from './list/use-steady-rows';
import { keepList } from './list/walk/use-list-walk';
import { isSelectable } from './lock-facts';
import { loadPeekPanel, PeekPanel } from './peek/lazy-peek-panel';
import { useKnownLock } from './peek/use-known-lock';
import { usePeek } from './peek/use-peek';
import { DeadlockedProvider } from './presence/deadlock-mark';

const LOADERS = [loadPeekPanel];

/** How long the effect of a key is shown. */
const NOTE_MS = 3_000;

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
  const { data: page, view, receivedAt, link, refusal, show } = live;
  const fleet = useFleet(initialFleet, !page.past);
  useFreshBackends(page, receivedAt);
  const reading = useLiveReading(page, { receivedAt, refusal });
  const { rows, hold } = useSteadyRows(page, view);
  const isOperator = useSession().may('operator');
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
  const { known, onOpen, onOpenKnown } = useKnownLock(page, receivedAt, link);
  const { peek, row: peeked, ...steps } = usePeek(query, setQuery, rows);
  const [isDeleting, setDeleting] = useState(false);
  const [note, onNote] = useKeyNote();
  useKeptList(query, rows, page);
  useLoadedEarly(LOADERS, true);

  if (known) return known;
  const isSlowed = page.slowed && link === 'live';
  const isEmpty = page.total === 0 && !isFiltered(query);
  const listed = { page, query, onQuery: setQuery };
  return (
    <ReadingProvider reading={reading}>
      <ActionsProvider>
        <DeadlockedProvider>
          <h1 className="sr-only">Locks</h1>
          <div className="locks-frame">
            <div className="locks-main">
              <div ref={scroller} className="lock-list-frame">
                <PastNote
                  past={page.past}
                  limits="Statuses use current baselines and policies. Free locks are not listed."
                />
                {isEmpty ? (
                  <NoLocks isPast={page.past !== undefined} origin={origin} live={live} />
                ) : (
                  <>
                    {!page.past && <FigureStrip {...listed} {...fleet} />}
                    <ListBar
                      {...listed}
                      selecting={isOperator ? selecting : null}
                      live={live}
                      onDelete={() => setDeleting(true)}
                    />
                    {page.matching === 0 && rows.length === 0 ? (
                      <NoMatch {...listed} />
                    ) : (
                      <LockList
                        rows={rows}
                        offset={page.offset}
                        matching={page.matching}
                        query={query}
                        selecting={isOperator ? selecting : null}
                        isOneBackend={page.backends.length === 1}
                        peek={peek}
                        scroller={scroller}
                        onOpen={onOpen}
                        onOpenKnown={onOpenKnown}
                        onNote={onNote}
                        onSort={onSort}
                        onHold={hold}
                        onRange={onRange}
                      />
                    )}
                    <NormalLocks {...listed} />
                  </>
                )}
              </div>
              <FootNote isSlowed={isSlowed} note={note} />
              <ConnectionLostNote />
              {isOperator && <BulkBar rows={rows} selecting={selecting} />}
              {isDeleting && (
                <DeleteNamesDialog
                  kind="lock"
                  at={query.namespace ? { namespace: query.namespace } : {}}
                  onGone={selecting.drop}
                  onClose={() => setDeleting(false)}
                />
              )}
              {!isEmpty && (
                <KeyHints range={range} matching={page.matching} isSlowed={isSlowed} note={note} />
              )}
            </div>
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
                onOpen={onOpen}
              />
            )}
          </div>
        </DeadlockedProvider>
      </ActionsProvider>
    </ReadingProvider>
  );
}

/** The line above the list: filters, what can be done with the list, and whether it is live. */
function ListBar({
  selecting,
  live: { link, retry },
  onDelete,
  ...listed
}: {
  page: LockPage;
  query: ListQuery;
  onQuery: (part: Partial<ListQuery>) => void;
  /** Null where nothing may be selected or deleted. */
  selecting: SelectionControls | null;
  live: Pick<Live<LockPage>, 'link' | 'retry'>;
  onDelete: () => void;
}) {
  return (
    <FilterBar {...listed} chips={selecting && <SelectButton selecting={selecting} />}>
      {selecting && (
        <Button tone="quiet" className="max-md:hidden" onClick={onDelete}>
          Delete free locks…
        </Button>
      )}
      <LiveIndicator link={link} onRetry={retry} isFleet />
    </FilterBar>
  );
}

function NoLocks({
  isPast,
  origin,
  live: { link, retry },
}: {
  isPast: boolean;
  origin: string;
  live: Pick<Live<LockPage>, 'link' | 'retry'>;
}) {
  if (!isPast) return <FirstLock origin={origin} link={link} onRetry={retry} />;
  return (
    <p className="px-[var(--gutter)] py-8 text-14 text-t2">No lock was in use at this instant.</p>
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

/** The effect of the last key, for a while. */
function useKeyNote(): [note: KeyNote | null, onNote: (note: KeyNote) => void] {
  const [note, setNote] = useState<KeyNote | null>(null);
  const onNote = useCallback((next: KeyNote) => {
    setNote(next);
    setTimeout(() => setNote((shown) => (shown === next ? null : shown)), NOTE_MS);
  }, []);
  return [note, onNote];
}

/** Keeps the list for the pages of its locks, which lead to the next and the previous one. */
function useKeptList(query: ListQuery, rows: LockRow[], page: LockPage): void {
  useEffect(() => {
    const title = query.view === 'attention' && !isFiltered(query) ? 'Needs attention' : 'Locks';
    const { offset, matching } = page;
    keepList({ title, href: listUrl({ ...query, peek: null }), rows, offset, matching });
  }, [query, rows, page]);
}
