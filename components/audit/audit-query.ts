import type { AuditEntry } from '@/server/contract/console/audit-entry';
import type { AuditListInput } from '@/server/contract/console/console-inputs';
import { OUTCOMES } from './audit-labels';

/** What the audit page shows, as its address says it. */
export interface AuditQuery {
  act: string | null;
  outcome: AuditEntry['outcome'] | null;
  search: string;
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
  };
}

export function auditUrl({ act, outcome, search }: AuditQuery): string {
  const params = new URLSearchParams();
  if (act) params.set('act', act);
  if (outcome) params.set('outcome', outcome);
  if (search) params.set('q', search);
  const text = params.toString();
  return text === '' ? '/audit' : `/audit?${text}`;
}

/** @param before the cursor of the page before; null for the newest entries */
export function auditInput(query: AuditQuery, before: number | null): AuditListInput {
  return {
    ...(query.act && { act: query.act }),
    ...(query.outcome && { outcome: query.outcome }),
    ...(query.search && { search: query.search }),
    ...(before !== null && { before }),
    limit: AUDIT_PAGE,
  };
}
