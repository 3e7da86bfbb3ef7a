'use client';

import type { ReactNode } from 'react';
import { LOCK_STATUSES } from '@/server/contract/console/console-terms';
import type { LockPage } from '@/server/contract/console/lock-row';
import { exactCount, plural } from '@/server/core/format/numbers';
import { countText } from '../../format/numbers';
import { Icon } from '../../icons/icon';
import { useIsStale } from '../../live/reading';
import { FilterChip, MenuChip } from '../../ui/controls/choices/filter-chip';
import { Menu, MenuChoice } from '../../ui/controls/menu';
import { STATUS_STYLES } from '../../ui/status-badge';
import { isFiltered, type ListQuery, type LockSort, SORT_LABELS } from './list-query';
import { SavedViews } from './saved-views';
import { NO_FILTERS, ViewTabs } from './view-tabs';

/** What the list shows and in which order; all of it is kept in the page's address. */
export function FilterBar({
  page,
  query,
  onQuery,
  chips,
  children,
}: {
  page: LockPage;
  /** With the view that is shown. */
  query: ListQuery;
  onQuery: (part: Partial<ListQuery>) => void;
  /** Further controls beside the filters. */
  chips: ReactNode;
  children: ReactNode;
}) {
  const isStale = useIsStale();
  return (
    <div
      className={`z-20 flex items-center gap-2 border-b bg-bg px-[var(--gutter)] max-md:py-2 md:sticky md:top-0 md:h-11 ${isStale ? 'border-unknown border-dashed' : 'border-line'}`}
    >
      <div className="filter-chips">
        <ViewTabs page={page} query={query} onQuery={onQuery} />
        <SavedViews query={query} onQuery={onQuery} />
        <span aria-hidden="true" className="mx-1 h-5 w-px shrink-0 bg-line max-md:hidden" />
        <SetFilters query={query} onQuery={onQuery} />
        <FilterMenus page={page} query={query} onQuery={onQuery} />
        <SortChip query={query} onQuery={onQuery} />
        {chips}
      </div>
      {children}
    </div>
  );
}

interface ChipProps {
  page: LockPage;
  query: ListQuery;
  onQuery: (part: Partial<ListQuery>) => void;
}

/** The filters that are set, each removable. */
function SetFilters({ query, onQuery }: Omit<ChipProps, 'page'>) {
  const { status, namespace, backend, search } = query;
  return (
    <>
      {status && (
        <FilterChip
          label="state"
          value={STATUS_STYLES[status].word}
          onClear={() => onQuery({ status: null })}
        />
      )}
      {namespace && (
        <FilterChip
          label="namespace"
          value={namespace}
          onClear={() => onQuery({ namespace: null })}
        />
      )}
      {backend && (
        <FilterChip label="backend" value={backend} onClear={() => onQuery({ backend: null })} />
      )}
      {search && (
        <FilterChip label="contains" value={search} onClear={() => onQuery({ search: '' })} />
      )}
    </>
  );
}

function FilterMenus({ page, query, onQuery }: ChipProps) {
  return (
    <>
      {!query.status && (
        <Menu trigger={<MenuChip label="state" />}>
          {LOCK_STATUSES.map((status) => (
            <MenuChoice
              key={status}
              chosen={false}
              end={countText(page.counts[status])}
              onSelect={() => onQuery({ status })}
            >
              <span className={`flex items-center gap-2 ${STATUS_STYLES[status].ink}`}>
                <Icon name={STATUS_STYLES[status].icon} size={14} />
                {STATUS_STYLES[status].word}
              </span>
            </MenuChoice>
          ))}
        </Menu>
      )}
      {!query.namespace && (
        <NameMenu
          label="namespace"
          names={page.namespaces}
          onChoose={(namespace) => onQuery({ namespace, view: query.view })}
        />
      )}
      {!query.backend && (
        <NameMenu
          label="backend"
          names={page.backends.map(({ id }) => id)}
          onChoose={(backend) => onQuery({ backend, view: query.view })}
        />
      )}
    </>
  );
}

/** Renders nothing where there is no choice. */
function NameMenu({
  label,
  names,
  onChoose,
}: {
  label: string;
  names: readonly string[];
  onChoose: (name: string) => void;
}) {
  if (names.length < 2) return null;
  return (
    <Menu trigger={<MenuChip label={label} />}>
      {names.map((name) => (
        <MenuChoice key={name} chosen={false} onSelect={() => onChoose(name)}>
          {name}
        </MenuChoice>
      ))}
    </Menu>
  );
}

function SortChip({ query, onQuery }: Omit<ChipProps, 'page'>) {
  return (
    <span className="md:hidden">
      <Menu trigger={<MenuChip label="sort" value={SORT_LABELS[query.sort]} />}>
        {Object.entries(SORT_LABELS).map(([sort, word]) => (
          <MenuChoice
            key={sort}
            chosen={sort === query.sort}
            onSelect={() => onQuery({ sort: sort as LockSort, descending: false })}
          >
            {word}
          </MenuChoice>
        ))}
      </Menu>
    </span>
  );
}

/** In place of the rows if no lock matches: the filters that are set, each removable. */
export function NoMatch({ page, query, onQuery }: ChipProps) {
  const isAttention = query.view === 'attention';
  const showAll = (
    <button type="button" className="chip shrink-0" onClick={() => onQuery({ view: 'all' })}>
      {isFiltered(query) ? 'Search all locks' : `Show all ${plural(page.total, 'lock')}`}
    </button>
  );
  return (
    <div className="rise-in px-[var(--gutter)] py-8">
      <p className="pb-3 text-14">
        {!isFiltered(query)
          ? 'Nothing needs attention.'
          : isAttention
            ? 'No locks that need attention match these filters.'
            : 'No locks match these filters.'}
      </p>
      <div className="flex flex-wrap gap-2">
        <SetFilters query={query} onQuery={onQuery} />
        {isAttention && showAll}
        {isFiltered(query) && (
          <button type="button" className="chip shrink-0" onClick={() => onQuery(NO_FILTERS)}>
            Clear filters
          </button>
        )}
      </div>
    </div>
  );
}

/** Below the locks that need attention: how many others there are. */
export function NormalLocks({ page, query, onQuery }: ChipProps) {
  const others = page.total - page.matching;
  if (query.view !== 'attention' || isFiltered(query) || others <= 0) return null;
  return (
    <p className="px-[var(--gutter)] py-4 text-12 text-t2">
      {others === 1
        ? 'The other lock is normal.'
        : `The other ${exactCount(others)} locks are normal.`}{' '}
      <button type="button" className="link rounded-4" onClick={() => onQuery({ view: 'all' })}>
        Show all
      </button>
    </p>
  );
}
