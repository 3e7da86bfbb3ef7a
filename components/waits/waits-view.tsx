'use client';

import dynamic from 'next/dynamic';
import { useSearchParams } from 'next/navigation';
import { useMemo } from 'react';
import type { DeadlockRow, WaitGraph } from '@/server/contract/console/waits/wait-graph';
import { ActionsProvider } from '../actions/actions-provider';
import { ConnectionLostNote } from '../live/connection-lost-note';
import { LiveIndicator } from '../live/live-indicator';
import { ReadingProvider, useLiveReading } from '../live/reading';
import { gapNote } from '../live/reading-store';
import { useTRPCClient } from '../live/trpc';
import { useLive } from '../live/use-live';
import { LatePart, loadUntilThere } from '../navigation/late-part';
import { setAddress } from '../navigation/set-address';
import { PastNote } from '../past/past-note';
import { Choice } from '../ui/controls/choices/choice';
import { useMedia } from '../ui/use-media';
import { drawingsOf } from './graph/graph-shape';
import { useBands } from './graph/use-bands';
import { HeadBlockers } from './head-blockers';
import { PastDeadlocks } from './past-deadlocks';
import { isFiltering, matchingHeads, readWaitFilter } from './wait-filter';
import { WaitFilterChips } from './wait-filter-chips';
import { WaitTable } from './wait-table';
import { WaitTotals } from './wait-totals';

const WaitCanvas = dynamic(() => loadUntilThere(() => import('./graph/wait-canvas')), {
  ssr: false,
  loading: () => (
    <LatePart>
      <p className="after-a-moment p-4 text-t3">Loading the graph…</p>
    </LatePart>
  ),
});

const VIEWS = ['graph', 'list'] as const;
type View = (typeof VIEWS)[number];
const VIEW_LABELS: Record<View, string> = { graph: 'Graph', list: 'List' };

/** Who waits for whom over all backends: head blockers, the graph or its table, past deadlocks. */
export function WaitsView({
  initial,
  initialDeadlocks,
}: {
  initial: WaitGraph;
  /** Null where they could not be read for the first paint. */
  initialDeadlocks: DeadlockRow[] | null;
}) {
  const client = useTRPCClient();
  const { data, receivedAt, link, refusal, retry } = useLive<WaitGraph>(
    'waits',
    initial,
    ({ onData, ...rest }) =>
      client.waits.watch.subscribe(
        {},
        { ...rest, onData: (message) => onData(message.data as WaitGraph) },
      ),
  );
  const reading = useLiveReading(data, { receivedAt, refusal });
  const [view, setView] = useView();
  const params = useSearchParams();
  const filter = useMemo(() => readWaitFilter(params), [params]);
  const matching = useMemo(() => matchingHeads(data, filter), [data, filter]);
  const isNarrow = useMedia(NARROW, false);
  const drawings = useMemo(() => (view === 'graph' ? drawingsOf(matching) : []), [view, matching]);
  const { bands, panelHeight, onPanel, onDrawn } = useBands(drawings.map((each) => each.heads));
  const isEmpty = data.waiting === 0;
  return (
    <ReadingProvider reading={reading}>
      <ActionsProvider>
        <div className="waits">
          <header className="waits-head">
            <h1 className="text-19 font-[640]">Waits</h1>
            {(!isEmpty || isFiltering(filter)) && <WaitFilterChips graph={data} filter={filter} />}
            <WaitTotals graph={data} isFiltered={isFiltering(filter)} />
            <span className="ml-auto flex items-center gap-4">
              <ViewChoice view={view} onView={setView} />
              <LiveIndicator link={link} onRetry={retry} isFleet />
            </span>
          </header>
          <PastNote past={data.past} limits="Statuses use current baselines and policies." />
          {isEmpty ? (
            <NoWaits isPast={data.past !== undefined} gap={gapNote(data.backends)} />
          ) : matching.heads.length === 0 && isFiltering(filter) ? (
            <NoMatchingWaits />
          ) : (
            <div className="waits-main">
              <HeadBlockers
                graph={matching}
                bands={bands}
                panelHeight={isNarrow ? null : panelHeight}
                onPanel={isNarrow ? null : onPanel}
              />
              {view === 'graph' ? (
                <WaitCanvas
                  drawings={drawings}
                  bands={bands}
                  backends={data.backends.map(({ id }) => id)}
                  onDrawn={onDrawn}
                />
              ) : (
                <WaitTable graph={data} filter={filter} />
              )}
            </div>
          )}
          {!data.past && <PastDeadlocks initial={initialDeadlocks} filter={filter} />}
        </div>
        <ConnectionLostNote />
      </ActionsProvider>
    </ReadingProvider>
  );
}

const NOTE = 'px-[var(--gutter)] py-8 text-14 text-t2';

/** @param gap see `gapNote` */
function NoWaits({ isPast, gap }: { isPast: boolean; gap: string }) {
  if (gap !== '') {
    return (
      <p className={NOTE}>
        No callers are known to {isPast ? 'have waited at this instant' : 'be waiting'}.
        <span className="block pt-1 text-13 text-t3">
          {gap} Whether callers {isPast ? 'waited' : 'wait'} there is unknown.
        </span>
      </p>
    );
  }
  if (isPast) return <p className={NOTE}>No caller waited for a lock at this instant.</p>;
  return (
    <p className={NOTE}>
      No callers are waiting. Waits on all backends appear here, with what blocks them.
      <span className="block pt-1 text-13 text-t3">
        A caller waits when it asks for a held lock with{' '}
        <code className="font-mono text-12">waitMs</code>.
      </span>
    </p>
  );
}

function NoMatchingWaits() {
  return (
    <p className={NOTE}>
      No waits match these filters.{' '}
      <button
        type="button"
        className="link rounded-4"
        onClick={() => setAddress({ namespace: null, backend: null, over: null })}
      >
        Clear filters
      </button>
    </p>
  );
}

function ViewChoice({ view, onView }: { view: View; onView: (view: View) => void }) {
  return (
    <fieldset className="flex gap-1">
      <legend className="sr-only">Show waits as</legend>
      {VIEWS.map((each) => (
        <Choice key={each} name="waits-view" isChosen={view === each} onChoose={() => onView(each)}>
          {VIEW_LABELS[each]}
        </Choice>
      ))}
    </fieldset>
  );
}

const NARROW = '(max-width: 899.98px)';

/** The view in the address; else the graph, or on a narrow screen the list. */
function useView(): [View, (view: View) => void] {
  const named = useSearchParams().get('view');
  const isNarrow = useMedia(NARROW, false);
  const chosen = VIEWS.find((each) => each === named);
  return [chosen ?? (isNarrow ? 'list' : 'graph'), (view) => setAddress({ view })];
}
