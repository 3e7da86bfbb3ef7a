'use client';

import Link from 'next/link';
import { useSearchParams } from 'next/navigation';
import { useRef, useState } from 'react';
import { matchesHolder } from '@/server/contract/console/waits/holder-figures';
import { HOLDER_SEARCH_MAX, type HoldersPage } from '@/server/contract/console/waits/holder-rows';
import { exactCount, plural } from '@/server/core/format/numbers';
import { ConnectionLostNote } from '../live/connection-lost-note';
import { LiveIndicator } from '../live/live-indicator';
import { ReadingProvider, useLiveReading } from '../live/reading';
import { silentBackends } from '../live/reading-store';
import { useSession } from '../live/session';
import { setAddress } from '../navigation/set-address';
import { PastNote } from '../past/past-note';
import { SearchField } from '../ui/controls/search-field';
import { Hint, KeyBar } from '../ui/key-bar';
import { HolderFilters, isIn, readHolderFilter } from './holder-filter';
import { HolderStrip } from './holder-strip';
import { HolderTable } from './holder-table';
import { ReleasingProcess } from './release/releasing-process';
import { useHolderKeys } from './use-holder-keys';
import { useHolders } from './use-holders';

/** Services and their processes: what each holds, waits for, and keeps others from. */
export function HoldersView({ initial }: { initial: HoldersPage }) {
  const params = useSearchParams();
  const [text, setText] = useState((params.get('q') ?? '').slice(0, HOLDER_SEARCH_MAX));
  const { data, receivedAt, link, refusal, retry, problem } = useHolders(initial, text);
  const reading = useLiveReading(data, { receivedAt, refusal });
  const [open, setOpen] = useState<string | null>(params.get('process'));
  const show = (process: string | null) => {
    setOpen(process);
    setAddress({ process });
  };
  const search = (next: string) => {
    setText(next);
    setAddress({ q: next.trim() });
  };
  const clear = () => {
    setText('');
    setAddress({ q: null, verdict: null, namespace: null, backend: null });
  };
  const filter = readHolderFilter(params.get('verdict'));
  const sought = text.trim();
  const isSearching = data.search !== sought;
  const place = { namespace: params.get('namespace'), backend: params.get('backend') };
  const found = isSearching ? data.rows.filter((row) => isNamed(row, sought)) : data.rows;
  const rows = found.filter((row) => matchesHolder(row, filter) && isIn(row, place));
  const isNarrowed = filter !== null || place.namespace !== null || place.backend !== null;
  const isFiltered = sought !== '' || isNarrowed;
  const silent = data.past ? '' : silentBackends(data.backends);
  const table = useRef<HTMLDivElement>(null);
  useHolderKeys(table);
  const more = data.found - data.rows.length;
  // Those that wait or block others are listed before all others.
  const isCut = more > 0 && data.rows.every(({ waits, blocked }) => waits > 0 || blocked > 0);
  return (
    <ReadingProvider reading={reading}>
      <ReleasingProcess>
        <div className="page">
          <h1 className="sr-only">Holders</h1>
          <HolderStrip page={data} filter={filter} />
          <div className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3">
            <SearchField
              label="Service, owner, host, pid or version"
              value={text}
              onChange={search}
              className="w-full sm:w-[280px]"
            />
            <HolderFilters rows={data.rows} filter={filter} place={place} />
            <span className="text-12 text-t3">
              {problem ?? (isFiltered && !isSearching && countOf(rows.length, isNarrowed, data))}
            </span>
            <span className="ml-auto">
              <LiveIndicator link={link} onRetry={retry} isFleet />
            </span>
          </div>
          <PastNote
            past={data.past}
            limits="Only proof of death is recorded: whether other processes were alive is unknown."
          />
          {rows.length > 0 ? (
            <div ref={table}>
              <HolderTable
                rows={rows}
                services={data.services}
                isFiltered={isFiltered}
                isCut={isCut}
                open={open}
                onOpen={show}
              />
            </div>
          ) : (
            <NoHolders
              isSearching={isSearching}
              isFiltered={isFiltered}
              isPast={data.past !== undefined}
              silent={silent}
              onClear={clear}
            />
          )}
          {more > 0 && !isSearching && (
            <p className="py-3 text-12 text-t3">
              {plural(more, 'more process', 'more processes')} with fewer locks and no waiters
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

/** Whether a listed row matches a search, until the server has searched all processes. */
function isNamed(
  { service, owners, host, pid, version }: HoldersPage['rows'][number],
  sought: string,
): boolean {
  const text = [service, ...owners, host, pid, version].join(' ');
  return text.toLowerCase().includes(sought.toLowerCase());
}

/** With a filter only the listed rows are counted: the page does not know the others. */
function countOf(shown: number, isNarrowed: boolean, { rows, found }: HoldersPage): string {
  if (!isNarrowed) return plural(found, 'process matches', 'processes match');
  return `${exactCount(shown)} of ${plural(rows.length, 'process', 'processes')}`;
}

function NoHolders({
  isSearching,
  isFiltered,
  isPast,
  silent,
  onClear,
}: {
  isSearching: boolean;
  isFiltered: boolean;
  isPast: boolean;
  /** The backends that do not respond; empty: all do. */
  silent: string;
  onClear: () => void;
}) {
  return (
    <p className="card px-3.5 py-6 text-14 text-t2">
      {emptyNote(isSearching, isFiltered, silent)}
      {!isSearching && isFiltered && (
        <>
          {' '}
          <button type="button" className="link rounded-4" onClick={onClear}>
            Clear filters
          </button>
        </>
      )}
      {!isSearching && !isFiltered && silent === '' && !isPast && (
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

/** @param silent the backends that do not respond */
function emptyNote(isSearching: boolean, isFiltered: boolean, silent: string): string {
  if (isSearching) return 'Searching…';
  if (isFiltered) return 'No processes match these filters.';
  if (silent === '') return 'No locks held, no callers waiting.';
  return `No locks are known to be held, no callers to be waiting. Not responding: ${silent}.`;
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
