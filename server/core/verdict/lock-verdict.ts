import { REFUSING_CLAUSES } from '../../contract/console/backend-health';
import type { HoldRow, LockRow } from '../../contract/console/lock-row';
import type { EndCause } from '../../contract/primitives';
import { agoText, pastDuration, spokenDuration } from '../format/durations';
import { visibleText } from '../format/visible-text';
import { isReleased } from '../lock/lock-record';
import { demandClause, heldClause, processClauses, stuckClause } from './hold-clauses';
import {
  futureText,
  holderText,
  joinSentences,
  pastText,
  sentencePart,
  type VerdictPart,
  type VerdictView,
  verdictText,
} from './verdict';

/**
 * The state of a lock in sentences: who holds it and since when, whether that is usual, whether the
 * holder is alive, when the lock frees itself, and how many callers wait or were refused. If
 * several callers share the lock, the verdict is about `row.hold`.
 */
export function lockVerdict(row: LockRow, view: VerdictView): VerdictPart[] {
  const { status, hold } = row;
  switch (status) {
    case 'unknown':
      return unknownVerdict(row, view);
    case 'frozen':
      return frozenVerdict(row, view);
    case 'delayed':
      return delayedVerdict(row, view);
    case 'expired':
      return expiredVerdict(row, view);
    case 'free':
      return freeVerdict(row, view);
    default:
      if (!hold) {
        const handover = [strong('Not held, handing over.')];
        return joinSentences(handover, stuckClause(row, hold, view.now), demandClause(row));
      }
      if (isReleased(hold) && row.holders <= 1) return keptVerdict(row, hold, view);
      return heldVerdict(row, hold, view);
  }
}

/** The verdict as one text. */
export const lockSentence = (row: LockRow, view: VerdictView): string =>
  verdictText(lockVerdict(row, view));

const strong = (text: string): VerdictPart => ({ text, tone: 'strong' });

function heldVerdict(row: LockRow, hold: HoldRow, view: VerdictView): VerdictPart[] {
  const { now } = view;
  return joinSentences(
    heldClause(row, hold, now - hold.grantedAt),
    stuckClause(row, hold, now),
    processClauses(row, hold, view),
    demandClause(row),
  );
}

/** The verdict on a lock that was released, but stays held for the least time asked for. */
function keptVerdict(row: LockRow, hold: HoldRow, view: VerdictView): VerdictPart[] {
  const { releasedAt = view.now, expiresAt } = hold;
  const kept = `, still held for its minimum time: it frees ${futureText(expiresAt, view)}.`;
  return joinSentences(
    [strong(`Released ${pastText(releasedAt, view)} by ${holderText(hold)}`), sentencePart(kept)],
    demandClause(row),
  );
}

function unknownVerdict(row: LockRow, view: VerdictView): VerdictPart[] {
  const { now, silentMs, refusal } = view;
  const { unreadable, backend, hold, readAt } = row;
  if (unreadable !== undefined) {
    const why = `${visibleText(unreadable)} No grants until it can be read.`;
    return joinSentences([strong('State unknown: record unreadable.')], [sentencePart(why)]);
  }
  const length = spokenDuration(silentMs);
  const outage = refusal
    ? [
        strong(
          `State unknown for ${length}: backend “${backend}” ${REFUSING_CLAUSES[refusal.outage]}.`,
        ),
      ]
    : [strong(`State unknown: backend “${backend}” has not responded for ${length}.`)];
  const reason = refusal ? [sentencePart(refusal.reason)] : [];
  if (!hold) return joinSentences(outage, reason);
  const knownUntil = Math.max(readAt, Math.min(now - silentMs, hold.expiresAt));
  const heldMs = Math.max(0, knownUntil - hold.grantedAt);
  const last = `Last known: held for at least ${spokenDuration(heldMs)} by ${holderText(hold)}.`;
  return joinSentences(outage, reason, [sentencePart(last)]);
}

function frozenVerdict(row: LockRow, view: VerdictView): VerdictPart[] {
  const { frozen, hold, holders, waiters } = row;
  // A reason may end with a full stop of its own.
  const reason = visibleText(frozen?.reason ?? '').replace(/[.\s]+$/, '');
  const since = frozen ? agoText(view.now - frozen.at) : '';
  const by = frozen ? ` by ${visibleText(frozen.by)} ${since}: “${reason}”` : '';
  const held = hold && holders > 0 && view.now < hold.expiresAt && !isReleased(hold);
  return joinSentences(
    [strong(`Frozen${by}.`)],
    held ? heldClause(row, hold, view.now - hold.grantedAt) : [],
    held ? processClauses(row, hold, view) : [],
    waiters > 0 || row.refused ? demandClause(row) : [],
  );
}

/** The cause of the pause is not recorded: a lock delay, a restore or a data loss. */
function delayedVerdict(row: LockRow, view: VerdictView): VerdictPart[] {
  const { ended, delayedUntil } = row;
  const end = ended === null ? '' : `: ${lastEnd(ended, view)}`;
  return joinSentences(
    [strong('Not held'), sentencePart(`${end}.`)],
    [sentencePart(`Grants are paused and resume ${futureText(delayedUntil, view)}.`)],
    demandClause(row),
  );
}

/** How the last hold ended: not always the cause of the delay, which may be a restore. */
function lastEnd(ended: NonNullable<LockRow['ended']>, view: VerdictView): string {
  const [when, holder] = [pastText(ended.at, view), holderText(ended)];
  if (ended.cause === 'forced') return `force-released ${when} from ${holder}`;
  if (ended.cause === 'released') return `released ${when} by ${holder}`;
  return `the lease of ${holder} expired ${when}`;
}

function expiredVerdict(row: LockRow, view: VerdictView): VerdictPart[] {
  const grant = row.hold ? { ...row.hold, at: row.hold.expiresAt } : row.ended;
  if (!grant) return joinSentences([strong('The lease expired.')], demandClause(row));
  const heldMs = grant.at - grant.grantedAt;
  return joinSentences(
    [
      strong(`The lease of ${holderText(grant)} expired ${pastText(grant.at, view)}`),
      sentencePart(` without a release, after ${pastDuration(heldMs)}.`),
    ],
    [sentencePart('Available to the next caller.')],
    row.waiters > 0 || row.refused ? demandClause(row) : [],
  );
}

function freeVerdict(row: LockRow, view: VerdictView): VerdictPart[] {
  const { hold, ended, rev, namespace } = row;
  if (rev === 0) {
    const why = 'It was never used, or its record was deleted or lost in a data loss.';
    return joinSentences(
      [strong(`No lock by this name is known in ${namespace}.`)],
      [sentencePart(why)],
    );
  }
  const free = [strong('Free.')];
  const cause = hold ? (isReleased(hold) ? 'released' : 'expired') : ended?.cause;
  const end = hold ? { ...hold, at: hold.expiresAt } : ended;
  if (!end || !cause) return free;
  const after = `${pastText(end.at, view)}, after ${pastDuration(end.at - end.grantedAt)}.`;
  return joinSentences(free, [sentencePart(`${endText(cause, holderText(end))} ${after}`)]);
}

function endText(cause: EndCause, holder: string): string {
  switch (cause) {
    case 'released':
      return `Released by ${holder}`;
    case 'forced':
      return `Force-released from ${holder}`;
    case 'expired':
      return `The lease of ${holder} expired`;
    case 'superseded':
      return `The hold of ${holder} ended`;
  }
}
