'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useState } from 'react';
import type { NamespaceRow } from '@/server/contract/console/namespace-row';
import type { ShardsPage } from '@/server/contract/console/shard-row';
import { plural } from '@/server/core/format/numbers';
import { AgedReading } from '../backends/aged-reading';
import { useTRPC } from '../live/trpc';
import { useNamespaces } from '../namespaces/use-namespaces';
import { useIsClosed } from '../shell/backend-queries';
import { PageHead } from '../ui/page-head';
import { ProblemNote } from '../ui/problem-note';
import { ReadNote, ReadsLostNote } from '../ui/unanswered/reads-note';
import { NameLocator } from './name-locator';
import { ShardNames } from './shard-names';
import { ShardTable } from './shard-table';

const POLL_MS = 5_000;

/** The shards of a backend: the state and size of each, and the shard of any name. */
export function ShardsView({
  initial,
  initialNamespaces,
}: {
  initial: ShardsPage;
  /** Null where they could not be read for the first paint. */
  initialNamespaces: NamespaceRow[] | null;
}) {
  const backend = initial.backend.id;
  const trpc = useTRPC();
  const [only, setOnly] = useState<string | null>(null);
  const {
    data = initial,
    dataUpdatedAt,
    error,
  } = useQuery(
    trpc.backends.shards.queryOptions(
      { backend },
      { initialData: initial, refetchInterval: POLL_MS, placeholderData: keepPreviousData },
    ),
  );
  const { namespaces } = useNamespaces(initialNamespaces);
  const here = namespaces?.filter((each) => each.backend === backend).map(({ name }) => name);
  const { shards } = data;
  const { refusal } = data.backend;
  const isClosed = useIsClosed(backend);
  const closed = refusal ? 'disabled here' : isClosed ? 'grants disabled' : null;
  return (
    <div className="page">
      <PageHead title={`Shards of ${backend}`}>
        Sharded across {plural(shards.length, 'database')}. The name alone decides its shard.{' '}
        <Link href="/backends" className="link">
          All backends
        </Link>
      </PageHead>
      <div className="grid gap-3.5">
        {refusal && (
          <ProblemNote problem={{ text: refusal }} title="Backend disabled on this server" />
        )}
        <ReadNote read={{ data, error }} what="shards" className="" />
        <AgedReading updatedAt={dataUpdatedAt}>
          <ShardTable shards={shards} closed={closed} only={only} onOnly={setOnly} />
        </AgedReading>
        <NameLocator backend={backend} namespaces={here ?? null} />
        <ShardNames
          key={only}
          initial={only === null ? initial : null}
          backend={backend}
          only={only}
        />
      </div>
      <ReadsLostNote reads={[{ data, error }]} />
    </div>
  );
}
