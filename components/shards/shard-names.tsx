'use client';

import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useState } from 'react';
import type { ShardedName, ShardsPage } from '@/server/contract/console/shard-row';
import { counterPath, lockPath } from '@/server/core/paths/console-path';
import { useTRPCClient } from '../live/trpc';
import { useDebounced } from '../live/use-debounced';
import { Button } from '../ui/controls/button';
import { SearchField } from '../ui/controls/search-field';
import { TableHead } from '../ui/table-head';
import { ReadNote } from '../ui/unanswered/reads-note';
import { ExactName } from '../ui/visible-text';
import { outShards } from './out-shards';

const POLL_MS = 5_000;
const FIRST_PAGE: string | null = null;

/** The names on one shard or on all, each with its shard, page by page. */
export function ShardNames({
  initial,
  backend,
  only,
}: {
  /** Null where the first page has to be loaded. */
  initial: ShardsPage | null;
  backend: string;
  /** The name of one shard; null for all. */
  only: string | null;
}) {
  const client = useTRPCClient();
  const [text, setText] = useState('');
  const search = useDebounced(text.trim());
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['backends.shards', backend, only, search],
    queryFn: ({ pageParam: after }) =>
      client.backends.shards.query({
        backend,
        ...(only !== null && { shard: only }),
        ...(search && { search }),
        ...(after !== null && { after }),
      }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (last) => last.next,
    refetchInterval: POLL_MS,
    placeholderData: keepPreviousData,
    ...(initial &&
      search === '' && { initialData: { pages: [initial], pageParams: [FIRST_PAGE] } }),
  });
  const names = data?.pages.flatMap((page) => page.names) ?? [];
  const shards = data?.pages[0]?.shards.filter(({ name }) => only === null || name === only) ?? [];
  const out = outShards(shards);
  return (
    <section aria-label={only === null ? 'Names on all shards' : `Names on ${only}`}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 pt-2 pb-3">
        <SearchField
          value={text}
          label="Search names"
          onChange={setText}
          className="w-full sm:w-[280px]"
        />
        <span className="text-12 text-t3">
          {only === null ? 'on all databases' : <>only on {only}</>}
        </span>
      </div>
      <ReadNote read={{ data, error }} what="names" />
      {names.length > 0 ? (
        <NameTable names={names} />
      ) : (
        data && (
          <p className="card px-3.5 py-6 text-14">
            {out !== ''
              ? `None known. Shards: ${out}.`
              : search
                ? 'No names match.'
                : 'No names here yet.'}
          </p>
        )
      )}
      {hasNextPage && (
        <Button className="mt-3" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {isFetchingNextPage ? 'Loading…' : 'Load more'}
        </Button>
      )}
    </section>
  );
}

function NameTable({ names }: { names: ShardedName[] }) {
  return (
    <div className="card list-in-card">
      <table className="list sharded-list">
        <TableHead columns={['Name', 'Namespace', 'Type', 'Shard']} />
        <tbody>
          {names.map(({ id, kind, namespace, name, shard }) => (
            <tr key={id}>
              <td data-cell="main">
                <Link
                  href={(kind === 'lock' ? lockPath : counterPath)(namespace, name)}
                  prefetch={false}
                  className="flex min-w-0 rounded-4"
                >
                  <ExactName name={name} />
                </Link>
              </td>
              <td data-cell="space" className="text-t2">
                {namespace}
              </td>
              <td data-cell="act" className="text-t2">
                {kind}
              </td>
              <td data-cell="home" className="font-mono text-12 text-t2">
                {shard}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
