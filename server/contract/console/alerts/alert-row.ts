import type { AlertKind, AlertRules } from './alert-rules';

/** What an alert is about. */
export interface AlertSubject {
  kind: AlertKind;
  backend: string;
  namespace: string;
  /** The lock's or counter's name; null: the alert is about the backend. */
  name: string | null;
}

/** An alert, firing or resolved. Instants are the server's clock. */
export interface AlertRow extends AlertSubject {
  id: number;
  /** Since when its rule has been met. */
  since: number;
  firedAt: number;
  /** Null while it fires. */
  resolvedAt: number | null;
  /** When receivers were first to be sent it; null: it has been silenced all the time. */
  announcedAt: number | null;
  /** What was seen when it fired. */
  sentence: string;
  /** It fires, but its cause is over as far as the page's server knows. */
  isClear?: true;
}

/** Which alerts are not sent. What is absent matches all. */
export interface SilenceMatcher {
  namespace?: string;
  kind?: AlertKind;
  /** The name of the lock or the counter; see `silenceAlertsInput`. */
  name?: string;
}

export interface SilenceRow extends SilenceMatcher {
  id: string;
  reason: string;
  by: string;
  createdAt: number;
  /** When it ends, or ended. */
  endsAt: number;
}

export const RECEIVER_FORMATS = ['webhook', 'slack', 'alertmanager'] as const;
export type ReceiverFormat = (typeof RECEIVER_FORMATS)[number];

/** Where alerts are sent, and how that goes. Never holds its URL, which may be a secret. */
export interface ReceiverRow {
  id: string;
  format: ReceiverFormat;
  /** The host of its URL. */
  host: string;
  /** Messages that it has accepted. */
  sent: number;
  /** When it accepted the last one; null: none. */
  sentAt: number | null;
  /** The message that it has not accepted yet; null: none. */
  pending: { since: number; attempts: number; nextAttemptAt: number } | null;
  /** Why the last attempt failed; null if it did not. */
  failure: string | null;
}

/** The rules of a namespace. */
export interface AlertRulesRow {
  namespace: string;
  rules: AlertRules;
  /** Whether it has rules of its own; otherwise the default applies. */
  isOwn: boolean;
}

/** The content of the page Alerts. */
export interface AlertPage {
  /** The newest first. */
  firing: AlertRow[];
  /** How many fire, including those that are not listed. */
  firingTotal: number;
  /** How many of these are `isClear`, including those that are not listed. */
  clearTotal: number;
  /** The latest first. */
  resolved: AlertRow[];
  /** Those that have not ended, the next to end first. */
  silences: SilenceRow[];
  receivers: ReceiverRow[];
  asOf: number;
}

/** The alerts in brief. */
export interface AlertSummary {
  /** How many fire, except those that are known to be over. */
  firing: number;
  /** How many are over, but have not been so for long enough to be resolved. */
  clear: number;
  /** How many receivers do not accept messages. */
  failing: number;
  asOf: number;
}
