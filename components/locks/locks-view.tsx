'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { FleetNow } from '@/server/contract/console/insight-row';
import type { LockPage } from '@/server/contract/console/lock-row';
import { ActionsProvider } from '../actions/actions-provider';
import { DeleteNamesDialog } from '../deletion/lazy-delete-names-dialog';
import { SelectButton } from '../deletion/select-controls';
import { useSelection } from '../deletion/use-selection';
import { ConnectionLostNote } from '../live/connection-lost-note';
import { LiveIndicator } from '../live/live-indicator';
import { ReadingProvider } from '../live/reading';
import type { Reading } from '../live/reading-store';
import { useSession } from '../live/session';
import { useTRPC } from '../live/trpc';
import { LatePart, loadUntilThere } from '../navigation/late-part';
import { setAddress } from '../navigation/set-address';
import { useLoadedEarly } from '../navigation/use-loaded';
import { PastNote } from '../past/past-note';
import { Button } from '../ui/controls/button';
import { BulkBar } from './bulk/bulk-bar';
import { FigureStrip } from './figures/figure-strip';
import { FirstLock } from './first-lock';
import { FilterBar, NoMatch, NormalLocks } from './list/filter-bar';
import { createVisibleRange, FootNote, KeyHints, type KeyNote } from './list/key-hints';
import { isFiltered, type LockSort, listUrl } from './list/list-query';
import { LockList } from './list/lock-list';
import { useListQuery } from './list/use-list-query';
import { useLockList } from './list/use-lock-list';
import { useSteadyRows } from './list/use-steady-rows';
import { keepList } from './list/walk/use-list-walk';
import { isSelectable } from './lock-facts';
import { useKnownLock } from './peek/use-known-lock';
import { usePeek } from './peek/use-peek';
import { DeadlockedProvider } from './presence/deadlock-mark';

// Imported inline, or the first paint would lack its style sheet.
const PeekPanel = dynamic(
  () => loadUntilThere(() => import('./peek/peek-panel').then((all) => all.PeekPanel)),
  {
    loading: () => (
      <aside aria-label="Lock preview" className="peek">
        {/* On a phone it covers the whole list. */}
        <LatePart action={<Button onClick={() => setAddress({ peek: null })}>Close</Button>} />
      </aside>
    ),
  },
);
const LOADERS = [() => import('./peek/peek-panel')];

/** How often the figures of the last hour are read again. They need no stream of their own. */
const FLEET_EVERY_MS = 2_000;

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
  const trpc = useTRPC();
  const queries = useQueryClient();
  const { data: page, view, receivedAt, link, refusal, retry, show } = useLockList(initial, query);

  const { data: fleet = null, isError: isFleetLost } = useQuery(
    trpc.insights.fleet.queryOptions(undefined, {
      ...(initialFleet && { initialData: initialFleet }),
      enabled: !page.past,
      refetchInterval: FLEET_EVERY_MS,
    }),
  );

  const backendsKey = trpc.backends.list.queryKey();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key never changes
  useEffect(() => {
    if (receivedAt !== null) queries.setQueryData(backendsKey, page.backends);
  }, [page, receivedAt, queries]);

  const reading = useMemo<Reading>(
    () => ({ asOf: page.asOf, receivedAt, backends: page.backends, refusal }),
    [page, receivedAt, refusal],
  );
  const { rows, hold } = useSteadyRows(page, view);
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
  const { known, onOpen, onOpenKnown } = useKnownLock(page, receivedAt, link);
  const { peek, row: peeked, ...steps } = usePeek(query, setQuery, rows);
  const [isDeleting, setDeleting] = useState(false);
  const [note, setNote] = useState<KeyNote | null>(null);
  const onNote = useCallback((next: KeyNote) => {
    setNote(next);
    setTimeout(() => setNote((shown) => (shown === next ? null : shown)), NOTE_MS);
  }, []);

  useEffect(() => {
    const title = query.view === 'attention' && !isFiltered(query) ? 'Needs attention' : 'Locks';
    const { offset, matching } = page;
    keepList({ title, href: listUrl({ ...query, peek: null }), rows, offset, matching });
  }, [query, rows, page]);

  useLoadedEarly(LOADERS, true);

  if (known) return known;
  const isSlowed = page.slowed && link === 'live';
  const isEmpty = page.total === 0 && !isFiltered(query);
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
                {!isEmpty && !page.past && (
                  <FigureStrip
                    page={page}
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
                    {may('operator') && (
                      <Button
                        tone="quiet"
                        className="max-md:hidden"
                        onClick={() => setDeleting(true)}
                      >
                        Delete free locks…
                      </Button>
                    )}
                    <LiveIndicator link={link} onRetry={retry} isFleet />
                  </FilterBar>
                )}
                {isEmpty && page.past ? (
                  <p className="px-[var(--gutter)] py-8 text-14 text-t2">
                    No lock was in use at this instant.
                  </p>
                ) : isEmpty ? (
                  <FirstLock origin={origin} link={link} onRetry={retry} />
                ) : page.matching === 0 && rows.length === 0 ? (
                  <NoMatch page={page} query={query} onQuery={setQuery} />
                ) : (
                  <LockList
                    rows={rows}
                    offset={page.offset}
                    matching={page.matching}
                    query={query}
                    selecting={may('operator') ? selecting : null}
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
                {!isEmpty && <NormalLocks page={page} query={query} onQuery={setQuery} />}
              </div>
              <FootNote isSlowed={isSlowed} note={note} />
              <ConnectionLostNote />
              {may('operator') && <BulkBar rows={rows} selecting={selecting} />}
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
