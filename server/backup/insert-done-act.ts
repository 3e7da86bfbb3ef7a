import type { BulkChange } from '@/db/bulk-change';
import type { Cell } from '@/db/snapshot';
import { randomText } from '../auth/random-text';
import type { AuditAct } from '../operations/audit/audited-act';

/** What a command did: to what, what it found, and what it created. */
interface DoneAct {
  act: AuditAct;
  subject?: string;
  seen?: Record<string, unknown>;
  result?: Record<string, unknown>;
}

/**
 * Writes the audit entry of a command's change in the transaction of the change: neither exists
 * without the other.
 */
export async function insertDoneAct(
  change: BulkChange,
  now: number,
  { act, subject = '', seen = {}, result = {} }: DoneAct,
): Promise<void> {
  const entry: Record<string, Cell> = {
    intent: randomText(22),
    at: now,
    actor: 'command line',
    actor_kind: 'cli',
    address: 'local',
    act,
    subject,
    reason: '',
    seen: JSON.stringify(seen),
    outcome: 'done',
    result: JSON.stringify(result),
    closed_at: now,
  };
  await change.insert('audit', Object.keys(entry), [Object.values(entry)]);
}
