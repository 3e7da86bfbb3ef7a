import type { AuditEntry } from '@/server/contract/console/audit-entry';
import type { AuditListInput } from '@/server/contract/console/console-inputs';
import { OUTCOMES } from './audit-labels';

/** What the audit page shows, as in its address. */
export interface AuditQuery {
  act: string | null;
  outcome: AuditEntry['outcome'] | null;
  search: string;
  /** Only actions on this subject. */
  target: { namespace: string; subject: string } | null;
  requestId: string | null;
  /** Instants, epoch milliseconds: from the first until before the second. */
  from: number | null;
  to: number | null;
}

const AUDIT_PAGE = 50;

const isOutcome = (text: string): text is AuditEntry['outcome'] => Object.hasOwn(OUTCOMES, text);

export function readAuditQuery(params: { get: (name: string) => string | null }): AuditQuery {
  const act = params.get('act');
  const outcome = params.get('outcome');
  return {
    act: act !== null && act.length <= 32 && act !== '' ? act : null,
    outcome: outcome !== null && isOutcome(outcome) ? outcome : null,
    search: (params.get('q') ?? '').slice(0, 200),
    target: readTarget(params.get('namespace'), params.get('subject')),
    requestId: params.get('request')?.slice(0, 200) || null,
    from: readInstant(params.get('from')),
    to: readInstant(params.get('to')),
  };
}

const readTarget = (namespace: string | null, subject: string | null) =>
  namespace && subject && subject.length <= 255 && /^[a-z0-9][a-z0-9._-]{0,62}$/.test(namespace)
    ? { namespace, subject }
    : null;

/** An instant in ISO 8601; null for any other text. */
function readInstant(text: string | null): number | null {
  const at = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) || at < 0 ? null : at;
}

/** The audit log of one lock or counter. */
export const auditPathOf = (namespace: string, subject: string): string =>
  `/audit?${new URLSearchParams({ namespace, subject })}`;

export function auditUrl(query: AuditQuery): string {
  const { act, outcome, search, target, requestId, from, to } = query;
  const params = new URLSearchParams();
  if (act) params.set('act', act);
  if (outcome) params.set('outcome', outcome);
  if (search) params.set('q', search);
  if (target) {
    params.set('namespace', target.namespace);
    params.set('subject', target.subject);
  }
  if (requestId) params.set('request', requestId);
  if (from !== null) params.set('from', new Date(from).toISOString());
  if (to !== null) params.set('to', new Date(to).toISOString());
  const text = params.toString();
  return text === '' ? '/audit' : `/audit?${text}`;
}

/** Whether the query has a filter. */
export const isFiltered = (query: AuditQuery): boolean => auditUrl(query) !== '/audit';

/** @param before the cursor of the page before; null for the newest entries */
export function auditInput(query: AuditQuery, before: number | null): AuditListInput {
  return {
    ...(query.act && { act: query.act }),
    ...(query.outcome && { outcome: query.outcome }),
    ...(query.search && { search: query.search }),
    ...query.target,
    ...(query.requestId && { requestId: query.requestId }),
    ...(query.from !== null && { from: query.from }),
    ...(query.to !== null && { to: query.to }),
    ...(before !== null && { before }),
    limit: AUDIT_PAGE,
  };
}
