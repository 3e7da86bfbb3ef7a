import type {
  AcquireManyAnswer,
  MultiLockEnded,
  MultiLockGrant,
  MultiLockHeld,
} from '../../contract/multi-lock';
import type { EndCause } from '../../contract/primitives';
import { type DecisionContext, replayedAnswer } from '../decision';
import { highestDeletedRev } from '../fencing-token';
import { expireAndPromote } from '../lock/expire-and-promote';
import { staleRead, waitedFor } from '../lock/lock-answers';
import { type Hold, holdOf, isReleased, type LockRecord } from '../lock/lock-record';
import type { RequestIdentity } from '../request-fingerprint';
import { ANSWER_RETENTION_MS } from '../timing';
import type { MultiLockMember } from './multi-lock-member';

/** The part of a granted multi-lock that is stored. Its deadlines are in the holds. */
interface StoredMultiLockGrant {
  grants: Pick<MultiLockGrant, 'name' | 'token' | 'rev'>[];
}

/** Stores the answer for replays while its holds can live; it is written with the first lock. */
export function rememberMultiLock(
  members: MultiLockMember[],
  request: RequestIdentity,
  grants: MultiLockGrant[],
  keptUntil: number,
): void {
  const answer: StoredMultiLockGrant = {
    grants: grants.map(({ name, token, rev }) => ({ name, token, rev })),
  };
  members[0]?.draft.remember(request, answer, keptUntil);
  if (!request.remembered) return;
  for (const { draft } of members) draft.keepForAnswers(keptUntil + ANSWER_RETENTION_MS);
}

/**
 * Stores that a multi-lock was undone if a hold continues for later entries, and so does not show
 * it. It is written with the first of those holds.
 */
export function rememberUndone(
  undone: { member: MultiLockMember; hold: Hold }[],
  request: RequestIdentity,
): void {
  const lasting = undone.find(({ hold }) => hold.count > 1);
  if (!lasting) return;
  const ended = undone.map(({ member, hold }): MultiLockEnded['ended'][number] => ({
    name: member.name,
    token: hold.token,
    cause: 'released',
  }));
  const answer: MultiLockEnded = { outcome: 'ended', ended, grants: [] };
  const { draft } = lasting.member;
  draft.remember({ ...request, inputHash: '' }, answer, lasting.hold.requestsKeptUntil);
}

/**
 * The earlier answer to this multi-lock: its grants while all of them are live; `ended` afterwards,
 * with those that are still live; or its final timeout.
 */
export function replayMultiLock(
  members: MultiLockMember[],
  request: RequestIdentity,
  { storedAnswer, now }: Pick<DecisionContext, 'storedAnswer' | 'now'>,
): AcquireManyAnswer | null {
  const stored = replayedAnswer<StoredMultiLockGrant | MultiLockHeld | MultiLockEnded>(
    storedAnswer,
    request,
    now,
  );
  if (!stored) return null;
  if ('outcome' in stored) return stored;
  const grants: MultiLockGrant[] = [];
  const ended: MultiLockEnded['ended'] = [];
  for (const { name, token, rev } of stored.grants) {
    const member = members.find((other) => other.name === name);
    const record = member?.before;
    if (rev > (record?.rev ?? highestDeletedRev(now))) throw staleRead();
    const hold = record && holdOf(record, token);
    const isKept = hold && !isReleased(hold);
    if (isKept && hold.expiresAt > now) {
      grants.push(grantOf(name, hold, rev, now));
      continue;
    }
    ended.push({ name, token, cause: endCauseOf(record, token) });
    if (member && isKept) {
      // As for a single acquire: the expiry is written before it is answered.
      expireAndPromote(member.draft);
      member.isChanged = true;
    }
  }
  return ended.length === 0 ? { outcome: 'granted', grants } : { outcome: 'ended', ended, grants };
}

/** Why a hold that is no longer live has ended. */
function endCauseOf(record: LockRecord | null | undefined, token: number): EndCause {
  const hold = record && holdOf(record, token);
  if (hold) return isReleased(hold) ? 'released' : 'expired';
  return record?.ended?.token === token ? record.ended.cause : 'superseded';
}

/** A hold of a multi-lock as its caller sees it. */
export function grantOf(name: string, hold: Hold, rev: number, now: number): MultiLockGrant {
  const { mode, token, count, expiresAt, waitedMs } = hold;
  const lease = { holdCount: count, expiresAt, expiresInMs: expiresAt - now, waitedMs };
  return { name, mode, token, rev, ...lease, ...waitedFor(hold) };
}
