import type { HoldRow, LockRow } from '../../contract/console/lock-row';
import { agoText, baselineText, boundText, runningDuration } from '../format/durations';
import { capital, exactCount, plural } from '../format/numbers';
import { visibleText } from '../format/visible-text';
import { type LivenessVerdict, livenessOf } from '../status/holder-liveness';
import { LATE_SHARE } from '../status/lock-status';
import {
  futureText,
  holderText,
  joinSentences,
  lastKnownAt,
  pastText,
  sentencePart,
  type VerdictPart,
  type VerdictView,
} from './verdict';

/** Whether the process of a hold is alive, according to witnesses or else to its renewals. */
export const livenessAt = (hold: HoldRow, now: number): LivenessVerdict =>
  hold.liveness ?? livenessOf(hold, [], now);

/** Whether a hold is renewed, and its next renewal is not late. */
export const isRenewedInTime = ({ renewals, renewedAt, leaseMs }: HoldRow, now: number): boolean =>
  renewals > 0 && now - renewedAt <= leaseMs * LATE_SHARE;

/** For example: Held for 3 h 12 m (usually under 40 s) by billing-7f9c on host-4 and 2 others. */
export function heldClause(row: LockRow, hold: HoldRow, heldMs: number): VerdictPart[] {
  const others = row.holders > 1 ? ` and ${plural(row.holders - 1, 'other')}` : '';
  const permits =
    row.permits && hold.permits
      ? `, ${exactCount(row.permits.inUse)} of ${plural(row.permits.capacity, 'permit')} in use`
      : '';
  const set = hold.set
    ? `, together with ${plural(hold.set.size - 1, 'other lock')} of one request`
    : '';
  return [
    { text: `Held for ${runningDuration(heldMs)}`, tone: 'strong' },
    sentencePart(`${usualText(row)} by ${holderText(hold)}${others}${permits}${set}.`),
  ];
}

/** The usual hold of the lock, or the limit of its namespace; empty while neither is known. */
function usualText({ stuck, ownHold, namespaceHold, namespace }: LockRow): string {
  if (stuck && stuck.kind !== 'longWait' && stuck.p99Ms === null) {
    return ` (limit of its namespace: ${boundText(stuck.limitMs)})`;
  }
  if (ownHold) return ` (usually under ${baselineText(ownHold.p99Ms)})`;
  if (!namespaceHold) return '';
  return ` (new; locks of ${namespace} usually under ${baselineText(namespaceHold.p99Ms)})`;
}

/** Whether the holder's process is alive, and when its lease expires. */
export function processClauses(row: LockRow, hold: HoldRow, view: VerdictView): VerdictPart[] {
  const { now } = view;
  const known = lastKnownAt(view);
  const { state, since } = livenessAt(hold, known);
  const end = `the lease expires ${futureText(hold.expiresAt, view)}`;
  const death = row.orphaned?.since ?? (state === 'dead' ? (since ?? now) : null);
  if (death !== null) {
    return joinSentences([deathPart(row, death, view)], [sentencePart(`${capital(end)}.`)]);
  }
  if (hold.renewalsStopped) {
    return [sentencePart(`Renewals are blocked: ${end}.`)];
  }
  if (state === 'alive' && isRenewedInTime(hold, known)) {
    const isStuck = row.status === 'stuck';
    return [
      { text: 'That process is alive', tone: isStuck ? 'strong' : 'plain' },
      sentencePart(
        isStuck
          ? ' and keeps renewing; the lock will not free itself.'
          : ` and keeps renewing; without another renewal ${end}.`,
      ),
    ];
  }
  const alive =
    state === 'alive'
      ? 'That process is alive. '
      : row.status === 'stuck' || row.status === 'expiring'
        ? 'Whether that process is alive is unknown. '
        : '';
  return [sentencePart(`${alive}${renewalText(hold, view)}; ${end} unless renewed.`)];
}

function deathPart({ orphaned, holders }: LockRow, since: number, view: VerdictView): VerdictPart {
  if (orphaned && holders > 1) {
    const are = orphaned.dead === 1 ? 'is' : 'are';
    const dead = `${exactCount(orphaned.dead)} of its ${exactCount(holders)} processes`;
    return { text: `${dead} ${are} dead.`, tone: 'alarm' };
  }
  return { text: `That process exited ${pastText(since, view)}.`, tone: 'alarm' };
}

function renewalText({ renewals, renewedAt, leaseMs }: HoldRow, view: VerdictView): string {
  if (renewals === 0) return 'Not renewed yet';
  const dueAt = renewedAt + leaseMs / 3;
  if (lastKnownAt(view) <= dueAt) return `Renewed ${agoText(view.now - renewedAt)}`;
  return `Its renewal is overdue by ${runningDuration(view.now - dueAt)}`;
}

/** What makes a lock stuck besides the age of its hold; empty if only the age does. */
export function stuckClause(row: LockRow, hold: HoldRow | null, now: number): VerdictPart[] {
  const { stuck, oldestWaitAt } = row;
  if (stuck?.kind === 'longWait') {
    const waited = runningDuration(now - (oldestWaitAt ?? now));
    const limit = boundText(stuck.limitMs);
    return [
      {
        text: `The longest wait is ${waited}, over the namespace limit of ${limit}.`,
        tone: 'strong',
      },
    ];
  }
  if (stuck?.kind !== 'idleRenewals') return [];
  const asked = hold?.askedToRelease;
  const cause =
    stuck.wish === 'asked' && asked
      ? `${runningDuration(now - asked.at)} after ${visibleText(asked.by)} asked it to release`
      : 'though all waiters timed out';
  return [{ text: `It still renews ${cause}.`, tone: 'strong' }];
}

/** For example: 2 waiting, 14 attempts refused. */
export function demandClause({ waiters, refused, status }: LockRow): VerdictPart[] {
  const refusals = refused ? `, ${plural(refused.attempts, 'attempt')} refused` : '';
  if (waiters === 0) return [sentencePart(`No waiters${refusals}.`)];
  const isPressing = status === 'stuck' || status === 'orphaned';
  return [
    { text: `${exactCount(waiters)}\u00a0waiting`, tone: isPressing ? 'alarm' : 'strong' },
    sentencePart(`${refusals}.`),
  ];
}
