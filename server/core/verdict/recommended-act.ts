import type { HoldRow, LockRow } from '../../contract/console/lock-row';
import { plural } from '../format/numbers';
import { visibleText } from '../format/visible-text';
import { isReleased } from '../lock/lock-record';
import { isRenewedInTime, livenessAt } from './hold-clauses';
import { type ActFacts, releaseImpact } from './release-impact';
import { type VerdictView, whenText } from './verdict';

/** What may be recommended: an act on the lock, or patience. */
export type RecommendedVerb = 'ask' | 'block' | 'extend' | 'release' | 'unfreeze' | 'wait' | 'look';

/** The gentlest act that helps. */
export interface Recommendation {
  verb: RecommendedVerb;
  title: string;
  /** What it does and does not do, and what else it affects, in sentences. */
  effect: string;
  /** With `look`: the lock that keeps this one's holder waiting. */
  lock?: { namespace: string; name: string };
}

/** A lease with less left than this ends sooner than a person has acted. */
const SHORTLY_MS = 10_000;

/** How long a holder may take to end its work after it was asked. */
const ANSWER_MS = 30_000;

/** With less of the lease left, blocking its renewals is as good as ending it. */
const SOON_MS = 5 * 60_000;

/**
 * What to do about a lock, gentle before hard: wait, ask, let the lease run out, release. Null
 * where nothing is to be done: the lock is as usual, or free.
 */
export function recommendedAct(facts: ActFacts, view: VerdictView): Recommendation | null {
  const { row, hold, waitPart } = facts;
  const { status } = row;
  if (status === 'unknown') return whileUnknown(row);
  if (status === 'frozen') return whileFrozen(row);
  if (!hold || isReleased(hold) || hold.expiresAt <= view.now) return null;
  const isDead = row.orphaned?.token === hold.token || livenessAt(hold, view.now).state === 'dead';
  if (isDead) return ofDead(facts, hold, view);
  if (waitPart?.inDeadlock) {
    return released(facts, hold, view, 'A deadlock does not end by itself.');
  }
  const cause = waitPart?.holderWaits.find(({ isConcurrent }) => !isConcurrent);
  const isPressing = status === 'stuck' || isOverdue(row, hold, view.now);
  if (cause && isPressing) return lookAt(cause);
  if (status === 'expiring') return ofExpiring(facts, hold, view);
  return isPressing ? ofAlive(facts, hold, view) : null;
}

/** Held for longer than usual while callers want the lock. */
function isOverdue({ ownHold, waiters, refused }: LockRow, hold: HoldRow, now: number): boolean {
  if (!ownHold || now - hold.grantedAt <= ownHold.p99Ms) return false;
  return waiters > 0 || (refused !== undefined && now - refused.lastAt <= 60_000);
}

function whileUnknown({ backend, unreadable }: LockRow): Recommendation {
  if (unreadable !== undefined) {
    return {
      verb: 'wait',
      title: 'Repair the record',
      effect: 'No act is possible on a record that cannot be read.',
    };
  }
  return {
    verb: 'wait',
    title: `Restore backend ${backend}`,
    effect: 'No action is possible until it responds. Leases keep counting down meanwhile.',
  };
}

function whileFrozen({ frozen, waiters }: LockRow): Recommendation | null {
  if (!frozen || waiters === 0) return null;
  return {
    verb: 'unfreeze',
    title: 'Unfreeze, if its reason is over',
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
    effect: `The holder waits for it, ${held}. A release here would only take its work away.`,
    lock: { namespace, name },
  };
}

function ofDead(facts: ActFacts, hold: HoldRow, view: VerdictView): Recommendation {
  if (hold.expiresAt - view.now <= SHORTLY_MS) return waitFor(hold, view, 'Its process is dead.');
  return released(facts, hold, view, 'Nothing to interrupt: its process is dead.');
}

/** The act for a hold whose renewal is late: it may still come. */
function ofExpiring(facts: ActFacts, hold: HoldRow, view: VerdictView): Recommendation {
  if (livenessAt(hold, view.now).state !== 'alive' || hold.renewalsStopped) {
    return waitFor(hold, view, 'Unless its holder renews it after all.');
  }
  const { waiters } = facts.row;
  const delayed = waiters > 0 ? ` Delays ${plural(waiters, 'waiter')}.` : '';
  return {
    verb: 'extend',
    title: 'Extend the lease',
    effect: `Its process is alive but renews late; this gives it time.${delayed}`,
  };
}

/** The act for a hold whose process is alive, or not known to be dead. */
function ofAlive(facts: ActFacts, hold: HoldRow, view: VerdictView): Recommendation {
  const { now } = view;
  const { askedToRelease: asked, renewalsStopped, renewedAt, expiresAt } = hold;
  const leftMs = expiresAt - now;
  if (renewalsStopped || !isRenewedInTime(hold, now)) {
    const why = renewalsStopped ? 'Renewals are blocked.' : 'It is not being renewed.';
    return leftMs <= SOON_MS ? waitFor(hold, view, why) : released(facts, hold, view, '');
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
      effect: `${visibleText(asked.by)} asked it to release; the request is not delivered yet.`,
    };
  }
  if (now - asked.at <= ANSWER_MS) {
    return {
      verb: 'wait',
      title: 'Give the holder a moment',
      effect: `${visibleText(asked.by)} asked it to release; the request is delivered.`,
    };
  }
  if (leftMs > SOON_MS) return released(facts, hold, view, '');
  return {
    verb: 'block',
    title: 'Block its renewals',
    effect:
      `It was asked and keeps renewing. The lock then frees ${whenText(expiresAt, view)}, ` +
      'and the holder finds out at its next renewal.',
  };
}

function waitFor(hold: HoldRow, view: VerdictView, why: string): Recommendation {
  return {
    verb: 'wait',
    title: `Wait: it frees ${whenText(hold.expiresAt, view)}`,
    effect: `${why} Nothing else is affected.`,
  };
}

function released(facts: ActFacts, hold: HoldRow, view: VerdictView, why: string): Recommendation {
  const { to, effects } = releaseImpact(facts, hold, view);
  return {
    verb: 'release',
    title: to ? `Force release, and grant to ${to}` : 'Force release',
    effect: [why, ...effects].filter((text) => text !== '').join(' '),
  };
}

const waiting = (count: number) =>
  count === 1 ? '1 caller is waiting' : `${plural(count, 'caller')} are waiting`;
