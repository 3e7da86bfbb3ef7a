import type { LockRow } from '@/server/contract/console/lock-row';
import type { PresenceRow } from '@/server/contract/console/operator-answers';
import type { Remark } from '@/server/contract/primitives';
import { agoText } from '@/server/core/format/durations';
import { visibleText } from '@/server/core/format/visible-text';

type Acted = Pick<LockRow, 'hold' | 'status'>;

/**
 * What operators have done about a lock, in a few words that everyone sees; empty: nothing.
 *
 * @param me the signed-in person's name
 * @param now the backend's clock
 */
export function actedLabel({ hold }: Acted, onIt: PresenceRow | null, me: string, now: number) {
  return [
    onIt && onItLabel(onIt, me),
    hold?.renewalsStopped && `renewals blocked ${ago(hold.renewalsStopped, now)}`,
    hold?.askedToRelease && !hold.renewalsStopped && `asked ${ago(hold.askedToRelease, now)}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/**
 * The same in full: who did it, when and why.
 *
 * @param serverNow the clock of the servers, which records since when a person is on it
 */
export function actedSentence(
  { hold }: Acted,
  onIt: PresenceRow | null,
  me: string,
  now: number,
  serverNow: number,
) {
  return [
    onIt && `${onItLabel(onIt, me)}, since ${sinceLabel(onIt, serverNow)}.`,
    hold?.askedToRelease && `Asked to release ${remarkText(hold.askedToRelease, now)}`,
    hold?.renewalsStopped && `Renewals blocked ${remarkText(hold.renewalsStopped, now)}`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** Who is on it: “You are on it”, “Ana is on it”. */
export const onItLabel = ({ actor }: PresenceRow, me: string) =>
  actor === me ? 'You are on it' : `${visibleText(actor)} is on it`;

/** @param serverNow the clock of the servers */
export const sinceLabel = (onIt: PresenceRow, serverNow: number) =>
  ago(onIt, serverNow).replace(/ ago$/, '');

const ago = ({ at }: { at: number }, now: number) => agoText(Math.max(0, now - at));

const remarkText = (remark: Remark, now: number) =>
  `${ago(remark, now)} by ${visibleText(remark.by)}: “${visibleText(remark.reason)}”.`;
