import type { Refusing } from '../../contract/console/backend-health';
import type { HoldRow, LockRow } from '../../contract/console/lock-row';
import { plural } from '../format/numbers';
import { visibleText } from '../format/visible-text';
import { isReleased } from '../lock/lock-record';
import { REFUSED_RECENTLY_MS } from '../status/refused-attempts';
import { isRenewedInTime, livenessAt } from './hold-clauses';
import { type ActFacts, releaseImpact } from './release-impact';
import { futureText, lastKnownAt, type VerdictView } from './verdict';

/** What can be recommended: an action on the lock, or to wait. */
export type RecommendedVerb = 'ask' | 'block' | 'extend' | 'release' | 'unfreeze' | 'wait' | 'look';

/** The gentlest action that helps. */
export interface Recommendation {
  verb: RecommendedVerb;
  title: string;
  /** Sentences that say what it does and does not do, and what else it affects. */
  effect: string;
  /** With `look`: the lock that the holder of this one waits for. */
  lock?: { namespace: string; name: string };
}

/** A lease with less time left ends before a person can act. */
const SHORTLY_MS = 10_000;

/** How long a holder is given to end its work after it was asked to release. */
const ANSWER_MS = 30_000;

/** With less of the lease left, it is enough to block its renewals. */
const SOON_MS = 5 * 60_000;

/**
 * What to do about a lock, the gentlest action first: wait, ask, let the lease expire, release.
 * Null if there is nothing to do: the lock is as usual, or free.
 */
export function recommendedAct(facts: ActFacts, view: VerdictView): Recommendation | null {
  const { row, hold, waitPart } = facts;
  const { status } = row;
  const known = lastKnownAt(view);
  // A store that rejects requests may still be read.
  if (status === 'unknown' || view.refusal) return repairFirst(row, view);
  if (status === 'frozen') return forFrozen(row);
  if (!hold || isReleased(hold) || hold.expiresAt <= known) return null;
  const isDead = row.orphaned?.token === hold.token || livenessAt(hold, known).state === 'dead';
  if (isDead) return forDead(facts, hold, view);
  if (waitPart?.inDeadlock) {
    return forceRelease(facts, hold, view, 'A deadlock does not end by itself.');
  }
  const cause = waitPart?.holderWaits.find(({ isConcurrent }) => !isConcurrent);
  const isPressing = status === 'stuck' || isOverdue(row, hold, known);
  if (cause && isPressing) return lookAt(cause);
  if (status === 'expiring') return forExpiring(facts, hold, view);
  return isPressing ? forAlive(facts, hold, view) : null;
}

/** Whether the lock is held for longer than usual while other callers want it. */
function isOverdue(row: LockRow, hold: HoldRow, now: number): boolean {
  const { ownHold, waiters, refused, blocked } = row;
  if (!ownHold || now - hold.grantedAt <= ownHold.p99Ms) return false;
  if (waiters > 0) return true;
  // Callers that were refused may hold the lock by now.
  if (refused === undefined || blocked === undefined) return false;
  return now - refused.lastAt <= REFUSED_RECENTLY_MS;
}

/** Until when no action is possible at a store that refuses to serve, as the end of a sentence. */
const SERVES_AGAIN: Record<Refusing, string> = {
  'rejecting requests': 'accepts requests',
  'disabled on this server': 'is enabled on this server',
};

function repairFirst({ backend, unreadable }: LockRow, { refusal }: VerdictView): Recommendation {
  if (unreadable !== undefined) {
    return {
      verb: 'wait',
      title: 'Repair the record',
      effect: 'No action is possible on a record that cannot be read.',
    };
  }
  return {
    verb: 'wait',
    title: `Restore backend ${backend}`,
    effect:
      `No action is possible until it ${refusal ? SERVES_AGAIN[refusal.outage] : 'responds'}. ` +
      'Leases keep counting down meanwhile.',
  };
}

function forFrozen({ frozen, waiters }: LockRow): Recommendation | null {
  if (!frozen || waiters === 0) return null;
  return {
    verb: 'unfreeze',
    title: 'Unfreeze, if the reason no longer applies',
    effect:
      `Frozen by ${visibleText(frozen.by)}. ${waiting(waiters)}; grants resume in the order of ` +
      'the queue.',
  };
}

function lookAt(cause: { namespace: string; name: string; heldBy: string | null }): Recommendation {
  const { namespace, name, heldBy } = cause;
  const held = heldBy === null ? 'which is not held' : `held by ${visibleText(heldBy)}`;
  return {
    verb: 'look',
    title: `Look at ${visibleText(name)} first`,
    effect:
      `The holder is waiting for that lock, ${held}. To release this one would only interrupt ` +
      'its work.',
    lock: { namespace, name },
  };
}

function forDead(facts: ActFacts, hold: HoldRow, view: VerdictView): Recommendation {
  if (hold.expiresAt - lastKnownAt(view) <= SHORTLY_MS) {
    return waitFor(hold, view, 'Its process is dead.');
  }
  return forceRelease(facts, hold, view, 'Nothing to interrupt: its process is dead.');
}

/** The action for a hold whose renewal is late, but can still arrive. */
function forExpiring(facts: ActFacts, hold: HoldRow, view: VerdictView): Recommendation {
  if (livenessAt(hold, lastKnownAt(view)).state !== 'alive' || hold.renewalsStopped) {
    return waitFor(hold, view, 'Unless the holder still renews it.');
  }
  const { waiters } = facts.row;
  const delayed = waiters > 0 ? ` Delays ${plural(waiters, 'waiter')}.` : '';
  return {
    verb: 'extend',
    title: 'Extend the lease',
    effect: `Its process is alive but renews late; this gives it time.${delayed}`,
  };
}

/** The action for a hold whose process is alive, or not known to be dead. */
function forAlive(facts: ActFacts, hold: HoldRow, view: VerdictView): Recommendation {
  const known = lastKnownAt(view);
  const { askedToRelease: asked, renewalsStopped, renewedAt, expiresAt } = hold;
  const leftMs = expiresAt - known;
  if (renewalsStopped || !isRenewedInTime(hold, known)) {
    const why = renewalsStopped ? 'Renewals are blocked.' : 'It is not being renewed.';
    return leftMs <= SOON_MS ? waitFor(hold, view, why) : forceRelease(facts, hold, view, '');
  }
  if (!asked) {
    return {
      verb: 'ask',
      title: 'Ask to release',
      effect: 'Sent with its next renewal; nothing is interrupted, and the holder may ignore it.',
    };
  }
  if (renewedAt <= asked.at) {
    return {
      verb: 'wait',
      title: 'Wait for its next renewal',
      effect: `${visibleText(asked.by)} asked it to release; the request is not yet delivered.`,
    };
  }
  if (known - asked.at <= ANSWER_MS) {
    return {
      verb: 'wait',
      title: 'Give the holder a moment',
      effect: `${visibleText(asked.by)} asked it to release; the request was delivered.`,
    };
  }
  if (leftMs > SOON_MS) return forceRelease(facts, hold, view, '');
  return {
    verb: 'block',
    title: 'Block its renewals',
    effect:
      'The holder was asked, but keeps renewing. With renewals blocked, the lock frees ' +
      `${futureText(expiresAt, view)}; the holder finds out at its next renewal.`,
  };
}

function waitFor(hold: HoldRow, view: VerdictView, why: string): Recommendation {
  return {
    verb: 'wait',
    title: `Wait: it frees ${futureText(hold.expiresAt, view)}`,
    effect: `${why} Nothing else is affected.`,
  };
}

function forceRelease(
  facts: ActFacts,
  hold: HoldRow,
  view: VerdictView,
  why: string,
): Recommendation {
  const { to, effects } = releaseImpact(facts, hold, view);
  return {
    verb: 'release',
    title: to ? `Force release, and grant to ${to}` : 'Force release',
    effect: [why, ...effects].filter((text) => text !== '').join(' '),
  };
}

const waiting = (count: number) =>
  count === 1 ? '1 caller is waiting' : `${plural(count, 'caller')} are waiting`;
