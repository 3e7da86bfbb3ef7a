'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { exactCount } from '@/server/core/format/numbers';
import { alertsLabel } from '../alerts/bell-label';
import { Icon } from '../icons/icon';
import { useTRPC } from '../live/trpc';

const POLL_MS = 10_000;

/** The number of firing alerts, in the top bar. */
export function AlertBell() {
  const trpc = useTRPC();
  const { data, error } = useQuery(
    trpc.alerts.summary.queryOptions(undefined, { refetchInterval: POLL_MS }),
  );
  const { firing = 0, failing = 0 } = data ?? {};
  const label = alertsLabel(data, error !== null);
  const ink = firing > 0 ? 'text-dangertext' : '';
  return (
    <Link
      href="/alerts"
      prefetch={false}
      aria-label={label}
      title={error ? label : undefined}
      className="flex h-8 shrink-0 items-center justify-center gap-1 rounded-5 px-1 text-t2 hover:text-t1 pointer-coarse:h-11 pointer-coarse:min-w-11"
    >
      <Icon name="bell" size={17} className={error ? 'text-unknown' : ink} />
      {firing > 0 && (
        <span className="font-[600] text-12 text-dangertext tabular-nums">
          {exactCount(firing)}
        </span>
      )}
      {failing > 0 && <Icon name="alert-triangle" size={14} className="text-contended" />}
    </Link>
  );
}
