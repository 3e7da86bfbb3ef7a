import type { Database } from '@/db/database';
import type { SilenceMatcher, SilenceRow } from '../../contract/console/alerts/alert-row';
import { type AlertRules, DEFAULT_ALERT_RULES } from '../../contract/console/alerts/alert-rules';
import { CLOCKS_APART_MAX_MS } from '../../platform/clock';

/** The most silences that can be in force at the same time. */
export const SILENCES_MAX = 500;

/** The end of a silence that has ended: not in force again even if the clock is set back. */
export const SILENCE_ENDED = 0;

/** What operators have set: rules by namespace, and silences. */
export class AlertSettings {
  constructor(private readonly database: Database) {}

  /** The rules of the namespaces that have their own. */
  async ownRules(): Promise<Map<string, AlertRules>> {
    const { rows } = await this.database.raw.ask('SELECT namespace, rules FROM alert_rules', []);
    return new Map(rows.map(([namespace, rules]) => [String(namespace), rulesOf(String(rules))]));
  }

  /**
   * Restarts, for their full length, silences from before the clock was set back: otherwise one of
   * a minute would last until the clock had caught up.
   */
  async restart(silences: readonly SilenceRow[], now: number): Promise<void> {
    if (!silences.some(({ createdAt }) => createdAt > now + CLOCKS_APART_MAX_MS)) return;
    await this.database.raw.ask(
      'UPDATE alert_silences SET ends_at = ? + ends_at - created_at, created_at = ? ' +
        'WHERE created_at > ? AND ends_at > created_at',
      [now, now, now + CLOCKS_APART_MAX_MS],
    );
  }

  /** Ends a silence for good, unless its end has changed. */
  async end({ id, endsAt }: Pick<SilenceRow, 'id' | 'endsAt'>): Promise<void> {
    const sql = `UPDATE alert_silences SET ends_at = ${SILENCE_ENDED} WHERE id = ? AND ends_at = ?`;
    await this.database.raw.ask(sql, [id, endsAt]);
  }

  /** The silences that have not ended, the next to end first. */
  async silences(now: number): Promise<SilenceRow[]> {
    const { rows } = await this.database.raw.ask(
      'SELECT id, matcher, reason, actor, created_at, ends_at FROM alert_silences ' +
        `WHERE ends_at > ? ORDER BY ends_at LIMIT ${SILENCES_MAX}`,
      [now],
    );
    return rows.map(([id, matcher, reason, by, createdAt, endsAt]) => ({
      ...(JSON.parse(String(matcher)) as SilenceMatcher),
      id: String(id),
      reason: String(reason),
      by: String(by),
      createdAt: Number(createdAt),
      endsAt: Number(endsAt),
    }));
  }
}

/** Parses stored rules. Rules that did not exist yet when they were stored get their defaults. */
export const rulesOf = (stored: string): AlertRules => ({
  ...DEFAULT_ALERT_RULES,
  ...(JSON.parse(stored) as Partial<AlertRules>),
});
