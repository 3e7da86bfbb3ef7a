'use client';

import { useQuery } from '@tanstack/react-query';
import type { BackendCourses, BackendHealth } from '@/server/contract/console/backend-health';
import type { GuaranteeRow } from '@/server/contract/console/guarantee-row';
import type { NamespaceRow } from '@/server/contract/console/namespace-row';
import { useTRPC } from '../live/trpc';
import { useNamespaces } from '../namespaces/use-namespaces';
import { useBackendsHealth, useGuarantees } from '../shell/backend-queries';
import { sortBySeverity } from '../shell/sort-by-severity';
import { PageHead } from '../ui/page-head';
import { ReadNote, ReadsLostNote } from '../ui/unanswered/reads-note';
import { AgedReading } from './aged-reading';
import { BackendCard } from './backend-card';

/** How often the response times of the last hour are refetched. */
const COURSES_POLL_MS = 15_000;

/** The backends by severity: guarantees and health of each. */
export function BackendsView({
  initial,
  initialGuarantees,
  initialNamespaces,
  initialCourses,
}: {
  initial: BackendHealth[];
  initialGuarantees: GuaranteeRow[];
  /** Null where they could not be read for the first paint. */
  initialNamespaces: NamespaceRow[] | null;
  initialCourses: BackendCourses | null;
}) {
  const trpc = useTRPC();
  const { data, dataUpdatedAt, error } = useBackendsHealth(initial);
  const { data: guarantees } = useGuarantees(initialGuarantees);
  const { namespaces } = useNamespaces(initialNamespaces);
  const { data: courses } = useQuery(
    trpc.backends.courses.queryOptions(undefined, {
      ...(initialCourses && { initialData: initialCourses }),
      refetchInterval: COURSES_POLL_MS,
    }),
  );
  const rowOf = (id: string) => guarantees.find(({ backend }) => backend === id) ?? null;
  return (
    <div className="page">
      <PageHead title="Backends">
        Lock stores, their health and the guarantees their configuration provides.
      </PageHead>
      <ReadNote read={{ data, error }} what="backends" className="pb-4" />
      <AgedReading updatedAt={dataUpdatedAt}>
        <ul className="grid gap-3.5">
          {sortBySeverity(data, guarantees).map((backend) => (
            <BackendCard
              key={backend.id}
              backend={backend}
              row={rowOf(backend.id)}
              courses={courses ?? null}
              namespaces={namespaces?.filter((each) => each.backend === backend.id) ?? null}
            />
          ))}
        </ul>
      </AgedReading>
      <p className="max-w-[75ch] pt-6 text-t3">
        Add a backend with{' '}
        <code className="font-mono text-12 text-t2">LOCKYARD_BACKEND_&lt;ID&gt;=mysql://…</code>,
        then create a namespace on it. See{' '}
        <code className="font-mono text-12 text-t2">docs/backends.md</code>.
      </p>
      <ReadsLostNote reads={[{ data, error }]} />
    </div>
  );
}
