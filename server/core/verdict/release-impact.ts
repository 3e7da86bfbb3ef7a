import type { HoldRow, LockDetail, LockRow, WaiterRow } from '../../contract/console/lock-row';
import { boundText } from '../format/durations';
import { exactCount, plural } from '../format/numbers';
import { visibleText } from '../format/visible-text';
import { SHARED_MAX } from '../lock/lock-record';
import { waitersThatFit } from '../lock/permits';
import { isRenewedInTime, livenessAt } from './hold-clauses';
import { lastKnownAt, type VerdictView } from './verdict';

/** What the choice of an action on a lock, and its effect, depend on. */
export interface ActFacts extends Pick<LockDetail, 'waiters' | 'policy' | 'waitPart'> {
  row: LockRow;
  /** The hold that the action concerns. */
  hold: HoldRow | null;
  /** Whether the backend currently grants nothing. */
  isClosed: boolean;
}

/**
 * What a force-release would do: who gets the lock, if a waiter does, and what else it affects, in
 * sentences.
 */
export function releaseImpact(
  facts: ActFacts,
  hold: HoldRow,
  view: VerdictView,
): { to: string | null; effects: string[] } {
  const { policy } = facts;
  const { set, alsoHolds = 0 } = hold;
  const known = lastKnownAt(view);
  const next = nextGranted(facts, hold);
  const [first, ...others] = next;
  const isProven = facts.row.orphaned?.token === hold.token;
  const isDead = isProven || livenessAt(hold, known).state === 'dead';
  const effects = [
    isDead ? '' : 'The holder is not stopped; only resources that check its token reject it.',
    queueText(facts, next),
    first && !isRenewedInTime(hold, known) ? impatience(facts.waiters, hold, known) : '',
    policy.lockDelayMs > 0 ? `No grants for ${boundText(policy.lockDelayMs)} (lock delay).` : '',
    set ? keptText(set.size - 1) : '',
    alsoHolds > 0 ? `Its process holds ${plural(alsoHolds, 'other lock')}.` : '',
  ];
  const to = first ? `${visibleText(first.owner)}${othersText(others.length)}` : null;
  return { to, effects: effects.filter((text) => text !== '') };
}

/** The number of others that are granted a lock with the first, as text to follow its name. */
export const othersText = (others: number) =>
  others === 0 ? '' : ` and ${plural(others, 'other')}`;

/**
 * The first waiters, which can hold a lock together once no other caller holds it. A multi-lock is
 * only offered the lock.
 *
 * @param permits how many are free then
 */
export function servedTogether(waiters: readonly WaiterRow[], permits: number): WaiterRow[] {
  const [first] = waiters;
  const fitting = waitersThatFit(waiters, permits);
  if (fitting.length > 0) return fitting;
  if (first?.mode !== 'shared' || first.setSize !== undefined) return waiters.slice(0, 1);
  const end = waiters.findIndex(({ mode, setSize }) => mode !== 'shared' || setSize !== undefined);
  return waiters.slice(0, Math.min(end < 0 ? waiters.length : end, SHARED_MAX));
}

/** How many permits are free once this hold has ended. @param hold null: the lock has none */
export function permitsLeft({ permits }: LockRow, hold: HoldRow | null): number {
  const { capacity = 0, inUse = 0 } = permits ?? {};
  return capacity - inUse + (hold?.permits ?? 0);
}

/** @param others how many other locks of the same request its owner holds */
const keptText = (others: number) =>
  others === 1
    ? 'The other lock of its request stays held.'
    : `The ${plural(others, 'other lock')} of its request stay held.`;

/** The waiters that get the lock immediately. */
function nextGranted({ row, waiters, isClosed, policy }: ActFacts, hold: HoldRow): WaiterRow[] {
  const [first] = waiters;
  if (!first || isClosed || policy.lockDelayMs > 0 || first.setSize !== undefined) return [];
  const left = permitsLeft(row, hold);
  if (row.holders <= 1) return servedTogether(waiters, left);
  return hold.permits === undefined ? [] : waitersThatFit(waiters, left);
}

function queueText({ row, waiters, isClosed }: ActFacts, next: readonly WaiterRow[]) {
  if (isClosed) return 'No grant: backend is not granting locks.';
  if (next.length > 0) {
    const rest = waiters.length - next.length;
    return rest === 0 ? '' : `${exactCount(rest)} still waiting.`;
  }
  if (row.holders > 1) return 'Other holders keep the lock.';
  return row.waiters === 0 ? 'No waiters: it becomes free.' : '';
}

/** A sentence about the waiters whose timeout is before the end of the lease. */
function impatience(waiters: WaiterRow[], { expiresAt }: HoldRow, now: number): string {
  const gone = waiters.filter(
    ({ patienceUntil }) => patienceUntil > now && patienceUntil < expiresAt,
  );
  if (gone.length === 0) return '';
  const who =
    gone.length < waiters.length
      ? `${exactCount(gone.length)} of ${plural(waiters.length, 'waiter')}`
      : gone.length === 1
        ? 'the waiter'
        : gone.length === 2
          ? 'both waiters'
          : `all ${plural(gone.length, 'waiter')}`;
  const times = gone.length === 1 ? 'times' : 'time';
  return `If you wait, ${who} ${times} out before the lease expires.`;
}
