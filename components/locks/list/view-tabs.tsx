'use client';

import type { ReactNode } from 'react';
import type { LockPage } from '@/server/contract/console/lock-row';
import { countText } from '../../format/numbers';
import { isFiltered, type ListQuery } from './list-query';

/** The other filters of a view. */
export const NO_FILTERS = { status: null, namespace: null, backend: null, search: '' };

/** The views of the lock list: what needs attention, and everything. */
export function ViewTabs({
  page,
  query,
  onQuery,
}: {
  page: LockPage;
  /** With the view that is shown. */
  query: ListQuery;
  onQuery: (part: Partial<ListQuery>) => void;
}) {
  const { attention, total } = page;
  const isPlain = !isFiltered(query);
  return (
    <>
      <ViewTab
        isShown={isPlain && query.view === 'attention'}
        onShow={() => onQuery({ ...NO_FILTERS, view: 'attention' })}
      >
        Needs attention <Count of={attention} isLoud={attention > 0} />
      </ViewTab>
      <ViewTab
        isShown={isPlain && query.view === 'all'}
        onShow={() => onQuery({ ...NO_FILTERS, view: 'all' })}
      >
        All <Count of={total} />
      </ViewTab>
    </>
  );
}

export function ViewTab({
  isShown,
  onShow,
  children,
}: {
  isShown: boolean;
  onShow: () => void;
  children: ReactNode;
}) {
  return (
    <button
      type="button"
      onClick={onShow}
      aria-pressed={isShown}
      className={`view-tab ${isShown ? 'bg-s3 font-[550]' : 'text-t2 hover:bg-s3'}`}
    >
      {children}
    </button>
  );
}

function Count({ of, isLoud = false }: { of: number; isLoud?: boolean }) {
  return (
    <span className={`pl-1 font-[450] text-12 ${isLoud ? 'text-t1' : 'text-t2'}`}>
      {countText(of)}
    </span>
  );
}
