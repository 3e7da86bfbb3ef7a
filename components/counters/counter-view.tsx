'use client';

import Link from 'next/link';
import { useMemo, useState } from 'react';
import type {
  CounterDetail,
  CounterMoveRow,
  CounterRow,
} from '@/server/contract/console/counter-row';
import { DeleteNamesButton } from '../deletion/delete-names-dialog';
import { Icon } from '../icons/icon';
import { ConnectionLostNote } from '../live/connection-lost-note';
import { LiveIndicator } from '../live/live-indicator';
import { ReadingProvider } from '../live/reading';
import type { Reading } from '../live/reading-store';
import { useTRPCClient } from '../live/trpc';
import { type LinkState as Line, useLive } from '../live/use-live';
import { CopyButton } from '../ui/controls/copy-button';
import { Rev } from '../ui/rev';
import { WholeName } from '../ui/visible-text';
import { AdjustDialog } from './adjust-dialog';
import { BoundsDialog } from './bounds-dialog';
import { HistoryPanel } from './history-panel';
import { ValuePanel } from './value-panel';

/** A counter's page: its value, the actions on it, and its history. */
export function CounterView({
  initial,
  moves,
}: {
  initial: CounterDetail;
  /** Null where they could not be read for the first paint. */
  moves: { rows: CounterMoveRow[]; older: string | null } | null;
}) {
  const client = useTRPCClient();
  const [dialog, setDialog] = useState<'adjust' | 'bounds' | null>(null);
  const { namespace, name } = initial.row;
  const { data, receivedAt, link, retry } = useLive<CounterDetail>(
    initial.row.id,
    initial,
    ({ onData, ...rest }) =>
      client.counters.watchDetail.subscribe(
        { namespace, name },
        { ...rest, onData: (message) => onData(message.data) },
      ),
  );
  const reading = useMemo<Reading>(
    () => ({ asOf: data.asOf, receivedAt, backends: [data.backend] }),
    [data, receivedAt],
  );
  const { row } = data;
  const close = () => setDialog(null);
  return (
    <ReadingProvider reading={reading}>
      <div className="page">
        <div className="flex flex-col gap-3.5">
          <CounterHeader row={row} link={link} onRetry={retry} />
          <ValuePanel row={row} onAct={setDialog} />
          <HistoryPanel row={row} initial={moves} />
        </div>
      </div>
      <ConnectionLostNote />
      {dialog === 'adjust' && <AdjustDialog row={row} onClose={close} />}
      {dialog === 'bounds' && <BoundsDialog row={row} onClose={close} />}
    </ReadingProvider>
  );
}

/** Where the counter is, its name and its version. */
function CounterHeader({
  row,
  link,
  onRetry,
}: {
  row: CounterRow;
  link: Line;
  onRetry: () => void;
}) {
  return (
    <header className="flex flex-col gap-1.5">
      <div className="flex items-center gap-3">
        <nav aria-label="Breadcrumb" className="flex min-w-0 flex-1 items-center gap-1.5 text-12">
          <Link href="/counters" className="rounded-4 text-t2 hover:text-t1">
            Counters
          </Link>
          <Icon name="chevron-right" size={13} className="text-t3" />
          <span className="truncate text-t2">{row.namespace}</span>
          <Icon name="chevron-right" size={13} className="text-t3" />
          <span className="truncate text-t3">{row.backend}</span>
        </nav>
        <LiveIndicator link={link} onRetry={onRetry} backend={row.isKnown ? '' : row.backend} />
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h1 className="min-w-0 text-20 font-[550]">
          <WholeName name={row.name} />
        </h1>
        <CopyButton text={row.name} label="Copy counter name" quiet />
        <p className="text-12 text-t3">
          counter · <Rev rev={row.rev} />
        </p>
        <DeleteNamesButton
          kind="counter"
          at={{ namespace: row.namespace, way: 'names', names: row.name }}
          className="sm:ml-auto"
        />
      </div>
    </header>
  );
}
