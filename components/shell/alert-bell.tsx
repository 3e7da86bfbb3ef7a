'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { exactCount, plural } from '@/server/core/format/numbers';
import { Icon } from '../icons/icon';
import { useTRPC } from '../live/trpc';

const POLL_MS = 10_000;

/** How many alerts fire, in the top bar. */
export function AlertBell() {
  const trpc = useTRPC();
  const { data } = useQuery(
    trpc.alerts.summary.queryOptions(undefined, { refetchInterval: POLL_MS }),
  );
  const { firing = 0, failing = 0 } = data ?? {};
  const problem = failing > 0 ? `, ${plural(failing, 'receiver')} not reached` : '';
  return (
    <Link
      href="/alerts"
      prefetch={false}
      aria-label={`Alerts: ${exactCount(firing)} firing${problem}`}
      className="flex h-8 shrink-0 items-center justify-center gap-1 rounded-5 px-1 text-t2 hover:text-t1 pointer-coarse:h-11 pointer-coarse:min-w-11"
    >
      <Icon name="bell" size={17} className={firing > 0 ? 'text-dangertext' : ''} />
      {firing > 0 && (
        <span className="font-[600] text-12 text-dangertext tabular-nums">
          {exactCount(firing)}
        </span>
      )}
      {failing > 0 && <Icon name="alert-triangle" size={14} className="text-contended" />}
    </Link>
  );
}
