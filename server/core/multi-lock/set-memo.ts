import { LockyardError } from '../../contract/errors';
import type {
  AcquireSetAnswer,
  SetEnded,
  SetGrant,
  SetHeld,
} from '../../contract/multi-lock/set-answers';
import { type DecisionContext, REMEMBER_MS, recallAnswer } from '../decision';
import { highestDeletedRev } from '../fencing-token';
import { RETRY_AFTER_MIN_MS } from '../lock/held-answer';
import type { Hold } from '../lock/lock-record';
import { settle } from '../lock/settle';
import type { RequestIdentity } from '../request-tag';
import type { Member } from './set-member';

/** What is remembered of a granted set. The deadlines are the holds' own, which renewals move. */
interface SetMemo {
  grants: Pick<SetGrant, 'name' | 'token' | 'rev'>[];
}

/** Keeps what a replay of this set must be told, for as long as its holds may live. It is written with the first lock. */
export function rememberSet(
  members: Member[],
  request: RequestIdentity,
  grants: SetGrant[],
  keptUntil: number,
): void {
  const memo: SetMemo = { grants: grants.map(({ name, token, rev }) => ({ name, token, rev })) };
  members[0]?.draft.remember(request, memo, keptUntil);
  if (!request.remembered) return;
  for (const { draft } of members) draft.keepForAnswers(keptUntil + REMEMBER_MS);
}

/**
 * Keeps that a set was taken back, where the record of a hold that goes on for later entries cannot tell. It is written with
 * the first of those.
 */
export function rememberUndone(
  undone: { member: Member; hold: Hold }[],
  request: RequestIdentity,
): void {
  const lasting = undone.find(({ hold }) => hold.count > 1);
  if (!lasting) return;
  const ended = undone.map(({ member, hold }): SetEnded['ended'][number] => ({
    name: member.name,
    token: hold.token,
    cause: 'released',
  }));
  const answer: SetEnded = { outcome: 'ended', ended, grants: [] };
  const { draft } = lasting.member;
  draft.remember({ ...request, inputHash: '' }, answer, lasting.hold.requestsKeptUntil);
}

/**
 * What this set was answered before: its grants while all of them live, `ended` afterwards with those that still do, or
 * its final time-out.
 *
 * @param touched gets the locks of which a lease is found to have run out
 */
export function recallSet(
  members: Member[],
  request: RequestIdentity,
  { remembered, now }: Pick<DecisionContext, 'remembered' | 'now'>,
  touched: Set<Member>,
): AcquireSetAnswer | null {
  const memo = recallAnswer<SetMemo | SetHeld | SetEnded>(remembered, request, now);
  if (!memo) return null;
  if ('outcome' in memo) return memo;
  const grants: SetGrant[] = [];
  const ended = [];
  for (const { name, token, rev } of memo.grants) {
    const member = members.find((other) => other.name === name);
    const record = member?.before;
    if (rev > (record?.rev ?? highestDeletedRev(now))) throw readApart();
    const hold = record?.holds.find((other) => other.token === token);
    if (hold && hold.expiresAt > now) {
      grants.push(grantOf(name, hold, rev, now));
    } else {
      if (member && hold) {
        // As for a single acquire: written before it is told.
        settle(member.draft);
        touched.add(member);
      }
      const last = record?.ended?.token === token ? record.ended.cause : 'superseded';
      ended.push({ name, token, cause: hold ? 'expired' : last });
    }
  }
  return ended.length === 0 ? { outcome: 'granted', grants } : { outcome: 'ended', ended, grants };
}

/** A hold of a set as its caller is told of it. */
export function grantOf(name: string, hold: Hold, rev: number, now: number): SetGrant {
  const { mode, token, count, expiresAt, waitedMs } = hold;
  const expiresInMs = expiresAt - now;
  return { name, mode, token, rev, holdCount: count, expiresAt, expiresInMs, waitedMs };
}

/** A record is older than what is remembered of it: it says nothing about that grant. */
function readApart(): LockyardError {
  const text = 'This request was granted at this very moment. Ask again.';
  return new LockyardError('CONTENDED', text, { retryAfterMs: RETRY_AFTER_MIN_MS });
}
