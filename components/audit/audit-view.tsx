'use client';

import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useSearchParams } from 'next/navigation';
import { useEffect, useMemo, useState } from 'react';
import type { AuditEntry } from '@/server/contract/console/lock-row';
import { Icon } from '../icons/icon';
import { problemOf } from '../live/problem';
import { useTRPCClient } from '../live/trpc';
import { Button } from '../ui/controls/button';
import { PageHead } from '../ui/page-head';
import { ProblemNote } from '../ui/problem-note';
import { RowsSkeleton } from '../ui/rows-skeleton';
import { AuditFilters } from './audit-filters';
import { type AuditQuery, auditInput, auditUrl, readAuditQuery } from './audit-query';
import { AuditRow } from './audit-row';

const POLL_MS = 5_000;
const SEARCH_PAUSE_MS = 200;
const FIRST_PAGE: number | null = null;

interface AuditPage {
  rows: AuditEntry[];
  older: number | null;
  acts: string[];
}

/** Who did what to what, when, why, and what came of it. */
export function AuditView({
  initial,
  initialQuery,
  now,
}: {
  /** Null where it could not be read for the first paint. */
  initial: AuditPage | null;
  initialQuery: AuditQuery;
  /** The server's clock at the first paint. */
  now: number;
}) {
  const params = useSearchParams();
  const query = useMemo(() => readAuditQuery(params), [params]);
  const client = useTRPCClient();
  const key = JSON.stringify(query);
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } =
    useInfiniteQuery({
      queryKey: ['audit.list', key],
      queryFn: ({ pageParam }) => client.audit.list.query(auditInput(query, pageParam)),
      initialPageParam: FIRST_PAGE,
      getNextPageParam: (last) => last.older,
      refetchInterval: POLL_MS,
      placeholderData: keepPreviousData,
      ...(initial !== null &&
        key === JSON.stringify(initialQuery) && {
          initialData: { pages: [initial], pageParams: [FIRST_PAGE] },
        }),
    });
  const change = (part: Partial<AuditQuery>) => {
    const current = readAuditQuery(new URLSearchParams(window.location.search));
    window.history.replaceState(null, '', auditUrl({ ...current, ...part }));
  };
  const rows = data?.pages.flatMap((page) => page.rows) ?? [];
  const acts = data?.pages[0]?.acts ?? initial?.acts ?? [];
  return (
    <div className="page">
      <div>
        <PageHead title="Audit">
          Every act of a person stands here before it happens, refused tries too.
        </PageHead>
        <div className="flex flex-wrap items-center gap-2 pb-3">
          <AuditSearch value={query.search} onChange={(search) => change({ search })} />
          <AuditFilters acts={acts} query={query} onQuery={change} />
        </div>
        {error && (
          <div className="pb-3">
            <ProblemNote problem={problemOf(error)} title="The log was not read." />
          </div>
        )}
        {rows.length > 0 ? (
          <AuditTable rows={rows} now={now} />
        ) : error ? null : isPending ? (
          <RowsSkeleton />
        ) : (
          <p className="border-line border-t py-8 text-14">
            {key === JSON.stringify({ act: null, outcome: null, search: '' })
              ? 'Nobody has done anything yet.'
              : 'No entry matches this.'}
          </p>
        )}
        {hasNextPage && (
          <Button
            className="mt-3"
            disabled={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {isFetchingNextPage ? 'Reading…' : 'Older'}
          </Button>
        )}
      </div>
    </div>
  );
}

function AuditTable({ rows, now }: { rows: AuditEntry[]; now: number }) {
  return (
    <table className="list audit-list">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Who</th>
          <th scope="col">What</th>
          <th scope="col">To what</th>
          <th scope="col">Why</th>
          <th scope="col">Seen → result</th>
          <th scope="col">Outcome</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((entry) => (
          <AuditRow key={entry.id} entry={entry} now={now} />
        ))}
      </tbody>
    </table>
  );
}

function AuditSearch({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setText(value);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the pause
  useEffect(() => {
    if (text.trim() === value) return;
    const timer = setTimeout(() => onChange(text.trim()), SEARCH_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <search className="relative w-full sm:w-72">
      <Icon
        name="search"
        size={15}
        className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-t3"
      />
      <input
        type="search"
        value={text}
        maxLength={200}
        placeholder="Person, subject or reason"
        aria-label="Search the audit log"
        onChange={(event) => setText(event.target.value)}
        className="search-field"
      />
    </search>
  );
}
