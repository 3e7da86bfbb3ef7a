import type { AlertRow } from '../../contract/console/alerts/alert-row';
import type { AlertKind } from '../../contract/console/alerts/alert-rules';
import type { CounterRow } from '../../contract/console/counter-row';
import type { LockRow } from '../../contract/console/lock-row';
import { lockSentence } from '../verdict/lock-verdict';

/** What a rule is called. */
export const ALERT_LABELS: Record<AlertKind, string> = {
  stuck: 'Stuck',
  orphaned: 'Orphaned',
  expired: 'Expired while held',
  waitsOver: 'Long wait',
  blockingOver: 'Long total blocking time',
  counterNear: 'Counter near its bound',
  backendUnknown: 'Backend unknown',
};

/** What an alert on a counter says. */
export function counterSentence({
  value,
  floor,
  ceiling,
}: Pick<CounterRow, 'value' | 'floor' | 'ceiling'>): string {
  const bounds = [
    ...(floor === null ? [] : [`floor ${floor}`]),
    ...(ceiling === null ? [] : [`ceiling ${ceiling}`]),
  ];
  return `Its value is ${value}: ${bounds.join(', ')}.`;
}

/** What an alert on a backend says. */
export const backendSentence = (backend: string, namespace: string): string =>
  `Backend ${backend} does not respond: nothing is known of the locks of ${namespace}.`;

/** What an alert is about, in words. */
export function alertTitle({ kind, backend, namespace, name }: AlertRow): string {
  const subject = name === null ? `backend ${backend} of ${namespace}` : `${namespace}/${name}`;
  return `${ALERT_LABELS[kind]}: ${subject}`;
}

/** What an alert on a lock says at `now`, its backend's clock: the verdict of its page. */
export function lockAlertSentence(row: LockRow, now: number): string {
  const view = { now, silentMs: 0, clockText: utcText };
  return lockSentence(row, view).replaceAll('\u00a0', ' ');
}

/** A sentence is made when its alert fires, and says "5 s ago": from this age on it gets a date. */
const CURRENT_FOR_MS = 60_000;

/** The sentence of an alert for a reader at `now`, with its time if it is no longer current. */
export function datedSentence({ firedAt, resolvedAt, sentence }: AlertRow, now: number): string {
  const isCurrent = resolvedAt === null && now - firedAt < CURRENT_FOR_MS;
  return isCurrent ? sentence : `At ${minuteOf(firedAt)}: ${sentence}`;
}

const minuteOf = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const utcText = (at: number) => `${new Date(at).toISOString().slice(11, 16)} UTC`;
