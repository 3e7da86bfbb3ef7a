import { LockyardError } from '../../contract/errors';
import type {
  Granted,
  Held,
  InspectAnswer,
  LockState,
  Lost,
  Released,
  Renewed,
} from '../../contract/lock/answers';
import type { HolderView, PermitUse, WaiterView } from '../../contract/primitives';
import type { Draft } from '../draft';
import { lowestFutureToken } from '../fencing-token';
import type { RequestIdentity } from '../request-fingerprint';
import { type Hold, isReleased, type LockRecord, liveHolds, type Waiter } from './lock-record';
import { capacityOf, permitsOf } from './permits';
import { inServiceOrder, isOutOfPatience, patienceEndsAt } from './queue';

/** The state of a lock at `now`. An expired hold is not shown as held, even if still recorded. */
export function lockState(record: LockRecord | null, now: number): LockState {
  if (!record) return 'free';
  if (record.frozen) return 'frozen';
  if (liveHolds(record, now).length > 0) return 'held';
  if (record.delayedUntil > now) return 'delayed';
  const { holds, ended } = record;
  const isUnreleased = (hold: Hold) => !isReleased(hold);
  const hasExpired = holds.length > 0 ? holds.some(isUnreleased) : ended?.cause === 'expired';
  return hasExpired ? 'expired' : 'free';
}

function holderView(hold: Hold, now: number, viewer: string | undefined): HolderView {
  const { owner, service, token, mode, permits, count, grantedAt, expiresAt } = hold;
  const { set, keptUntil, releasedAt, traceparent } = hold;
  const { role } = hold.meta;
  const view: HolderView = {
    owner,
    service,
    token,
    mode,
    holdCount: count,
    grantedAt,
    expiresAt,
    expiresInMs: expiresAt - now,
  };
  if (permits !== undefined) view.permits = permits;
  if (keptUntil !== undefined) view.keptUntil = keptUntil;
  if (releasedAt !== undefined) view.releasedAt = releasedAt;
  if (set) view.set = set;
  if (role !== undefined) view.role = role;
  if (traceparent !== undefined && service === viewer) view.traceparent = traceparent;
  return view;
}

/** @param viewer the service that sees the traces of its own holds; undefined: shows no traces */
export function holderViews(
  record: LockRecord | null,
  now: number,
  viewer: string | undefined,
): HolderView[] {
  return liveHolds(record, now).map((hold) => holderView(hold, now, viewer));
}

function waiterViews(record: LockRecord | null, now: number): WaiterView[] {
  const queue = inServiceOrder(record?.queue ?? []);
  const waiting = queue.filter((waiter) => !isOutOfPatience(waiter, now));
  return waiting.map((waiter, index) => {
    const { ticket, mode, permits, owner, service, enqueuedAt, setSize } = waiter;
    return {
      place: index + 1,
      ticket,
      mode,
      ...(permits === undefined ? {} : { permits }),
      owner,
      service,
      enqueuedAt,
      waitedMs: Math.max(0, now - enqueuedAt),
      patienceLeftMs: patienceEndsAt(waiter) - now,
      ...(setSize === undefined ? {} : { setSize }),
    };
  });
}

/** Whether the hold with this token is live and its holder has not released it. */
export function isValidToken(record: LockRecord | null, token: number, now: number): boolean {
  return liveHolds(record, now).some((hold) => hold.token === token && !isReleased(hold));
}

/** The use of a lock's permits at `now` as a field to spread; no field if it has none. */
export function permitsView(record: LockRecord | null, now: number): { permits?: PermitUse } {
  const capacity = record && capacityOf(record);
  if (!capacity) return {};
  const { inForce, named } = capacity;
  const inUse = permitsOf(liveHolds(record, now));
  return { permits: { capacity: inForce, inUse, ...(named === inForce ? {} : { named }) } };
}

/** The trace of the hold that this one waited for, as a field to spread; no field if unknown. */
export function waitedFor({
  waitedForTraceparent,
}: Pick<Hold, 'waitedForTraceparent'>): Pick<Hold, 'waitedForTraceparent'> {
  return waitedForTraceparent === undefined ? {} : { waitedForTraceparent };
}

/** Reads a record without changing it. An expired hold counts as ended, even if still recorded. */
export function inspectRecord(
  record: LockRecord | null,
  now: number,
  epoch: number,
  { grantsFrom = 0, viewer }: { grantsFrom?: number | undefined; viewer?: string | undefined } = {},
): InspectAnswer {
  const owned = liveHolds(record, now).filter((hold) => !isReleased(hold));
  const tokens = owned.map((hold) => hold.token);
  const delayedUntil = record ? record.delayedUntil : grantsFrom;
  return {
    state: !record && delayedUntil > now ? 'delayed' : lockState(record, now),
    rev: record?.rev ?? 0,
    holders: holderViews(record, now, viewer),
    ...permitsView(record, now),
    waiters: waiterViews(record, now),
    ...(record?.frozen ? { frozen: record.frozen } : {}),
    ...(delayedUntil > now ? { delayedUntil } : {}),
    minValidToken:
      tokens.length > 0
        ? Math.min(...tokens)
        : lowestFutureToken(record?.lastToken ?? 0, epoch, now),
  };
}

/** The party that got the lock from an operator's action: the new holder. */
export const grantedTo = (hold: Hold) =>
  ({ kind: 'granted', ...partyOf(hold), token: hold.token }) as const;

/** The party that got the lock from an operator's action: the waiter to which it was offered. */
export const offeredTo = (waiter: Waiter) =>
  ({ kind: 'offered', ...partyOf(waiter), token: null }) as const;

const partyOf = ({ owner, service, permits }: Hold | Waiter) =>
  permits === undefined ? { owner, service } : { owner, service, permits };

/** The answer to an acquire that was granted this hold. */
export function grantedAnswer(draft: Draft, hold: Hold): Granted {
  const { token, count, expiresAt, waitedMs } = hold;
  const answer: Granted = {
    outcome: 'granted',
    token,
    rev: draft.rev,
    holdCount: count,
    expiresAt,
    expiresInMs: expiresAt - draft.now,
    waitedMs,
  };
  const { waitedForTraceparent } = hold;
  if (waitedForTraceparent !== undefined) answer.waitedForTraceparent = waitedForTraceparent;
  return answer;
}

/** The answer to a renewal that left the hold like this. */
export function renewedAnswer(hold: Hold, rev: number, now: number): Renewed {
  const { expiresAt, askedToRelease, renewalsStopped } = hold;
  return {
    outcome: 'renewed',
    rev,
    expiresAt,
    expiresInMs: expiresAt - now,
    ...(askedToRelease ? { askedToRelease } : {}),
    ...(renewalsStopped ? { renewalsStopped } : {}),
  };
}

/** The answer to a release after which the lock stays taken until the hold ends. */
export function releasedAnswer({ expiresAt }: Hold, now: number): Released {
  return { outcome: 'released', freesAt: expiresAt, freesInMs: expiresAt - now };
}

/**
 * The answer to a renewal that was committed earlier, from a record read since: the present lease
 * of the hold, `released` if its holder has released it since, or `lost` if the record shows that
 * it has ended. Null: the hold has expired, but its end is not in the record.
 */
export function answerToEarlierRenewal(
  record: LockRecord | null,
  { token, owner }: { token: number; owner: string },
  now: number,
): Renewed | Released | Lost | null {
  const hold = record?.holds.find((other) => other.token === token && other.owner === owner);
  if (!record || !hold) return lostAnswer(record, token, owner, now);
  if (hold.expiresAt <= now) return null;
  return isReleased(hold) ? releasedAnswer(hold, now) : renewedAnswer(hold, record.rev, now);
}

/** How the hold with this token ended; `superseded` if the record only shows later ones. */
export function lostAnswer(
  record: LockRecord | null,
  token: number,
  owner: string,
  now: number,
): Lost {
  const ended = record?.ended;
  if (ended && ended.token === token && ended.owner === owner) {
    const { cause, at, by, reason } = ended;
    return {
      outcome: 'lost',
      cause,
      at,
      ...(by === undefined ? {} : { by }),
      ...(reason === undefined ? {} : { reason }),
    };
  }
  const first = record?.holds[0];
  const isSuccessor = first?.mode === 'exclusive' && first.token > token;
  const at = isSuccessor ? first.grantedAt : (ended?.at ?? now);
  return { outcome: 'lost', cause: 'superseded', at };
}

const RETRY_AFTER_MIN_MS = 50;
const RETRY_AFTER_MAX_MS = 5_000;

/**
 * The answer to an acquire that got nothing: who holds the lock, and when to retry.
 *
 * @param viewer see `holderViews`
 */
export function heldAnswer(
  draft: Draft,
  outcome: Held['outcome'],
  viewer: string | undefined,
): Held {
  const { record, now } = draft;
  return {
    outcome,
    holders: holderViews(record, now, viewer),
    queueLength: record.queue.length,
    retryAfterMs: retryAfterMs(draft),
  };
}

/** The answer to a wait that ended; stored, so that a repeated request gets the same one. */
export function timedOut(draft: Draft, request: RequestIdentity, viewer: string): Held {
  const answer = heldAnswer(draft, 'timeout', viewer);
  draft.remember(request, answer, draft.now);
  return answer;
}

/** A hint: the time until the last lease and any lock-delay have ended, from 50 ms to 5 s. */
export function retryAfterMs(draft: Draft): number {
  const { holds, delayedUntil } = draft.record;
  let end = delayedUntil;
  for (const { expiresAt } of holds) end = Math.max(end, expiresAt);
  const leftMs = end - draft.now;
  return Math.min(Math.max(leftMs, RETRY_AFTER_MIN_MS), RETRY_AFTER_MAX_MS);
}

/** The refusal when the record was read before the stored answer, and so lacks the grant in it. */
export function staleRead(): LockyardError {
  const text = 'This request was granted at this very moment. Ask again.';
  return new LockyardError('CONTENDED', text, { retryAfterMs: RETRY_AFTER_MIN_MS });
}
