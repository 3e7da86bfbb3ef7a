import { LockyardError } from '../../contract/errors';
import type { Draft } from '../draft';
import type { AcquireCommand } from './lock-command';
import type { Hold, LockRecord, PermitCapacity, Waiter } from './lock-record';

/** The mode and permits that a caller wants. A waiter names no capacity: its record has it. */
export type Demand = Pick<AcquireCommand, 'mode' | 'permits' | 'capacity'>;

/** The capacity of a lock; null: no hold has permits, and no waiter wants any. */
export function capacityOf({ capacity, holds, queue }: LockRecord): PermitCapacity | null {
  if (capacity === null) return null;
  return holds.some(hasPermits) || queue.some(hasPermits) ? capacity : null;
}

const hasPermits = ({ permits }: Hold | Waiter) => permits !== undefined;

/** Sets the capacity that the first caller in mode permit names when it is granted or queued. */
export function nameCapacity(draft: Draft, { permits, capacity = permits }: Demand): void {
  if (capacity === undefined || capacityOf(draft.record) !== null) return;
  draft.change({ capacity: { inForce: capacity, named: capacity } });
}

/** The capacity in force as a field of an event; no field for an acquire without permits. */
export function capacityFact({ record }: Draft, { permits }: Demand): { capacity?: number } {
  const { capacity } = record;
  return permits === undefined || capacity === null ? {} : { capacity: capacity.inForce };
}

/** The sum of their permits. */
export function permitsOf(parties: readonly { permits?: number }[]): number {
  let sum = 0;
  for (const { permits } of parties) sum += permits ?? 0;
  return sum;
}

/** How many permits are held or offered. */
export function permitsTaken({ holds, offers, queue }: LockRecord): number {
  if (offers.length === 0) return permitsOf(holds);
  const tickets = new Set(offers.map(({ ticket }) => ticket));
  return permitsOf(holds) + permitsOf(queue.filter(({ ticket }) => tickets.has(ticket)));
}

/**
 * Whether enough permits are left. If the record lacks the capacity, since an older version of
 * Lockyard wrote it, a waiter gets its permits once no others are held.
 */
export function havePermits(
  record: LockRecord,
  { permits = 1, capacity = permits }: Demand,
): boolean {
  const limit = capacityOf(record)?.inForce ?? capacity;
  return permitsTaken(record) + permits <= limit;
}

/** The first waiters of the queue that want permits, as many as `left` permits suffice for. */
export function waitersThatFit<W extends Demand>(queue: readonly W[], left: number): W[] {
  let sum = 0;
  const end = queue.findIndex(({ mode, permits = 0 }) => {
    sum += permits;
    return mode !== 'permit' || sum > left;
  });
  return queue.slice(0, end < 0 ? queue.length : end);
}

/**
 * Checks what an acquire in mode permit names against the capacity in force.
 *
 * @throws LockyardError `INVALID` for another capacity; `CONFLICT` for more permits than an
 *   operator allows at present
 */
export function requireCapacity(record: LockRecord, { permits = 0, capacity }: Demand): void {
  const present = capacity === undefined ? null : capacityOf(record);
  if (!present) return;
  const { inForce, named } = present;
  if (capacity !== inForce && capacity !== named) {
    const either = named === inForce ? '' : ` or, as an operator has set it, ${inForce}`;
    const text = `capacity: must be ${named}${either}`;
    const why = 'as long as permits of this lock are held or waited for.';
    throw new LockyardError('INVALID', `${text}, ${why}`, { capacity: inForce });
  }
  if (permits <= inForce) return;
  const text = `An operator has lowered the capacity of this lock to ${inForce}`;
  const end = `${permits} permits cannot be granted at present.`;
  throw new LockyardError('CONFLICT', `${text}: ${end}`, { capacity: inForce });
}
