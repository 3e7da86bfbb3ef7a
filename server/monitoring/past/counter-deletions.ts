import { setImmediate } from 'node:timers/promises';
import type { Database } from '@/db/database';
import { AUDIT_STEP } from '@/db/recorded/audit-step';
import { ACT_LANDS_WITHIN_MS } from '../../core/timing';
import type { RecordKey } from '../../storage/record-store';

/** The most deletions that are read: those that began last. */
const READ_MAX = 1_000;

/** A deletion of one or more counters by a person. A deletion leaves no event of the counter. */
export interface CounterDeletion {
  /** When it was done, on the clock of the process that did it. */
  at: number;
  /** Whether a counter was one of them; of more than 100, whether it was chosen to be. */
  isOf: (key: RecordKey) => boolean;
}

/**
 * The deletions of counters that ended after one instant and by another, from the audit log. A
 * counter can be used until the deletion, which may take seconds, reaches it.
 */
export async function readCounterDeletions(
  { raw, kind }: Database,
  from: number,
  to: number,
): Promise<CounterDeletion[]> {
  const found: CounterDeletion[] = [];
  const first = from - ACT_LANDS_WITHIN_MS;
  for (let last = to; last > first && found.length < READ_MAX; ) {
    const ended = await raw.ask(
      "SELECT at FROM audit WHERE outcome = 'done' AND at > ? AND at <= ? " +
        `ORDER BY at DESC LIMIT 1 OFFSET ${AUDIT_STEP[kind]}`,
      [first, last],
    );
    // Entries of the same instant are in the same step, however many they are.
    const after = Math.min(Number(ended.rows[0]?.[0] ?? first), last - 1);
    const { rows } = await raw.ask(
      'SELECT closed_at, namespace, subject, seen, result FROM audit ' +
        "WHERE outcome = 'done' AND at > ? AND at <= ? AND act = 'counter.delete' " +
        `AND closed_at > ? AND closed_at <= ? ORDER BY at DESC LIMIT ${READ_MAX - found.length}`,
      [after, last, from, to],
    );
    for (const [closedAt, ...chosen] of rows) {
      found.push({ at: Number(closedAt), isOf: matcher(chosen) });
    }
    last = after;
    await setImmediate();
  }
  return found;
}

/** What `deleteNames` notes in the audit log. */
interface DeletedNames {
  deleted: number;
  /** The first 100 of them. */
  names: string[];
}

function matcher([namespace, subject, seen, result]: unknown[]): CounterDeletion['isOf'] {
  const { names: chosen } = JSON.parse(String(seen)) as { names?: string[] };
  const { deleted, names } = JSON.parse(String(result)) as DeletedNames;
  const known = new Set(names);
  const prefix = String(subject).replace(/\*$/, '');
  const isChosen = (name: string) => chosen?.includes(name) ?? name.startsWith(prefix);
  const isTruncated = deleted > names.length;
  return (key) =>
    key.namespace === namespace && (known.has(key.name) || (isTruncated && isChosen(key.name)));
}
