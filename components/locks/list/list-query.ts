import type { LockListInput } from '@/server/contract/console/console-inputs';
import {
  LOCK_SORTS,
  LOCK_STATUSES,
  type LockStatus,
} from '@/server/contract/console/console-terms';
import type { ListWindow } from './list-window';

export type LockSort = LockListInput['sort'];

/** What the lock list shows, as the page's address says it. */
export interface ListQuery {
  status: LockStatus | null;
  namespace: string | null;
  search: string;
  sort: LockSort;
  descending: boolean;
}

const SEARCH_MAX = 200;
const NAMESPACE = /^[a-z0-9][a-z0-9._-]{0,62}$/;

const oneOf = <T extends string>(values: readonly T[], value: string | null): T | null =>
  values.find((known) => known === value) ?? null;

/** Reads an address; what it does not understand counts as not said. */
export function readListQuery(params: { get: (name: string) => string | null }): ListQuery {
  const namespace = params.get('namespace');
  return {
    status: oneOf(LOCK_STATUSES, params.get('state')),
    namespace: namespace !== null && NAMESPACE.test(namespace) ? namespace : null,
    search: (params.get('q') ?? '').slice(0, SEARCH_MAX),
    sort: oneOf(LOCK_SORTS, params.get('sort')) ?? 'worst',
    descending: params.get('order') === 'descending',
  };
}

/** The address of a list, without what goes without saying. */
export function listUrl(query: ListQuery): string {
  const params = new URLSearchParams();
  if (query.status) params.set('state', query.status);
  if (query.namespace) params.set('namespace', query.namespace);
  if (query.search) params.set('q', query.search);
  if (query.sort !== 'worst') params.set('sort', query.sort);
  if (query.descending) params.set('order', 'descending');
  const text = params.toString();
  return text === '' ? '/' : `/?${text}`;
}

export function listInput(query: ListQuery, window: ListWindow): LockListInput {
  return {
    ...(query.status && { status: query.status }),
    ...(query.namespace && { namespace: query.namespace }),
    ...(query.search && { search: query.search }),
    sort: query.sort,
    descending: query.descending,
    ...window,
  };
}

export const isFiltered = (query: ListQuery): boolean =>
  query.status !== null || query.namespace !== null || query.search !== '';
