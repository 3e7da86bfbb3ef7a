import type { AlertKind, AlertRules } from './alert-rules';

/** The kind and the subject of an alert. */
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
  /** When it was first announced to receivers; null: it has always been silenced. */
  announcedAt: number | null;
  /** A sentence that describes what was seen when it fired. */
  sentence: string;
  /** Set while it fires although its cause is over, as far as the page's server knows. */
  isClear?: true;
}

/** The alerts that a silence matches. An absent field matches all. */
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

/** A receiver of alerts, and its deliveries. Never contains its URL, which may be a secret. */
export interface ReceiverRow {
  id: string;
  format: ReceiverFormat;
  /** The host of its URL. */
  host: string;
  /** The number of messages that it has accepted. */
  sent: number;
  /** When it accepted the last one; null: it has accepted none. */
  sentAt: number | null;
  /** The message that it has not accepted yet; null: none is pending. */
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
  /** Newest first. */
  firing: AlertRow[];
  /** How many alerts fire, including those that are not listed. */
  firingTotal: number;
  /** How many of these are `isClear`, including those that are not listed. */
  clearTotal: number;
  /** Latest first. */
  resolved: AlertRow[];
  /** The silences that have not ended, the next to end first. */
  silences: SilenceRow[];
  receivers: ReceiverRow[];
  asOf: number;
}

/** The alerts in brief. */
export interface AlertSummary {
  /** How many alerts fire, without those whose cause is known to be over. */
  firing: number;
  /** How many alerts fire although their cause is over: it is too early to resolve them. */
  clear: number;
  /** How many receivers do not accept messages. */
  failing: number;
  asOf: number;
}
