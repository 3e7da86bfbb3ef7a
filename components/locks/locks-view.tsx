'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { FleetNow } from '@/server/domain/insight-row';
import { type LockListMessage, pageAfter } from '@/server/domain/lock-list-message';
import type { LockPage } from '@/server/domain/lock-row';
import { ActStage } from '../acts/act-stage';
import { exactCount } from '../format/counts';
import { LiveDot } from '../live/live-dot';
import { LostLine } from '../live/lost-line';
import { ReadingProvider } from '../live/reading';
import type { Reading } from '../live/reading-store';
import { useTRPC, useTRPCClient } from '../live/trpc';
import { useKeys } from '../live/use-keys';
import { useLive } from '../live/use-live';
import { FigureStrip } from './figure-strip';
import { FilterBar } from './filter-bar';
import { FirstLock } from './first-lock';
import { KeyHints } from './key-hints';
import { FIRST_LIMIT, isFiltered, type LockSort, listInput } from './list-query';
import { LockList } from './lock-list';
import { NoMatch } from './no-match';
import { sharedRows } from './shared-rows';
import { useListQuery } from './use-list-query';
import { useSteadyRows } from './use-steady-rows';
import { createVisibleRange } from './visible-range';

const LIMIT_MAX = 1_000;

/** How often the figures of the last hour are read again. They need no stream of their own. */
const FLEET_EVERY_MS = 2_000;

function takeMessage(before: LockPage, message: LockListMessage): LockPage {
  const page = pageAfter(before, message);
  return message.kind === 'whole' ? { ...page, rows: sharedRows(before.rows, page.rows) } : page;
}

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
  const [limit, setLimit] = useState(FIRST_LIMIT);
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();

  const input = listInput(query, limit);
  const key = JSON.stringify(input);
  const live = useLive<LockPage, LockListMessage>(
    key,
    initial,
    ({ onData, ...rest }) =>
      client.locks.watch.subscribe(input, { ...rest, onData: (message) => onData(message.data) }),
    takeMessage,
  );
  const { data: page, receivedAt, link, retry } = live;

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
  const steady = useSteadyRows(page.rows, key);
  const [range] = useState(createVisibleRange);
  const onEnd = useCallback(() => setLimit(LIMIT_MAX), []);
  const onSort = (sort: LockSort) =>
    setQuery({ sort, descending: sort === query.sort && !query.descending });
  const scroller = useRef<HTMLDivElement>(null);
  useKeys({ '.': steady.letMove });

  const isEmpty = page.total === 0 && !isFiltered(query);
  return (
    <ReadingProvider reading={reading}>
      <ActStage>
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
            <FilterBar page={page} query={query} onQuery={setQuery}>
              {steady.moves > 0 && <WouldMove moves={steady.moves} onLetMove={steady.letMove} />}
              <LiveDot link={link} onRetry={retry} isFleet />
            </FilterBar>
          )}
          {isEmpty ? (
            <FirstLock origin={origin} link={link} onRetry={retry} />
          ) : page.matching === 0 && steady.rows.length === 0 ? (
            <NoMatch query={query} onQuery={setQuery} />
          ) : (
            <LockList
              rows={steady.rows}
              matching={page.matching}
              query={query}
              scroller={scroller}
              onSort={onSort}
              onHold={steady.hold}
              onEnd={onEnd}
              onRange={range.set}
            />
          )}
          {page.rows.length >= LIMIT_MAX && page.matching > page.rows.length && (
            <p className="px-[var(--gutter)] py-4 text-12 text-t2">
              These are the first {exactCount(page.rows.length)} of {exactCount(page.matching)}.
              Search or filter to see the others.
            </p>
          )}
        </div>
        <LostLine />
        {!isEmpty && <KeyHints range={range} matching={page.matching} />}
      </ActStage>
    </ReadingProvider>
  );
}

/** Says that the order has changed while the rows were held still, and lets them go. */
function WouldMove({ moves, onLetMove }: { moves: number; onLetMove: () => void }) {
  return (
    <button
      type="button"
      onClick={onLetMove}
      className="chip absolute top-full right-[var(--gutter)] z-20 mt-0.5 max-md:hidden"
      data-set="true"
    >
      {moves === 1 ? '1 row would move' : `${moves} rows would move`}
      <kbd className="key border-current! text-current!">.</kbd>
    </button>
  );
}
