'use client';

import { STATUS_STYLES } from '../../ui/status-badge';
import { FilterChip } from './filter-bar';
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
      <p className="pb-3 text-14">No lock matches this.</p>
      <div className="flex flex-wrap gap-2">
        {query.search && (
          <FilterChip word="has" value={query.search} onClear={() => onQuery({ search: '' })} />
        )}
        {query.status && (
          <FilterChip
            word="state"
            value={STATUS_STYLES[query.status].word}
            onClear={() => onQuery({ status: null })}
          />
        )}
        {query.namespace && (
          <FilterChip
            word="namespace"
            value={query.namespace}
            onClear={() => onQuery({ namespace: null })}
          />
        )}
      </div>
    </div>
  );
}
