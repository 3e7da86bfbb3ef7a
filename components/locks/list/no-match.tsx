'use client';

import { STATUS_LOOKS } from '../../ui/status-badge';
import { SetChip } from './filter-bar';
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
          <SetChip word="has" value={query.search} onClear={() => onQuery({ search: '' })} />
        )}
        {query.status && (
          <SetChip
            word="state"
            value={STATUS_LOOKS[query.status].word}
            onClear={() => onQuery({ status: null })}
          />
        )}
        {query.namespace && (
          <SetChip
            word="namespace"
            value={query.namespace}
            onClear={() => onQuery({ namespace: null })}
          />
        )}
      </div>
    </div>
  );
}
