'use client';

import Link from 'next/link';
import type { CounterRow } from '@/server/contract/console/counter-row';
import { DeleteNamesButton } from '../../deletion/delete-names-button';
import { Icon } from '../../icons/icon';
import { LiveIndicator } from '../../live/live-indicator';
import type { LinkState as Line } from '../../live/use-live';
import { CopyButton } from '../../ui/controls/copy-button';
import { WholeName } from '../../ui/exact-name';
import { Rev } from '../../ui/rev';

/** Where the counter is, its name and its version. */
export function CounterHeader({
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
