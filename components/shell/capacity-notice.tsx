'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { isFilling } from '@/server/core/names/filling';
import { exactCount } from '../format/counts';
import { Icon } from '../icons/icon';
import { useTRPC } from '../live/trpc';

const POLL_MS = 60_000;

/** Warns of namespaces that soon take no new locks and counters. */
export function CapacityNotice() {
  const trpc = useTRPC();
  const { data = [] } = useQuery(
    trpc.namespaces.list.queryOptions(undefined, { refetchInterval: POLL_MS }),
  );
  const filling = data.filter(({ locks, counters, policy }) =>
    isFilling(locks + counters, policy.maxLocks),
  );
  const [first, ...more] = filling;
  if (!first) return null;
  const { name, locks, counters, policy } = first;
  const isFull = more.length === 0 && locks + counters >= policy.maxLocks;
  return (
    <p
      role="status"
      className="flex shrink-0 items-start gap-2.5 border-line border-b bg-contended-tint px-[var(--gutter)] py-2"
    >
      <Icon name="alert-triangle" size={16} className="mt-0.5 shrink-0 text-contended" />
      <span>
        <strong className="font-semibold">
          The namespace <span className="font-mono text-12">{name}</span>{' '}
          {more.length > 0 ? `and ${more.length} more are` : 'is'} {isFull ? 'full' : 'nearly full'}
          .
        </strong>{' '}
        It has {exactCount(locks + counters)} of {exactCount(policy.maxLocks)} locks and counters
        {isFull ? ': new ones are refused.' : '; at the bound new ones are refused.'}{' '}
        <Link href="/namespaces" className="link">
          See its policy
        </Link>
      </span>
    </p>
  );
}
