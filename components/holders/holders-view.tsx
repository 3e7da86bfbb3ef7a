'use client';

import { useSearchParams } from 'next/navigation';
import { useMemo, useState } from 'react';
import type { HoldersPage } from '@/server/contract/console/waits/holder-rows';
import { exactCount, plural } from '../format/numbers';
import { ConnectionLostNote } from '../live/connection-lost-note';
import { LiveIndicator } from '../live/live-indicator';
import { ReadingProvider, useAged } from '../live/reading';
import type { Reading } from '../live/reading-store';
import { useTRPCClient } from '../live/trpc';
import { useLive } from '../live/use-live';
import { PastNote } from '../past/past-note';
import { SearchField } from '../ui/controls/search-field';
import { Duration } from '../ui/duration';
import { PageHead } from '../ui/page-head';
import { HolderTable } from './holder-table';
import { ReleasingProcess } from './releasing-process';

/** Services and their processes: what each holds, waits for, and keeps others from. */
export function HoldersView({ initial }: { initial: HoldersPage }) {
  const client = useTRPCClient();
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
    const { pathname, search } = window.location;
    const address = new URLSearchParams(search);
    if (process === null) address.delete('process');
    else address.set('process', process);
    window.history.replaceState(null, '', address.size > 0 ? `${pathname}?${address}` : pathname);
  };
  const sought = text.trim().toLowerCase();
  const rows = data.rows.filter((row) => searchTextOf(row).includes(sought));
  const more = data.processes - data.rows.filter(({ holds }) => holds > 0).length;
  return (
    <ReadingProvider reading={reading}>
      <ReleasingProcess>
        <div className="page">
          <PageHead title="Holders">
            <Totals page={data} />
          </PageHead>
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2 pb-3">
            <SearchField
              label="Search service, owner, host or pid"
              value={text}
              onChange={setText}
              className="w-full sm:w-[280px]"
            />
            <span className="text-12 text-t3">
              {sought !== '' &&
                `${exactCount(rows.length)} of ${plural(data.rows.length, 'process', 'processes')}`}
            </span>
            <span className="ml-auto">
              <LiveIndicator link={link} onRetry={retry} isFleet />
            </span>
          </div>
          <PastNote past={data.past} />
          {rows.length > 0 ? (
            <HolderTable rows={rows} services={data.services} open={open} onOpen={show} />
          ) : (
            <p className="card px-3.5 py-6 text-14 text-t2">
              {sought === '' ? 'No lock is held, and no caller waits.' : 'No processes match.'}
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
      </ReleasingProcess>
    </ReadingProvider>
  );
}

function searchTextOf({ service, owners, host, pid, version }: HoldersPage['rows'][number]) {
  return [service, ...owners, host, pid, version].join(' ').toLowerCase();
}

function Totals({ page: { processes, holds, waiting, blockingMs } }: { page: HoldersPage }) {
  const seconds = useAged((ageMs) =>
    Math.floor((blockingMs + waiting * Math.min(ageMs, 5_000)) / 1_000),
  );
  return (
    <>
      {plural(processes, 'process', 'processes')} with {plural(holds, 'hold')}
      {waiting > 0 && (
        <>
          ; {plural(waiting, 'caller')} waiting, <Duration ms={seconds * 1_000} /> in total
        </>
      )}
    </>
  );
}
