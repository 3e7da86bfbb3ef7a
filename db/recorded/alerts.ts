import type { Kit } from '../kits/mysql';

/** The tables of alerts. */
export const alertTables = (kit: Kit) => ({
  alerts: alertsTable(kit),
  alertReceivers: alertReceiversTable(kit),
  alertRules: alertRulesTable(kit),
  alertSilences: alertSilencesTable(kit),
});

/** The table of alerts, firing and resolved. Written by maintenance. */
function alertsTable({ table, index, uniqueIndex, ...kit }: Kit) {
  return table(
    'alerts',
    {
      id: kit.serial(),
      /** Its subject, see `alertKey`; null once resolved. Unique: one open alert per subject. */
      openFor: kit.exact(340),
      kind: kit.code(16).notNull(),
      backend: kit.code(32).notNull(),
      namespace: kit.exact(64).notNull(),
      /** The lock's name; null: the alert is about the backend. */
      name: kit.exact(200),
      since: kit.whole().notNull(),
      firedAt: kit.whole().notNull(),
      announcedAt: kit.whole(),
      resolvedAt: kit.whole(),
      /** The position of its last news in the order of all news; 0: none. */
      position: kit.whole().notNull(),
      sentence: kit.document().notNull(),
    },
    (t) => [
      uniqueIndex('alerts_open').on(t.openFor),
      index('alerts_resolved').on(t.resolvedAt),
      index('alerts_position').on(t.position),
    ],
  );
}

/** The table of receivers: how much each was sent, and its message under way. */
function alertReceiversTable({ table, ...kit }: Kit) {
  return table(
    'alert_receivers',
    {
      id: kit.code(32).primaryKey(),
      /** The position of the last news that its messages cover; 0: none. */
      position: kit.whole().notNull(),
      /** When its last message was composed. */
      messageAt: kit.whole(),
      /** The message that it has not accepted yet: its id, and JSON; null: none. */
      messageId: kit.code(32),
      message: kit.document(),
      attempts: kit.count().notNull(),
      nextAttemptAt: kit.whole().notNull(),
      sent: kit.whole().notNull(),
      sentAt: kit.whole(),
      failure: kit.document(),
    },
    () => [],
  );
}

/** The table of the rules of namespaces that have their own. */
function alertRulesTable({ table, ...kit }: Kit) {
  return table(
    'alert_rules',
    {
      namespace: kit.exact(64).primaryKey(),
      /** JSON: `AlertRules`. */
      rules: kit.document().notNull(),
    },
    () => [],
  );
}

/** The table of silences. */
function alertSilencesTable({ table, index, ...kit }: Kit) {
  return table(
    'alert_silences',
    {
      id: kit.code(24).primaryKey(),
      /** JSON: `SilenceMatcher`. */
      matcher: kit.document().notNull(),
      reason: kit.document().notNull(),
      actor: kit.document().notNull(),
      createdAt: kit.whole().notNull(),
      endsAt: kit.whole().notNull(),
    },
    (t) => [index('alert_silences_end').on(t.endsAt)],
  );
}
