'use client';

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { BackendHealth } from '@/server/contract/console/backend-health';
import type { Filling } from '@/server/contract/console/namespace-row';
import { agoText } from '@/server/core/format/durations';
import { exactCount } from '@/server/core/format/numbers';
import { Icon } from '../icons/icon';
import { longUnread } from '../live/reading-store';
import { useSession } from '../live/session';
import { useTRPC } from '../live/trpc';
import { NearLink } from '../navigation/near-link';
import { usePastAt } from '../past/past-at';
import { useBackendsHealth } from './backend-queries';

const POLL_MS = 60_000;

/** Warns an admin whose own connection is not encrypted. */
export function UnencryptedBanner() {
  const { unencrypted } = useSession();
  if (!unencrypted) return null;
  return (
    <Banner title="This connection is not encrypted.">
      Passwords, sessions and API keys can be read on the network. Put a TLS proxy in front; see{' '}
      <span className="font-mono text-12">docs/behind-a-proxy.md</span>.
    </Banner>
  );
}

/** Warns of namespaces that will soon accept no new locks and counters. */
export function CapacityBanner({ initial }: { initial: Filling | null }) {
  const trpc = useTRPC();
  const { data: found } = useQuery(
    trpc.namespaces.filling.queryOptions(undefined, {
      refetchInterval: POLL_MS,
      initialData: initial,
    }),
  );
  if (!found) return null;
  const { first, isFull, more, nearly } = found;
  const { name, used, maxLocks } = first;
  return (
    <Banner
      title={
        <>
          Namespace <span className="font-mono text-12">{name}</span>{' '}
          {more > 0 ? `and ${exactCount(more)} more are` : 'is'} {isFull ? 'full' : 'nearly full'}.
        </>
      }
    >
      {exactCount(used)} of {exactCount(maxLocks)} locks and counters used
      {isFull ? '; new ones are rejected.' : '; at the limit, new ones are rejected.'}{' '}
      {isFull && nearly > 0 && `${exactCount(nearly)} more nearly full. `}
      <NearLink href="/namespaces" className="link">
        View policy
      </NearLink>
    </Banner>
  );
}

/** Says that totals lack what was not read since the server's start, and how long that takes. */
export function UnreadBanner({ initial }: { initial: BackendHealth[] }) {
  const { data } = useBackendsHealth(initial);
  const isPast = usePastAt() !== null;
  const unread = longUnread(data);
  if (isPast || !unread) return null;
  return (
    <Banner title="Totals are still being counted.">
      Since the server’s start {agoText(unread.forMs)}, not all of{' '}
      <span className="font-mono text-12">{unread.ids}</span> has been read: locks, waits, holders
      and counters are missing from lists and figures.
    </Banner>
  );
}

function Banner({ title, children }: { title: ReactNode; children: ReactNode }) {
  return (
    <p
      role="status"
      className="flex shrink-0 items-start gap-2.5 border-line border-b bg-contended-tint px-[var(--gutter)] py-2"
    >
      <Icon name="alert-triangle" size={16} className="mt-0.5 shrink-0 text-contended" />
      <span>
        <strong className="font-semibold">{title}</strong> {children}
      </span>
    </p>
  );
}
