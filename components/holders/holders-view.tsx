'use client';

import Link from 'next/link';
import { useSearchParams } from 'next/navigation';
import { useRef, useState } from 'react';
import { HOLDER_SEARCH_MAX, type HoldersPage } from '@/server/contract/console/waits/holder-rows';
import { plural } from '@/server/core/format/numbers';
import { ConnectionLostNote } from '../live/connection-lost-note';
import { LiveIndicator } from '../live/live-indicator';
import { ReadingProvider, useLiveReading } from '../live/reading';
import { gapNote } from '../live/reading-store';
import { useSession } from '../live/session';
import { setAddress } from '../navigation/set-address';
import { PastNote } from '../past/past-note';
import { SearchField } from '../ui/controls/search-field';
import { Hint, KeyBar } from '../ui/key-bar';
import { HolderFilters, readHolderFilter } from './holder-filter';
import { listHolders } from './holder-list';
import { HolderStrip } from './holder-strip';
import { HolderTable } from './holder-table';
import { ReleasingProcess } from './release/releasing-process';
import { useHolderKeys } from './use-holder-keys';
import { useHolders } from './use-holders';

/** About the processes of the past. */
const LIVENESS_LIMIT =
  'Only renewals and proof of death are recorded: whether other processes were alive is unknown.';

/** Services and their processes: what each holds, waits for, and keeps others from. */
export function HoldersView({ initial }: { initial: HoldersPage }) {
  const params = useSearchParams();
  const { text, onText, onClear } = useHolderSearch(params.get('q') ?? '');
  const { data, receivedAt, link, refusal, retry, problem } = useHolders(initial, text);
  const reading = useLiveReading(data, { receivedAt, refusal });
  const [open, onOpen] = useOpenProcess(params.get('process'));
  const verdict = readHolderFilter(params.get('verdict'));
  const place = { namespace: params.get('namespace'), backend: params.get('backend') };
  const list = listHolders(data, { search: text.trim(), verdict, ...place });
  const table = useRef<HTMLDivElement>(null);
  useHolderKeys(table);
  return (
    <ReadingProvider reading={reading}>
      <ReleasingProcess>
        <div className="page">
          <h1 className="sr-only">Holders</h1>
          <HolderStrip page={data} filter={verdict} />
          <div className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3">
            <SearchField
              label="Service, owner, host, pid or version"
              value={text}
              onChange={onText}
              className="w-full sm:w-[280px]"
            />
            <HolderFilters rows={data.rows} filter={verdict} place={place} />
            <span className="text-12 text-t3">{problem ?? list.count}</span>
            <span className="ml-auto">
              <LiveIndicator link={link} onRetry={retry} isFleet />
            </span>
          </div>
          <PastNote past={data.past} limits={LIVENESS_LIMIT} />
          {list.rows.length > 0 ? (
            <div ref={table}>
              <HolderTable {...list} services={data.services} open={open} onOpen={onOpen} />
            </div>
          ) : (
            <NoHolders
              {...list}
              isPast={data.past !== undefined}
              gap={gapNote(data.backends)}
              onClear={onClear}
            />
          )}
          {list.more > 0 && !list.isSearching && (
            <p className="py-3 text-12 text-t3">
              {plural(list.more, 'more process', 'more processes')} with fewer locks and no waiters
              {data.search === '' ? '; the search finds them too' : ''}.
            </p>
          )}
        </div>
        <ConnectionLostNote />
        <HolderKeyBar />
      </ReleasingProcess>
    </ReadingProvider>
  );
}

/** The text to search for, kept in the page's address; clearing it clears the filters too. */
function useHolderSearch(initial: string) {
  const [text, setText] = useState(initial.slice(0, HOLDER_SEARCH_MAX));
  const onText = (next: string) => {
    setText(next);
    setAddress({ q: next.trim() });
  };
  const onClear = () => {
    setText('');
    setAddress({ q: null, verdict: null, namespace: null, backend: null });
  };
  return { text, onText, onClear };
}

/** The id of the process that is open, kept in the page's address. */
function useOpenProcess(initial: string | null) {
  const [open, setOpen] = useState(initial);
  const onOpen = (process: string | null) => {
    setOpen(process);
    setAddress({ process });
  };
  return [open, onOpen] as const;
}

function NoHolders({
  isSearching,
  isFiltered,
  isPast,
  gap,
  onClear,
}: {
  isSearching: boolean;
  isFiltered: boolean;
  isPast: boolean;
  /** See `gapNote`. */
  gap: string;
  onClear: () => void;
}) {
  return (
    <p className="card px-3.5 py-6 text-14 text-t2">
      {emptyNote(isSearching, isFiltered, gap)}
      {!isSearching && isFiltered && (
        <>
          {' '}
          <button type="button" className="link rounded-4" onClick={onClear}>
            Clear filters
          </button>
        </>
      )}
      {!isSearching && !isFiltered && gap === '' && !isPast && (
        <span className="block pt-1 text-13 text-t3">
          Processes appear here when they acquire a lock, by a client or{' '}
          <Link href="/docs" prefetch={false} className="link">
            the API
          </Link>
          .
        </span>
      )}
    </p>
  );
}

/** @param gap see `gapNote` */
function emptyNote(isSearching: boolean, isFiltered: boolean, gap: string): string {
  if (isSearching) return 'Searching…';
  if (isFiltered) return 'No processes match these filters.';
  if (gap === '') return 'No locks held, no callers waiting.';
  return `No locks are known to be held, no callers to be waiting. ${gap}`;
}

function HolderKeyBar() {
  const { may } = useSession();
  return (
    <KeyBar>
      <Hint keys={['j', 'k']} word="move" />
      <Hint keys={['←', '→']} word="fold, unfold" />
      <Hint keys={['↵']} word="open, close" />
      {may('operator') && <Hint keys={['r']} word="release all…" />}
      <Hint keys={['?']} word="shortcuts" />
    </KeyBar>
  );
}
