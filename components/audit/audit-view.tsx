'use client';

import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useSearchParams } from 'next/navigation';
import { useMemo, useState } from 'react';
import type { AuditEntry } from '@/server/contract/console/audit-entry';
import { plural } from '@/server/core/format/numbers';
import { useSession } from '../live/session';
import { useTRPCClient } from '../live/trpc';
import { useTypedAddress } from '../navigation/use-typed-address';
import { Button } from '../ui/controls/button';
import { ChoiceFilter } from '../ui/controls/choices/choice-filter';
import { FilterChip } from '../ui/controls/choices/filter-chip';
import { SearchField } from '../ui/controls/search-field';
import { useServerClock } from '../ui/instant';
import { PageHead } from '../ui/page-head';
import { RowsSkeleton } from '../ui/rows-skeleton';
import { TableHead } from '../ui/table-head';
import { ReadNote, ReadsLostNote } from '../ui/unanswered/reads-note';
import { AuditExportMenu } from './audit-export-menu';
import { actionLabel, OUTCOMES } from './audit-labels';
import { type AuditQuery, auditInput, auditUrl, isFiltered, readAuditQuery } from './audit-query';
import { AuditRange } from './audit-range';
import { AuditRow } from './audit-row';

const COLUMNS = ['Time', 'Actor', 'Action', 'Target', 'Reason', 'Before → after', 'Outcome'];

const POLL_MS = 5_000;
const FIRST_PAGE: number | null = null;

interface AuditPage {
  rows: AuditEntry[];
  older: number | null;
  acts: string[];
}

/** The audit log: time, actor, action, target, reason and outcome of every action. */
export function AuditView({
  initial,
  initialQuery,
  now: paintedAt,
}: {
  /** Null where it could not be read for the first paint. */
  initial: AuditPage | null;
  initialQuery: AuditQuery;
  /** The server's clock at the first paint. */
  now: number;
}) {
  const now = useServerClock(paintedAt);
  const params = useSearchParams();
  const query = useMemo(() => readAuditQuery(params), [params]);
  const isInitial = JSON.stringify(query) === JSON.stringify(initialQuery);
  const pages = useAuditPages(query, isInitial ? initial : null);
  const { data, error, isPlaceholderData } = pages;
  const change = (part: Partial<AuditQuery>) => {
    const current = readAuditQuery(new URLSearchParams(window.location.search));
    window.history.replaceState(null, '', auditUrl({ ...current, ...part }));
  };
  const { retentionDays } = useSession();
  const rows = data?.pages.flatMap((page) => page.rows) ?? [];
  const acts = data?.pages[0]?.acts ?? initial?.acts ?? [];
  return (
    <div className="page">
      <PageHead title="Audit" end={<AuditExportMenu query={query} />}>
        Every operator action, recorded before it runs – including rejected attempts.
        {retentionDays.audit !== null && ` Kept for ${plural(retentionDays.audit, 'day')}.`}
      </PageHead>
      <div className="flex flex-wrap items-center gap-2 pb-3">
        <AuditSearch value={query.search} onChange={(search) => change({ search })} />
        <AuditFilters acts={acts} query={query} onQuery={change} />
        {query.target && (
          <FilterChip
            label="target"
            value={`${query.target.namespace} / ${query.target.subject}`}
            onClear={() => change({ target: null })}
          />
        )}
        {query.requestId && (
          <FilterChip
            label="request id"
            value={query.requestId}
            onClear={() => change({ requestId: null })}
          />
        )}
        <AuditRange from={query.from} to={query.to} onChange={change} />
      </div>
      <ReadNote read={{ data, error }} what="the audit log" />
      {rows.length > 0 ? (
        <AuditTable rows={rows} now={now} isOfEarlier={isPlaceholderData} />
      ) : error && !data ? null : pages.isPending || isPlaceholderData ? (
        <RowsSkeleton />
      ) : (
        <NoEntries isFiltered={isFiltered(query)} />
      )}
      {pages.hasNextPage && (
        <Button
          className="mt-3"
          disabled={pages.isFetchingNextPage || isPlaceholderData}
          onClick={() => void pages.fetchNextPage()}
        >
          {pages.isFetchingNextPage ? 'Loading…' : 'Load older'}
        </Button>
      )}
      <ReadsLostNote reads={[{ data, error }]} />
    </div>
  );
}

/**
 * The entries that match, page by page; while a filter changes, those of the previous one.
 *
 * @param initial the first page, if it was read for the first paint
 */
function useAuditPages(query: AuditQuery, initial: AuditPage | null) {
  const client = useTRPCClient();
  return useInfiniteQuery({
    queryKey: ['audit.list', JSON.stringify(query)],
    queryFn: ({ pageParam }) => client.audit.list.query(auditInput(query, pageParam)),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (last) => last.older,
    refetchInterval: POLL_MS,
    placeholderData: keepPreviousData,
    ...(initial && { initialData: { pages: [initial], pageParams: [FIRST_PAGE] } }),
  });
}

function NoEntries({ isFiltered }: { isFiltered: boolean }) {
  return (
    <p className="border-line border-t py-8 text-14">
      {isFiltered ? 'No entries match. ' : 'No entries yet.'}
      {isFiltered && (
        <button
          type="button"
          className="link rounded-4"
          onClick={() => window.history.replaceState(null, '', '/audit')}
        >
          Clear filters
        </button>
      )}
    </p>
  );
}

function AuditTable({
  rows,
  now,
  isOfEarlier,
}: {
  rows: AuditEntry[];
  now: number;
  /** The rows are still those of the previous filter. */
  isOfEarlier: boolean;
}) {
  return (
    <table className="list audit-list" aria-busy={isOfEarlier}>
      <TableHead columns={COLUMNS} />
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
  const [sent, setSent] = useState<string | null>(null);
  if (known !== value) {
    setKnown(value);
    setSent(null);
    // `value` returns trimmed, and may be older than what was typed since.
    if (sent !== value) setText(value);
  }
  useTypedAddress(text, text.trim() === value, () => {
    setSent(text.trim());
    onChange(text.trim());
  });
  return (
    <SearchField
      value={text}
      label="Search actor, target or reason"
      onChange={setText}
      className="w-full sm:w-72"
    />
  );
}

const OUTCOME_NAMES = Object.keys(OUTCOMES) as AuditEntry['outcome'][];

function AuditFilters({
  acts,
  query,
  onQuery,
}: {
  acts: string[];
  query: AuditQuery;
  onQuery: (part: Partial<AuditQuery>) => void;
}) {
  return (
    <>
      <ChoiceFilter
        label="action"
        value={query.act}
        choices={acts}
        labelOf={(act) => actionLabel(act)}
        onChoose={(act) => onQuery({ act })}
      />
      <ChoiceFilter
        label="outcome"
        value={query.outcome}
        choices={OUTCOME_NAMES}
        labelOf={(outcome) => OUTCOMES[outcome].label}
        onChoose={(outcome) => onQuery({ outcome })}
      />
    </>
  );
}
