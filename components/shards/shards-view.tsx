'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useState } from 'react';
import type { ShardsPage } from '@/server/contract/console/shard-row';
import { plural } from '../format/counts';
import { problemOf } from '../live/problem';
import { useTRPC } from '../live/trpc';
import { PageHead } from '../ui/page-head';
import { ProblemNote } from '../ui/problem-note';
import { NameLocator } from './name-locator';
import { NAMES_PER_PAGE } from './names-per-page';
import { RefusalNotice } from './refusal-notice';
import { ShardNames } from './shard-names';
import { ShardTable } from './shard-table';

const POLL_MS = 5_000;

/**
 * The databases over which a backend's names are spread: how each is, what it keeps, and where a
 * name lives.
 */
export function ShardsView({
  initial,
  spaces,
}: {
  initial: ShardsPage;
  /** The namespaces that live on this backend. */
  spaces: string[];
}) {
  const backend = initial.backend.id;
  const trpc = useTRPC();
  const [only, setOnly] = useState<string | null>(null);
  const { data = initial, error } = useQuery(
    trpc.backends.shards.queryOptions(
      { backend, limit: NAMES_PER_PAGE },
      { initialData: initial, refetchInterval: POLL_MS, placeholderData: keepPreviousData },
    ),
  );
  const { shards } = data;
  const { refusal } = data.backend;
  return (
    <div className="page">
      <PageHead title={`Shards of ${backend}`}>
        Its names are spread over {plural(shards.length, 'database')}. Each name lives on one of
        them, which follows from the name alone.{' '}
        <Link href="/backends" className="link">
          All backends
        </Link>
      </PageHead>
      <div className="grid gap-3.5">
        {refusal && <RefusalNotice text={refusal} />}
        {error && <ProblemNote problem={problemOf(error)} title="This is the last reading." />}
        <ShardTable shards={shards} only={only} onOnly={setOnly} />
        <NameLocator backend={backend} spaces={spaces} />
        <ShardNames
          key={only}
          initial={only === null ? initial : null}
          backend={backend}
          only={only}
        />
      </div>
    </div>
  );
}
