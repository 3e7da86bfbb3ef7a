'use client';

import { useQuery } from '@tanstack/react-query';
import type { GuaranteeRow } from '@/server/contract/console/guarantee-row';
import type { BackendHealth } from '@/server/contract/console/lock-row';
import type { NamespaceRow } from '@/server/contract/console/namespace-row';
import { problemOf } from '../live/problem';
import { useTRPC } from '../live/trpc';
import { useBackendsHealth } from '../shell/backend-health-list';
import { sortBySeverity } from '../shell/sort-by-severity';
import { useGuarantees } from '../shell/use-guarantees';
import { PageHead } from '../ui/page-head';
import { ProblemNote } from '../ui/problem-note';
import { BackendCard } from './backend-card';

/** How often the number of locks is read again. */
const POLL_MS = 10_000;

/** The stores that keep the locks, worst first: what each can promise, and how it is. */
export function BackendsView({
  initial,
  initialGuarantees,
  initialNamespaces,
}: {
  initial: BackendHealth[];
  initialGuarantees: GuaranteeRow[];
  /** Null where they could not be read for the first paint. */
  initialNamespaces: NamespaceRow[] | null;
}) {
  const trpc = useTRPC();
  const { data, error } = useBackendsHealth(initial);
  const { data: guarantees } = useGuarantees(initialGuarantees);
  const { data: namespaces } = useQuery(
    trpc.namespaces.list.queryOptions(undefined, {
      ...(initialNamespaces && { initialData: initialNamespaces }),
      refetchInterval: POLL_MS,
    }),
  );
  const rowOf = (id: string) => guarantees.find(({ backend }) => backend === id) ?? null;
  return (
    <div className="page">
      <PageHead title="Backends">
        The stores that keep the locks, and what each of them can promise as it is set up.
      </PageHead>
      {error && (
        <div className="pb-4">
          <ProblemNote problem={problemOf(error)} title="This is the last reading." />
        </div>
      )}
      <ul className="backend-cards">
        {sortBySeverity(data, guarantees).map((backend) => (
          <BackendCard
            key={backend.id}
            backend={backend}
            row={rowOf(backend.id)}
            spaces={namespaces?.filter((space) => space.backend === backend.id) ?? null}
          />
        ))}
      </ul>
      <p className="max-w-[75ch] pt-6 text-t3">
        Another one is added by starting the server with{' '}
        <code className="font-mono text-12 text-t2">LOCKYARD_BACKEND_NAME=mysql://…</code>, and used
        by a namespace made on it. What each level means, how to set a store up and what to do when
        it dies stands in <code className="font-mono text-12 text-t2">docs/backends.md</code>.
      </p>
    </div>
  );
}
