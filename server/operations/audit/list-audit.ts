import { setImmediate } from 'node:timers/promises';
import { and, desc, eq, gte, lt, max, min, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '@/db/database';
import { AUDIT_STEP } from '@/db/recorded/audit-step';
import type { Schema } from '@/db/schema';
import type { AuditEntry } from '../../contract/console/audit-entry';
import type { AuditListInput } from '../../contract/console/console-inputs';
import { askDatabase } from '../ask-database';
import type { ControlContext } from '../operation-context';
import { requireRole } from '../require-role';
import type { AuditRow } from './act-identity';
import { AUDIT_ACTS, readSeen } from './audited-act';

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
  const found = await askDatabase(() => newestEntries(ctx, input, input.limit + 1));
  const rows = found.slice(0, input.limit).map(toEntry);
  const older = found.length > input.limit ? (rows.at(-1)?.id ?? null) : null;
  return { rows, older, acts: [...AUDIT_ACTS] };
}

/**
 * The newest entries that match, up to `most`; fewer if the caller hangs up meanwhile. Reads all
 * entries down to the last of them, in steps. Rejects as a query of the database does.
 */
export async function newestEntries(
  { runtime: { database }, signal }: Pick<ControlContext, 'runtime' | 'signal'>,
  input: Omit<AuditListInput, 'limit'>,
  most: number,
): Promise<AuditRow[]> {
  const { db, tables, kind } = database;
  const { audit } = tables;
  const step = AUDIT_STEP[kind];
  const read = (limit: number, within: SQL | undefined) => {
    const condition = and(matching(kind, audit, input), within);
    return db.select().from(audit).where(condition).orderBy(desc(audit.id)).limit(limit);
  };
  // One query each: for both together SQLite would read every entry.
  const [oldest] = await db.select({ id: min(audit.id) }).from(audit);
  const [newest] = await db.select({ id: max(audit.id) }).from(audit);
  const first = oldest?.id ?? 1;
  const found: AuditRow[] = [];
  let end = Math.min(input.before ?? Number.POSITIVE_INFINITY, (newest?.id ?? 0) + 1);
  while (end > first && found.length < most && !signal?.aborted) {
    const within = and(lt(audit.id, end), gte(audit.id, end - step));
    found.push(...(await read(most - found.length, within)));
    end -= step;
    await setImmediate();
  }
  return found;
}

function matching(
  kind: Database['kind'],
  audit: Schema['audit'],
  input: Omit<AuditListInput, 'limit'>,
): SQL | undefined {
  const { act, outcome, before, search, namespace, subject, requestId, from, to } = input;
  return and(
    namespace === undefined ? undefined : eq(audit.namespace, namespace),
    subject === undefined ? undefined : eq(audit.subject, subject),
    requestId === undefined ? undefined : hasRequestId(audit, requestId),
    from === undefined ? undefined : gte(audit.at, from),
    to === undefined ? undefined : lt(audit.at, to),
    act === undefined ? undefined : eq(audit.act, act),
    outcome === undefined ? undefined : eq(audit.outcome, outcome),
    before === undefined ? undefined : lt(audit.id, before),
    search
      ? or(
          ...[audit.actor, audit.subject, audit.reason].map((text) => contains(kind, text, search)),
        )
      : undefined,
  );
}

/** A request id that the caller sent is stored in `seen`; otherwise the intent is the id. */
function hasRequestId(audit: Schema['audit'], requestId: string): SQL | undefined {
  const sent = `"requestId":${JSON.stringify(requestId)}`;
  // Unlike LIKE, `instr` is case-sensitive.
  return or(eq(audit.intent, requestId), sql`instr(${audit.seen}, ${sent}) > 0`);
}

const likePattern = (part: string) => `%${part.replace(/[!%_]/g, '!$&')}%`;

/** For SQLite's GLOB, with both cases of each letter: its LIKE knows those of ASCII only. */
const globPattern = (part: string) => `*${Array.from(part, globCharacter).join('')}*`;

function globCharacter(character: string): string {
  const cases = [character, character.toLowerCase(), character.toUpperCase()];
  const single = [...new Set(cases)].filter((each) => [...each].length === 1);
  return single.length > 1 || /[*?[]/.test(character) ? `[${single.join('')}]` : character;
}

/** Whether a text contains another, ignoring case but not accents. */
function contains(kind: Database['kind'], column: unknown, part: string): SQL {
  if (kind === 'sqlite') return sql`${column} glob ${globPattern(part)}`;
  // The cast makes text of bytes; unlike other collations, this one distinguishes é from e.
  const pattern = sql`lower(${likePattern(part)}) collate utf8mb4_bin`;
  return sql`lower(cast(${column} as char)) like ${pattern} escape '!'`;
}

function toEntry(row: AuditRow): AuditEntry {
  const { intent, seen, result, outcome, ...rest } = row;
  const { requestId = intent } = readSeen(seen);
  return {
    ...rest,
    requestId,
    outcome: outcome as AuditEntry['outcome'],
    seen: JSON.parse(seen) as Record<string, unknown>,
    result: JSON.parse(result) as Record<string, unknown>,
  };
}
