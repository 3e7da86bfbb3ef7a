'use client';

import { useSearchParams } from 'next/navigation';
import { useMemo, useRef, useState } from 'react';
import type { HoldersPage } from '@/server/contract/console/waits/holder-rows';
import { exactCount, plural } from '@/server/core/format/numbers';
import { ConnectionLostNote } from '../live/connection-lost-note';
import { LiveIndicator } from '../live/live-indicator';
import { ReadingProvider } from '../live/reading';
import type { Reading } from '../live/reading-store';
import { useSession } from '../live/session';
import { useTRPCClient } from '../live/trpc';
import { useLive } from '../live/use-live';
import { setAddress } from '../navigation/set-address';
import { PastNote } from '../past/past-note';
import { SearchField } from '../ui/controls/search-field';
import { Hint, KeyBar } from '../ui/key-bar';
import { HolderFilters, isIn, matchesHolder, readHolderFilter } from './holder-filter';
import { HolderStrip } from './holder-strip';
import { HolderTable } from './holder-table';
import { ReleasingProcess } from './releasing-process';
import { useHolderKeys } from './use-holder-keys';

/** Services and their processes: what each holds, waits for, and keeps others from. */
export function HoldersView({ initial }: { initial: HoldersPage }) {
  const client = useTRPCClient();
  const { may } = useSession();
  const params = useSearchParams();
  const { data, receivedAt, link, retry } = useLive<HoldersPage>(
    'holders',
    initial,
    ({ onData, ...rest }) =>
      client.holders.watch.subscribe(
        {},
        { ...rest, onData: (message) => onData(message.data as HoldersPage) },
      ),
  );
  const reading = useMemo<Reading>(
    () => ({ asOf: data.asOf, receivedAt, backends: data.backends }),
    [data, receivedAt],
  );
  const [text, setText] = useState(params.get('q') ?? '');
  const [open, setOpen] = useState<string | null>(params.get('process'));
  const show = (process: string | null) => {
    setOpen(process);
    setAddress({ process });
  };
  const search = (next: string) => {
    setText(next);
    setAddress({ q: next.trim() });
  };
  const filter = readHolderFilter(params.get('verdict'));
  const sought = text.trim().toLowerCase();
  const place = { namespace: params.get('namespace'), backend: params.get('backend') };
  const rows = data.rows.filter(
    (row) => searchTextOf(row).includes(sought) && matchesHolder(row, filter) && isIn(row, place),
  );
  const isFiltered = sought !== '' || filter !== null || rows.length < data.rows.length;
  const table = useRef<HTMLDivElement>(null);
  useHolderKeys(table);
  const more = data.processes - data.rows.filter(({ holds }) => holds > 0).length;
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
              {isFiltered &&
                `${exactCount(rows.length)} of ${plural(data.rows.length, 'process', 'processes')}`}
            </span>
            <span className="ml-auto">
              <LiveIndicator link={link} onRetry={retry} isFleet />
            </span>
          </div>
          <PastNote
            past={data.past}
            limits="Only proof of death is kept: of other processes it is not known whether they were alive."
          />
          {rows.length > 0 ? (
            <div ref={table}>
              <HolderTable
                rows={rows}
                services={data.services}
                isFiltered={isFiltered}
                open={open}
                onOpen={show}
              />
            </div>
          ) : (
            <p className="card px-3.5 py-6 text-14 text-t2">
              {isFiltered ? 'No processes match.' : 'No lock is held, and no caller waits.'}
            </p>
          )}
          {more > 0 && (
            <p className="py-3 text-12 text-t3">
              {plural(more, 'more process', 'more processes')} with fewer locks, and without anyone
              waiting for them.
            </p>
          )}
        </div>
        <ConnectionLostNote />
        <KeyBar>
          <Hint keys={['j', 'k']} word="move" />
          <Hint keys={['←', '→']} word="fold, unfold" />
          <Hint keys={['↵']} word="open, close" />
          {may('operator') && <Hint keys={['r']} word="release all…" />}
          <Hint keys={['?']} word="shortcuts" />
        </KeyBar>
      </ReleasingProcess>
    </ReadingProvider>
  );
}

function searchTextOf({ service, owners, host, pid, version }: HoldersPage['rows'][number]) {
  return [service, ...owners, host, pid, version].join(' ').toLowerCase();
}
