import type { AlertRow } from '../../contract/console/alerts/alert-row';
import type { AlertKind } from '../../contract/console/alerts/alert-rules';

/** The shortest time between two messages to one receiver. */
export const MESSAGE_EVERY_MS = 60_000;

/** Alerts that begin within this time after the first one go into the same message. */
const GROUP_WAIT_MS = 3_000;

/** How many of the new alerts a message lists. */
export interface MessageSize {
  groups: number;
  alertsInGroup: number;
  alerts: number;
}

/** A size for people. */
export const READABLE: MessageSize = { groups: 20, alertsInGroup: 10, alerts: 50 };

/**
 * A size for programs that are sent every alert whatever the message lists: thousands could exceed
 * what a database accepts at once.
 */
export const BARE: MessageSize = { groups: 0, alertsInGroup: 0, alerts: 0 };

/** An alert with the position of its last news in the sequence of all news; positions rise. */
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
  /** New alerts, the latest first; see `MessageSize`. */
  alerts: SentAlert[];
}

/** One message to one receiver. */
export interface AlertMessage {
  at: number;
  /**
   * The position of the last news that the receiver was sent before; absent if an earlier version
   * made the message.
   */
  after?: number;
  /** The groups with the most news first. */
  groups: AlertGroup[];
  /** How many more groups have news; absent: none, or an earlier version made the message. */
  moreGroups?: number;
  firing: number;
  began: number;
  resolved: number;
  /** How many new alerts are listed in no group. */
  unlisted: number;
}

/** How far a receiver has been sent the news. */
export interface ReceiverState {
  /** The position of the last news that it was sent; 0: none yet. */
  position: number;
  /** When its last message was made; null: none. */
  messageAt: number | null;
}

/**
 * The message that is due to a receiver, and the position up to which it covers the news; null: no
 * message is due. There is at most one a minute, however many alerts fire: it groups the new ones.
 * An alert that fired and was resolved since the last message is listed as resolved. For a receiver
 * that was never sent a message, resolved alerts are not news.
 *
 * @param alerts every firing alert, and the resolved ones that are news to some receiver
 */
export function dueMessage(
  { position, messageAt }: ReceiverState,
  alerts: Iterable<SentAlert>,
  now: number,
  size = READABLE,
): { message: AlertMessage; position: number } | null {
  // A message of the future means that the clock was set back: it must not delay the next one.
  if (messageAt !== null && messageAt <= now && now - messageAt < MESSAGE_EVERY_MS) return null;
  const announced = [...alerts].filter(({ announcedAt }) => announcedAt !== null);
  const isNew = (alert: SentAlert) =>
    alert.position > position && (position > 0 || alert.resolvedAt === null);
  const fresh = announced.filter(isNew).sort((a, b) => b.position - a.position);
  if (fresh.length === 0) return null;
  const oldest = Math.min(...fresh.map((alert) => newsAt(alert)));
  if (oldest <= now && now - oldest < GROUP_WAIT_MS) return null;
  const last = Math.max(position, ...announced.map((alert) => alert.position));
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
    ...(ranked.length > shown.length && { moreGroups: ranked.length - shown.length }),
    firing: firing.length,
    began,
    resolved: fresh.length - began,
    unlisted: fresh.length - listed,
  };
}
