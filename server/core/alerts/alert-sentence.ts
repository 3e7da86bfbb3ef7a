import type { AlertRow } from '../../contract/console/alerts/alert-row';
import type { AlertKind } from '../../contract/console/alerts/alert-rules';
import {
  type BackendHealth,
  REFUSING_CLAUSES,
  refusalsOf,
  refusingClause,
} from '../../contract/console/backend-health';
import type { CounterRow } from '../../contract/console/counter-row';
import type { LockRow } from '../../contract/console/lock-row';
import { exactCount } from '../format/numbers';
import { lockSentence } from '../verdict/lock-verdict';

/** The name of each rule. */
export const ALERT_LABELS: Record<AlertKind, string> = {
  stuck: 'Stuck',
  orphaned: 'Orphaned',
  expired: 'Expired while held',
  waitsOver: 'Long wait',
  blockingOver: 'Long total blocking time',
  counterNear: 'Counter near its limit',
  backendUnknown: 'Backend unknown',
};

/** The sentence of an alert on a counter. */
export function counterSentence({
  value,
  floor,
  ceiling,
}: Pick<CounterRow, 'value' | 'floor' | 'ceiling'>): string {
  const bounds = [
    ...(floor === null ? [] : [`floor ${exactCount(floor)}`]),
    ...(ceiling === null ? [] : [`ceiling ${exactCount(ceiling)}`]),
  ];
  const shown = value === null ? 'unknown' : exactCount(value);
  return `Value ${shown}; ${bounds.join(', ')}.`;
}

/** The sentence of an alert on a backend. */
export function backendSentence(
  health: Pick<BackendHealth, 'id' | 'reachable' | 'refusal' | 'shards'>,
  namespace: string,
): string {
  const { id, refusal, shards = [] } = health;
  const problems: string[] = [];
  const refusals = refusalsOf(health);
  const rejecting = new Set(refusals.map(({ shard }) => shard));
  const silent = refusal ? [] : shards.filter((one) => !one.reachable && !rejecting.has(one.name));
  if (silent.length > 0 || refusals.length === 0) {
    problems.push(`Backend ${id} is not responding${onShards(silent.map(({ name }) => name))}.`);
  }
  if (refusals.length > 0) {
    const reasons = [...new Set(refusals.map(({ reason }) => reason))].join(' ');
    const how = refusal
      ? refusingClause(health)
      : `${REFUSING_CLAUSES['rejecting requests']}${onShards([...rejecting])}`;
    problems.push(`Backend ${id} ${how}. ${reasons}`);
  }
  return `${problems.join(' ')} The state of the locks in ${namespace} is unknown.`;
}

const onShards = (names: readonly (string | null)[]): string =>
  names.length === 0 ? '' : ` on ${names.join(', ')}`;

/** The rule and the subject of an alert, in words. */
export function alertTitle({ kind, backend, namespace, name }: AlertRow): string {
  const subject = name === null ? `backend ${backend} of ${namespace}` : `${namespace}/${name}`;
  return `${ALERT_LABELS[kind]}: ${subject}`;
}

/** The sentence of an alert on a lock at `now`, its backend's clock: the verdict of its page. */
export function lockAlertSentence(row: LockRow, now: number): string {
  const view = { now, silentMs: 0, clockText: (at: number) => clockText(at, now) };
  return lockSentence(row, view).replaceAll('\u00a0', ' ');
}

/** A sentence may say "5 s ago" as of the alert's start: once it is this old, it gets a date. */
const CURRENT_FOR_MS = 60_000;

/** The sentence of an alert for a reader at `now`, with its time if it is no longer current. */
export function datedSentence({ firedAt, resolvedAt, sentence }: AlertRow, now: number): string {
  const isCurrent = resolvedAt === null && now - firedAt < CURRENT_FOR_MS;
  return isCurrent ? sentence : `At ${minuteOf(firedAt)}: ${sentence}`;
}

const minuteOf = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const DATE_CHARS = '2026-11-27 '.length;

/** To the minute, with its date unless that is the date of `now`. */
function clockText(at: number, now: number): string {
  const [text, present] = [minuteOf(at), minuteOf(now)];
  const isSameDay = text.slice(0, DATE_CHARS) === present.slice(0, DATE_CHARS);
  return isSameDay ? text.slice(DATE_CHARS) : text;
}
