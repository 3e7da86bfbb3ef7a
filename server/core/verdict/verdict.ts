import type { StoreRefusal } from '../../contract/console/backend-health';
import type { Meta } from '../../contract/primitives';
import { agoText, runningDuration } from '../format/durations';
import { visibleText } from '../format/visible-text';

/** A part of a verdict, including its spaces; `alarm`: something that needs a person. */
export interface VerdictPart {
  text: string;
  tone: 'plain' | 'strong' | 'alarm';
}

/** When and for whom a verdict is written. */
export interface VerdictView {
  /** The clock of the lock's backend, epoch milliseconds. */
  now: number;
  /**
   * That clock when the lock was read, if that was earlier: whether anything has happened since
   * then, such as a renewal, is not known. Durations still run on to `now`.
   */
  readAt?: number;
  /** How long that backend has not responded, or not served, in milliseconds. */
  silentMs: number;
  /** How and why it refuses to serve; null or absent if it serves or does not respond. */
  refusal?: StoreRefusal | null;
  /** An instant as the reader's clock shows it, to the minute: `02:41` or `02:41 UTC`. */
  clockText: (at: number) => string;
}

/** Until when the reader of a verdict knows the lock. */
export const lastKnownAt = ({ now, readAt = now }: VerdictView): number => readAt;

/** The whole verdict as one text: for a message, or to be read aloud. */
export const verdictText = (parts: readonly VerdictPart[]): string =>
  parts.map(({ text }) => text).join('');

export const sentencePart = (text: string): VerdictPart => ({ text, tone: 'plain' });

/** Joins sentences, each of which has one or more parts, with a space; skips empty ones. */
export function joinSentences(...sentences: (readonly VerdictPart[])[]): VerdictPart[] {
  const shown = sentences.filter((parts) => parts.length > 0);
  return shown.flatMap((parts, i) => (i === 0 ? parts : [sentencePart(' '), ...parts]));
}

/** A future instant closer than this is written as a duration. */
const SOON_MS = 10 * 60_000;
/** The same for a past instant. */
const LATELY_MS = 60_000;

/** When something happens, in words: in less than 1 s, in 26 s; further away: at 02:41. */
export function futureText(at: number, { now, clockText }: VerdictView): string {
  return at - now > SOON_MS ? `at ${clockText(at)}` : `in ${runningDuration(at - now)}`;
}

/** When something happened, in words: just now, 42 s ago; further away: at 02:41. */
export function pastText(at: number, { now, clockText }: VerdictView): string {
  return now - at > LATELY_MS ? `at ${clockText(at)}` : agoText(now - at);
}

/** A holder and where it runs: billing-7f9c on host-4. */
export function holderText({ owner, meta }: { owner: string; meta?: Meta }): string {
  const { host, pod } = meta ?? {};
  const place = host ? ` on ${visibleText(host)}` : pod ? ` in ${visibleText(pod)}` : '';
  return `${visibleText(owner)}${place}`;
}
