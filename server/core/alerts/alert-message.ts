import type { AlertRow } from '../../contract/console/alerts/alert-row';
import type { AlertKind } from '../../contract/console/alerts/alert-rules';

/** The least time between two messages to one receiver. */
export const MESSAGE_EVERY_MS = 60_000;

/** What begins within this time after the first alert goes into one message. */
const GROUP_WAIT_MS = 3_000;

/** How much of what is new a message lists. */
export interface MessageSize {
  groups: number;
  alertsInGroup: number;
  alerts: number;
}

/** For people. */
export const READABLE: MessageSize = { groups: 20, alertsInGroup: 10, alerts: 50 };

/** For programs that want every alert. */
export const WHOLE: MessageSize = { groups: Infinity, alertsInGroup: Infinity, alerts: Infinity };

/** An alert with the position of its last news: each is greater than all before. */
export interface SentAlert extends AlertRow {
  position: number;
}

/** The alerts of one kind in one namespace. */
export interface AlertGroup {
  namespace: string;
  kind: AlertKind;
  /** How many fire now. */
  firing: number;
  /** How many of them began since the last message. */
  began: number;
  /** How many were resolved since the last message. */
  resolved: number;
  /** Some of what is new, the latest first. */
  alerts: SentAlert[];
}

/** What one receiver is sent. */
export interface AlertMessage {
  at: number;
  /**
   * Up to which position the receiver had been sent the news before; absent where an earlier
   * version made the message.
   */
  after?: number;
  /** The groups with the most news first. */
  groups: AlertGroup[];
  firing: number;
  began: number;
  resolved: number;
  /** How many of the new ones are listed in no group. */
  unlisted: number;
}

/** What a receiver was sent. */
export interface ReceiverState {
  /** The position of the last news that it was sent; 0: none yet. */
  position: number;
  /** When its last message was made; null: none. */
  messageAt: number | null;
}

/**
 * The message that is due to a receiver, and the position up to which it covers the news; null: no
 * message is due. There is at most one a minute, however many alerts fire: it groups what is new.
 * An alert that fired and was resolved since the last message is listed as resolved. To a receiver
 * that was never sent anything, resolved alerts are not news.
 *
 * @param alerts every firing alert, and the resolved ones that are news to some receiver
 */
export function dueMessage(
  { position, messageAt }: ReceiverState,
  alerts: Iterable<SentAlert>,
  now: number,
  size = READABLE,
): { message: AlertMessage; position: number } | null {
  // A clock that was set back delays no message for long.
  if (messageAt !== null && messageAt <= now && now - messageAt < MESSAGE_EVERY_MS) return null;
  const announced = [...alerts].filter(({ announcedAt }) => announcedAt !== null);
  const isNew = (alert: SentAlert) =>
    alert.position > position && (position > 0 || alert.resolvedAt === null);
  const fresh = announced.filter(isNew).sort((a, b) => b.position - a.position);
  if (fresh.length === 0) return null;
  const oldest = Math.min(...fresh.map((each) => newsAt(each)));
  if (oldest <= now && now - oldest < GROUP_WAIT_MS) return null;
  const last = Math.max(position, ...announced.map((each) => each.position));
  const message = { ...messageOf(fresh, announced, now, size), after: position };
  return { message, position: last };
}

const newsAt = ({ announcedAt, resolvedAt }: SentAlert) => resolvedAt ?? announcedAt ?? 0;

const groupKey = ({ namespace, kind }: AlertRow) => `${kind}/${namespace}`;

function messageOf(
  fresh: SentAlert[],
  announced: SentAlert[],
  at: number,
  size: MessageSize,
): AlertMessage {
  const groups = new Map<string, AlertGroup>();
  for (const alert of fresh) {
    const key = groupKey(alert);
    const { namespace, kind } = alert;
    const empty = { namespace, kind, firing: 0, began: 0, resolved: 0, alerts: [] };
    const group = groups.get(key) ?? empty;
    groups.set(key, group);
    if (alert.resolvedAt === null) group.began += 1;
    else group.resolved += 1;
    if (group.alerts.length < size.alertsInGroup) group.alerts.push(alert);
  }
  const firing = announced.filter(({ resolvedAt }) => resolvedAt === null);
  for (const alert of firing) {
    const group = groups.get(groupKey(alert));
    if (group) group.firing += 1;
  }
  const ranked = [...groups.values()].sort((a, b) => b.began - a.began || b.resolved - a.resolved);
  const shown = ranked.slice(0, size.groups);
  let listed = 0;
  for (const group of shown) {
    group.alerts = group.alerts.slice(0, size.alerts - listed);
    listed += group.alerts.length;
  }
  const began = fresh.filter(({ resolvedAt }) => resolvedAt === null).length;
  return {
    at,
    groups: shown,
    firing: firing.length,
    began,
    resolved: fresh.length - began,
    unlisted: fresh.length - listed,
  };
}
