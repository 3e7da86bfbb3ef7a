import { and, desc, eq, lt, or, type SQL, sql } from 'drizzle-orm';
import type { Schema } from '@/db/schema';
import type { AuditEntry } from '../../contract/console/audit-entry';
import type { AuditListInput } from '../../contract/console/console-inputs';
import { askDatabase } from '../ask-database';
import type { ControlContext } from '../operation-context';
import { requireRole } from '../require-role';
import { AUDIT_ACTS } from './audit-log';

export interface AuditPage {
  rows: AuditEntry[];
  /** What to pass as `before` for the next, older page; null at the end. */
  older: number | null;
  /** Every act that an entry can be about. */
  acts: string[];
}

/** The audit log, newest first. */
export async function listAudit(ctx: ControlContext, input: AuditListInput): Promise<AuditPage> {
  await requireRole(ctx, 'viewer');
  const { db, tables } = ctx.runtime.database;
  const { audit } = tables;
  const found = await askDatabase(() =>
    db
      .select()
      .from(audit)
      .where(matching(audit, input))
      .orderBy(desc(audit.id))
      .limit(input.limit + 1),
  );
  const rows = found.slice(0, input.limit).map(toEntry);
  const older = found.length > input.limit ? (rows.at(-1)?.id ?? null) : null;
  return { rows, older, acts: [...AUDIT_ACTS] };
}

function matching(audit: Schema['audit'], input: AuditListInput): SQL | undefined {
  const { act, outcome, before, search } = input;
  return and(
    act === undefined ? undefined : eq(audit.act, act),
    outcome === undefined ? undefined : eq(audit.outcome, outcome),
    before === undefined ? undefined : lt(audit.id, before),
    search
      ? or(...[audit.actor, audit.subject, audit.reason].map((text) => contains(text, search)))
      : undefined,
  );
}

/** Whether a text contains another, whatever the case. The cast makes text of MySQL's bytes. */
function contains(column: unknown, part: string): SQL {
  const pattern = `%${part.replace(/[!%_]/g, '!$&')}%`;
  return sql`lower(cast(${column} as char)) like lower(${pattern}) escape '!'`;
}

function toEntry(row: Schema['audit']['$inferSelect']): AuditEntry {
  const { intent: _, seen, result, actorKind, outcome, ...rest } = row;
  return {
    ...rest,
    actorKind: actorKind as AuditEntry['actorKind'],
    outcome: outcome as AuditEntry['outcome'],
    seen: JSON.parse(seen) as Record<string, unknown>,
    result: JSON.parse(result) as Record<string, unknown>,
  };
}
