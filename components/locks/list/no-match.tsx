'use client';

import { FilterChip } from '../../ui/controls/filter-chip';
import { STATUS_STYLES } from '../../ui/status-badge';

import type { ListQuery } from './list-query';

/** A filter that excludes everything: what is set, each removable. */
export function NoMatch({
  query,
  onQuery,
}: {
  query: ListQuery;
  onQuery: (part: Partial<ListQuery>) => void;
}) {
  return (
    <div className="rise-in px-[var(--gutter)] py-8">
      <p className="pb-3 text-14">No locks match these filters.</p>
      <div className="flex flex-wrap gap-2">
        {query.search && (
          <FilterChip
            label="contains"
            value={query.search}
            onClear={() => onQuery({ search: '' })}
          />
        )}
        {query.status && (
          <FilterChip
            label="state"
            value={STATUS_STYLES[query.status].word}
            onClear={() => onQuery({ status: null })}
          />
        )}
        {query.namespace && (
          <FilterChip
            label="namespace"
            value={query.namespace}
            onClear={() => onQuery({ namespace: null })}
          />
        )}
        <button
          type="button"
          className="chip shrink-0"
          onClick={() => onQuery({ status: null, namespace: null, search: '' })}
        >
          Clear filters
        </button>
      </div>
    </div>
  );
}
