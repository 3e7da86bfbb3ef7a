'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useState } from 'react';
import type { BackendHealth } from '@/server/contract/console/lock-row';
import type { NamespaceRow } from '@/server/contract/console/namespace-row';
import { problemOf } from '../live/problem';
import { useSession } from '../live/session';
import { useTRPC } from '../live/trpc';
import { useBackendsHealth } from '../shell/backend-health-list';
import { Button } from '../ui/controls/button';
import { PageHead } from '../ui/page-head';
import { ProblemNote } from '../ui/problem-note';
import { RowsSkeleton } from '../ui/rows-skeleton';
import { CreateNamespaceDialog } from './create-namespace-dialog';
import { NamespaceTableRow } from './namespace-table-row';
import { PolicyDialog } from './policy-dialog';

/** How often it is counted again. */
const POLL_MS = 5_000;

/** The spaces in which locks have their names: where each lives, what it allows, how it is used. */
export function NamespacesView({
  initial,
  initialBackends,
  now,
}: {
  /** Null where they could not be read for the first paint. */
  initial: NamespaceRow[] | null;
  initialBackends: BackendHealth[];
  now: number;
}) {
  const trpc = useTRPC();
  const { may } = useSession();
  const { data: backends } = useBackendsHealth(initialBackends);
  const { data: namespaces, error } = useQuery(
    trpc.namespaces.list.queryOptions(undefined, {
      ...(initial && { initialData: initial }),
      refetchInterval: POLL_MS,
    }),
  );
  const [isMaking, setMaking] = useState(false);
  const [changing, setChanging] = useState<NamespaceRow | null>(null);
  const isAdmin = may('admin');
  const silent = new Set(backends.filter(({ reachable }) => !reachable).map(({ id }) => id));
  return (
    <div className="page">
      <PageHead
        title="Namespaces"
        end={
          isAdmin && (
            <Button tone="accent" onClick={() => setMaking(true)}>
              New namespace…
            </Button>
          )
        }
      >
        A team’s space on one backend, with a policy: what its callers may ask for.
      </PageHead>
      {error && (
        <div className="pb-4">
          <ProblemNote
            problem={problemOf(error)}
            title={namespaces ? 'This is the last reading.' : 'The namespaces were not read.'}
          />
        </div>
      )}
      {!namespaces && !error && <RowsSkeleton />}
      {namespaces && (
        <table className="list namespace-list">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Backend</th>
              <th scope="col">Policy</th>
              <th scope="col">Locks</th>
              <th scope="col">Held</th>
              <th scope="col">Waiting</th>
              <th scope="col">Made</th>
              <th scope="col">
                <span className="sr-only">Change</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {namespaces.map((namespace) => (
              <NamespaceTableRow
                key={namespace.name}
                namespace={namespace}
                isSilent={silent.has(namespace.backend)}
                now={now}
                onChange={isAdmin ? () => setChanging(namespace) : null}
              />
            ))}
          </tbody>
        </table>
      )}
      <p className="max-w-[80ch] pt-6 text-t3">
        Callers name it in every request, as{' '}
        <code className="font-mono text-12 text-t2">"namespace": "…"</code>, with a key that was
        made for it{' '}
        {isAdmin ? (
          <>
            under{' '}
            <Link href="/settings?section=keys" className="link">
              API keys
            </Link>
          </>
        ) : (
          'by an admin'
        )}
        . Locks of one name in two namespaces are two locks.
      </p>
      {changing && <PolicyDialog of={changing} onClose={() => setChanging(null)} />}
      {isMaking && <CreateNamespaceDialog onClose={() => setMaking(false)} />}
    </div>
  );
}
