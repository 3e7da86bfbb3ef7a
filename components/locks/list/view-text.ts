import { visibleText } from '@/server/core/format/visible-text';
import { STATUS_STYLES } from '../../ui/status-badge';
import { type ListQuery, SORT_LABELS } from './list-query';

/** The filters and the order of a view in words. */
export function viewText(query: ListQuery): string {
  const { view, status, namespace, backend, search, sort, descending, at } = query;
  const filters = [
    view === 'attention' && 'needs attention',
    status && `state ${STATUS_STYLES[status].word.toLowerCase()}`,
    namespace && `namespace ${namespace}`,
    backend && `backend ${backend}`,
    search && `contains “${visibleText(search)}”`,
    at && `as of ${visibleText(at)}`,
  ].filter(Boolean);
  const order = `${SORT_LABELS[sort].toLowerCase()}${descending ? ', reversed' : ''}`;
  return `${filters.length > 0 ? filters.join(', ') : 'all locks'}; ${order}`;
}
