'use client';

import { useCallback, useRef, useState } from 'react';
import type { LockPage, LockRow } from '@/server/contract/console/lock-row';
import { DeleteNamesDialog } from '../deletion/lazy-delete-names-dialog';
import { SelectButton } from '../deletion/select-controls';
import type { SelectionControls } from '../deletion/use-selection';
import { ConnectionLostNote } from '../live/connection-lost-note';
import { LiveIndicator } from '../live/live-indicator';
import { gapNote } from '../live/reading-store';
import type { Live } from '../live/use-live';
import { PastNote } from '../past/past-note';
import { Button } from '../ui/controls/button';
import { BulkBar } from './bulk/bulk-bar';
import { FigureStrip } from './figures/figure-strip';
import type { useFleet } from './figures/use-fleet';
import { FirstLock } from './first-lock';
import { FilterBar, NoMatch, NormalLocks } from './list/filter-bar';
import { createVisibleRange, FootNote, KeyHints, type KeyNote } from './list/key-hints';
import { isFiltered, type ListQuery, type LockSort } from './list/list-query';
import { LockList } from './list/lock-list';
import type { useLockList } from './list/use-lock-list';
import type { PeekControls } from './peek/use-peek';

/** How long the effect of a key is shown. */
const NOTE_MS = 3_000;

/** The list of locks with its figures, its filters and what can be done with its rows. */
export function LocksMain({
  live,
  rows,
  query,
  onQuery,
  selecting,
  peek,
  fleet,
  origin,
  ...ofRows
}: {
  live: ReturnType<typeof useLockList>;
  rows: LockRow[];
  query: ListQuery;
  onQuery: (part: Partial<ListQuery>) => void;
  /** Null where nothing may be selected, acted on or deleted. */
  selecting: SelectionControls | null;
  peek: PeekControls;
  fleet: ReturnType<typeof useFleet>;
  origin: string;
  onOpen: (row: LockRow) => void;
  onOpenKnown: (row: LockRow) => boolean;
  onHold: () => void;
}) {
  const { data: page, link, show } = live;
  const scroller = useRef<HTMLDivElement>(null);
  const [range] = useState(createVisibleRange);
  const onRange = useCallback(
    (first: number, last: number, count: number) => {
      range.set(first, last);
      show(first, last, count);
    },
    [range, show],
  );
  const onSort = (sort: LockSort) =>
    onQuery({ sort, descending: sort === query.sort && !query.descending });
  const [isDeleting, setDeleting] = useState(false);
  const [note, onNote] = useKeyNote();
  const isSlowed = page.slowed && link === 'live';
  const isEmpty = page.total === 0 && !isFiltered(query);
  const listed = { page, query, onQuery };
  return (
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
              selecting={selecting}
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
                selecting={selecting}
                isOneBackend={page.backends.length === 1}
                peek={peek}
                scroller={scroller}
                onNote={onNote}
                onSort={onSort}
                onRange={onRange}
                {...ofRows}
              />
            )}
            <NormalLocks {...listed} />
          </>
        )}
      </div>
      <FootNote isSlowed={isSlowed} note={note} />
      <ConnectionLostNote />
      {selecting && <BulkBar rows={rows} selecting={selecting} />}
      {selecting && isDeleting && (
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
  live: { data, link, retry },
}: {
  isPast: boolean;
  origin: string;
  live: Pick<Live<LockPage>, 'data' | 'link' | 'retry'>;
}) {
  const gap = gapNote(data.backends);
  if (!isPast) return <FirstLock {...{ origin, gap, link }} onRetry={retry} />;
  return (
    <p className="px-[var(--gutter)] py-8 text-14 text-t2">
      {gap === ''
        ? 'No lock was in use at this instant.'
        : `No locks are known to have been in use at this instant. ${gap}`}
    </p>
  );
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
