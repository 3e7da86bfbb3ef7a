import type { LockListInput } from '@/server/contract/console/console-inputs';
import {
  LOCK_SORTS,
  LOCK_STATUSES,
  type LockStatus,
} from '@/server/contract/console/console-terms';
import { NAMESPACE_NAME } from '@/server/contract/namespace-policy';
import type { ListWindow } from './list-window';

export type LockSort = LockListInput['sort'];

export const SORT_LABELS: Record<LockSort, string> = {
  worst: 'By severity',
  name: 'Name',
  held: 'Longest held',
  lease: 'Expiring soonest',
  waiters: 'Most waiters',
};

/** All locks, or those that need attention. */
const LIST_VIEWS = ['attention', 'all'] as const;
export type ListView = (typeof LIST_VIEWS)[number];

/** What the lock list shows, as in the page's address. */
export interface ListQuery {
  /** Null if the address names none: the page decides. */
  view: ListView | null;
  status: LockStatus | null;
  namespace: string | null;
  backend: string | null;
  search: string;
  sort: LockSort;
  descending: boolean;
  /** The instant of the past that is shown, as in the address. */
  at: string | null;
  /** The lock whose preview is open. */
  peek: { namespace: string; name: string } | null;
}

const SEARCH_MAX = 200;
/** The id of a backend as in the environment, in lower case. */
const BACKEND = /^[a-z0-9][a-z0-9_-]{0,31}$/;

const oneOf = <T extends string>(values: readonly T[], value: string | null): T | null =>
  values.find((known) => known === value) ?? null;

/** Reads an address; ignores what is invalid in it. */
export function readListQuery(params: { get: (name: string) => string | null }): ListQuery {
  const [namespace, backend] = [params.get('namespace'), params.get('backend')];
  return {
    view: oneOf(LIST_VIEWS, params.get('view')),
    status: oneOf(LOCK_STATUSES, params.get('state')),
    namespace: namespace !== null && NAMESPACE_NAME.test(namespace) ? namespace : null,
    backend: backend !== null && BACKEND.test(backend) ? backend : null,
    search: (params.get('q') ?? '').slice(0, SEARCH_MAX),
    sort: oneOf(LOCK_SORTS, params.get('sort')) ?? 'worst',
    descending: params.get('order') === 'descending',
    at: params.get('at'),
    peek: readPeek(params.get('peek')),
  };
}

/** A view of the list that the user has saved. */
export interface SavedView {
  id: string;
  name: string;
  /** The part of its address after the `?`. */
  query: string;
}

/** What a saved view shows. */
export const queryOfView = ({ query }: Pick<SavedView, 'query'>): ListQuery =>
  readListQuery(new URLSearchParams(query));

/** The address of a list, without defaults. */
export function listUrl(query: ListQuery): string {
  const params = new URLSearchParams();
  if (query.view) params.set('view', query.view);
  if (query.status) params.set('state', query.status);
  if (query.namespace) params.set('namespace', query.namespace);
  if (query.backend) params.set('backend', query.backend);
  if (query.search) params.set('q', query.search);
  if (query.sort !== 'worst') params.set('sort', query.sort);
  if (query.descending) params.set('order', 'descending');
  if (query.at) params.set('at', query.at);
  if (query.peek) params.set('peek', `${query.peek.namespace}/${query.peek.name}`);
  const text = params.toString();
  return text === '' ? '/' : `/?${text}`;
}

/** A key for the rows that a list shows and their order: its preview changes neither. */
export const rowsKey = (query: ListQuery): string => listUrl({ ...query, peek: null });

/**
 * The view of a query that does not name one: what needs attention, unless the query filters or
 * nothing does.
 *
 * @param attention how many locks needed attention when the page was opened
 */
export function shownView(query: ListQuery, attention: number): ListView {
  return query.view ?? (attention > 0 && !isFiltered(query) ? 'attention' : 'all');
}

export function listInput(query: ListQuery, window: ListWindow): LockListInput {
  return {
    attention: query.view === 'attention',
    ...(query.status && { status: query.status }),
    ...(query.namespace && { namespace: query.namespace }),
    ...(query.backend && { backend: query.backend }),
    ...(query.search && { search: query.search }),
    sort: query.sort,
    descending: query.descending,
    ...window,
  };
}

export const isFiltered = ({ status, namespace, backend, search }: ListQuery): boolean =>
  status !== null || namespace !== null || backend !== null || search !== '';

/** The sorts whose natural order is ascending. */
const LEAST_FIRST: readonly LockSort[] = ['name', 'lease'];

/** The order of the figures in the sorted column, for assistive technology. */
export function columnOrder({ sort, descending }: Pick<ListQuery, 'sort' | 'descending'>) {
  return LEAST_FIRST.includes(sort) === descending ? 'descending' : 'ascending';
}

function readPeek(text: string | null): ListQuery['peek'] {
  const cut = text?.indexOf('/') ?? -1;
  if (!text || cut <= 0 || cut === text.length - 1) return null;
  const [namespace, name] = [text.slice(0, cut), text.slice(cut + 1)];
  return NAMESPACE_NAME.test(namespace) ? { namespace, name } : null;
}
