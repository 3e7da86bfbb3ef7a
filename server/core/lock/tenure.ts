import type { Draft } from '../decision';
import { KEEP_AHEAD_MS, REMEMBER_MS } from '../decision';
import { nextToken } from '../fencing-token';
import type { RequestIdentity } from '../request-tag';
import type { AcquireCommand } from './lock-command';
import type { EndCause, Hold } from './lock-record';

/**
 * Makes a hold: a new token, and a lease that begins now. The caller has made sure that the lock is open and has room,
 * so a lock-delay is over. What a replay must be told of a set is kept by whoever grants the set.
 */
export function grant(
  draft: Draft,
  ask: AcquireCommand,
  waitedMs: number,
  how: Pick<Hold, 'isUnclaimed'> = {},
): Hold {
  const { record, context, now } = draft;
  const token = nextToken(record.lastToken, context.epoch, now);
  const expiresAt = now + ask.leaseMs;
  const hold: Hold = {
    token,
    mode: ask.mode,
    service: ask.service,
    owner: ask.owner,
    count: 1,
    leaseMs: ask.leaseMs,
    grantedAt: now,
    renewedAt: now,
    renewals: 0,
    expiresAt,
    waitedMs,
    rev: draft.rev,
    meta: ask.meta,
    requests: ask.request.remembered ? [ask.request.key] : [],
    requestsKeptUntil: expiresAt + KEEP_AHEAD_MS,
    askedToRelease: null,
    renewalsStopped: null,
    ...how,
  };
  if (ask.set) hold.set = ask.set;
  draft.change({ holds: [...record.holds, hold], lastToken: token, delayedUntil: 0 });
  draft.note('granted', hold, { token, mode: ask.mode, waitedMs, expiresAt, meta: ask.meta });
  if (!ask.set) rememberGrant(draft, ask, hold);
  return hold;
}

/** Keeps what a replay of this acquire must be told, for as long as the hold may live. */
export function rememberGrant(draft: Draft, ask: AcquireCommand, hold: Hold): void {
  const { token, count, waitedMs } = hold;
  const grantMemo: GrantMemo = { token, rev: draft.rev, holdCount: count, waitedMs };
  draft.remember(ask.request, grantMemo, hold.requestsKeptUntil);
}

/** What is remembered of a grant. Its deadline is the hold's own, which renewals move. */
export interface GrantMemo {
  token: number;
  rev: number;
  holdCount: number;
  waitedMs: number;
}

/** The part of a hold that its holder's being heard of sets anew; not its lease once operators have stopped its renewals. */
export function freshLease(draft: Draft, hold: Hold, leaseMs: number): Partial<Hold> {
  const claimed = hold.isUnclaimed ? { isUnclaimed: false } : {};
  return hold.renewalsStopped ? claimed : { ...claimed, leaseMs, expiresAt: draft.now + leaseMs };
}

/** Changes a live hold. A lease's end never moves backwards; remembered answers are kept alive along with it. */
export function adjust(draft: Draft, hold: Hold, part: Partial<Hold>): Hold {
  const expiresAt = Math.max(hold.expiresAt, part.expiresAt ?? 0);
  const next = { ...hold, ...part, expiresAt };
  if (next.isUnclaimed === false) delete next.isUnclaimed;
  if (expiresAt > next.requestsKeptUntil) {
    next.requestsKeptUntil = expiresAt + KEEP_AHEAD_MS;
    const keptUntil = next.requestsKeptUntil + REMEMBER_MS;
    const keys = next.requests;
    if (keys.length > 0) {
      draft.extensions.push({ keys, expiresAt: keptUntil });
      draft.keepForAnswers(keptUntil);
    }
  }
  draft.change({
    holds: draft.record.holds.map((other) => (other.token === hold.token ? next : other)),
  });
  return next;
}

/** Ends a lease sooner that nobody can have been told of. */
export function cutShort(draft: Draft, hold: Hold, expiresAt: number): void {
  const next = { ...hold, expiresAt: Math.min(hold.expiresAt, expiresAt) };
  draft.change({ holds: draft.record.holds.map((other) => (other === hold ? next : other)) });
  draft.note('detached', hold, { token: hold.token, expiresAt: next.expiresAt });
}

/**
 * Takes one entry off a hold that was entered more than once, and says how many are left. Which request made it is
 * known only of one that is undone; else the oldest is let go, for whoever made the newest may not know of it yet.
 */
export function takeOneOff(
  draft: Draft,
  hold: Hold,
  undone: RequestIdentity | null = null,
): number {
  const count = hold.count - 1;
  const requests = hold.requests.filter((key) => key !== undone?.key).slice(-count);
  adjust(draft, hold, { count, requests });
  draft.note('decremented', hold, { token: hold.token, holdCount: count });
  return count;
}

/**
 * Ends a hold and remembers how. The lock is not handed on yet; where the namespace has a lock-delay, a hold that was
 * lost (not given back) begins it.
 *
 * @param at the instant at which it was over; now, unless it lapsed
 * @param why who ended it and for what reason, where a person did
 */
export function endHold(
  draft: Draft,
  hold: Hold,
  cause: Ending,
  at = draft.now,
  why: { by: string; reason: string } | null = null,
): void {
  const { token, service, owner, grantedAt } = hold;
  const { lockDelayMs } = draft.context.policy;
  const isLost = cause === 'expired' || cause === 'forced';
  if (isLost && lockDelayMs > 0) {
    draft.change({ delayedUntil: Math.max(draft.record.delayedUntil, at + lockDelayMs) });
  }
  const told = cause === 'late' ? 'released' : cause;
  draft.change({
    holds: draft.record.holds.filter((other) => other.token !== token),
    ended: { token, service, owner, cause: told, grantedAt, at, ...why },
  });
  draft.note(cause, hold, { at, token, heldMs: Math.max(0, at - grantedAt), ...why });
}

/** `late`: a grant that came too late to be of use, given back by the service itself. */
type Ending = Exclude<EndCause, 'superseded'> | 'late';
