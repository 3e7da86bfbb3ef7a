import type { LockEvent } from '@/server/core/lock/lock-event';
import { type LockRecord, liveHolds, type Waiter } from '@/server/core/lock/lock-record';
import { isReassignment } from './reassign-referee';
import { SIM_CAPACITY } from './sim-permits';

/** One step of a lock in the database. */
interface LockStep {
  old: LockRecord | null;
  record: LockRecord;
  events: readonly LockEvent[];
  /** By the database's clock. */
  at: number;
}

/** The violations in the permits of a lock after a step, in words. */
export function permitViolations({ old, record, events, at }: LockStep): string[] {
  const live = liveHolds(record, at);
  const found: string[] = [];
  if (new Set(live.map(({ mode }) => mode)).size > 1) {
    found.push(`${live.map(({ token, mode }) => `${token} (${mode})`)} are live at the same time`);
  }
  const set = events.flatMap(({ capacity }) => capacity ?? []);
  const known = [SIM_CAPACITY, ...set, ...(old?.capacity ? [old.capacity.inForce] : [])];
  const present = record.capacity?.inForce;
  if (present !== undefined && !known.includes(present)) {
    found.push(`the capacity is ${present}, which no caller and no operator has set`);
  }
  const granted = events.filter(({ kind, permits }) => kind === 'granted' && permits !== undefined);
  if (granted.length === 0) return found;
  const held = live.reduce((sum, { permits = 0 }) => sum + permits, 0);
  const most = Math.max(...(old?.capacity ? known.slice(1) : known), present ?? 0);
  if (held > most) found.push(`${held} of ${most} permits are held`);
  const chosen = new Set(events.filter(isReassignment).map(({ owner }) => owner));
  for (const grant of granted.filter(({ owner }) => !chosen.has(owner))) {
    const passed = overtakenBy(grant, { old, record, events, at });
    if (passed) found.push(`${grant.owner} overtook ticket ${passed.ticket}`);
  }
  return found;
}

/** A waiter that was queued before this newcomer, and still is. */
function overtakenBy(grant: LockEvent, { old, record, events }: LockStep): Waiter | undefined {
  const { owner } = grant;
  if (!old || old.queue.some((waiter) => waiter.owner === owner)) return undefined;
  const isIn = (list: readonly { ticket: number }[], { ticket }: Waiter) =>
    list.some((one) => one.ticket === ticket);
  // An offer may be revoked later in the same swap.
  const later = events.slice(events.indexOf(grant));
  const wasOffered = (waiter: Waiter) =>
    isIn(old.offers, waiter) &&
    later.some((one) => one.kind === 'withdrawn' && one.owner === waiter.owner);
  return old.queue.find(
    (waiter) =>
      waiter.setSize === undefined &&
      isIn(record.queue, waiter) &&
      !isIn(record.offers, waiter) &&
      !wasOffered(waiter),
  );
}
