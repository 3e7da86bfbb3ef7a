import type { Database, SqlValue } from '@/db/database';
import type { AlertMessage, ReceiverState } from '../../core/alerts/alert-message';

/** A message that its receiver has not accepted yet. */
export interface PendingMessage {
  /** The same for every attempt, so that the receiver can recognise a repeated message. */
  id: string;
  message: AlertMessage;
  attempts: number;
  nextAttemptAt: number;
}

export interface StoredReceiver extends ReceiverState {
  pending: PendingMessage | null;
  sent: number;
  sentAt: number | null;
  /** Why the last attempt failed, also one to send firing alerts again; null: it was accepted. */
  failure: string | null;
}

const NEW: StoredReceiver = {
  position: 0,
  messageAt: null,
  pending: null,
  sent: 0,
  sentAt: null,
  failure: null,
};

/** The delivery state of each receiver, in the control database. */
export class ReceiverTable {
  constructor(private readonly database: Database) {}

  /** The stored state of a receiver. A new receiver is added. */
  async get(id: string): Promise<StoredReceiver> {
    const [known] = await this.read('WHERE id = ?', [id]);
    if (known) return known.state;
    const { db, tables } = this.database;
    const row = { id, position: 0, attempts: 0, nextAttemptAt: 0, sent: 0 };
    await db
      .insert(tables.alertReceivers)
      .values(row)
      .catch((error: unknown) => {
        if (!this.database.isDuplicateKey(error)) throw error;
      });
    return NEW;
  }

  async all(): Promise<Map<string, StoredReceiver>> {
    return new Map((await this.read('', [])).map(({ id, state }) => [id, state]));
  }

  /** Stores the next message of a receiver that has none; false: another process did. */
  async put(
    id: string,
    before: ReceiverState,
    next: { id: string; message: AlertMessage; position: number },
  ): Promise<boolean> {
    const { affected } = await this.database.raw.ask(
      'UPDATE alert_receivers SET position = ?, message_at = ?, message_id = ?, message = ?, ' +
        'attempts = 0, next_attempt_at = 0 WHERE id = ? AND position = ? AND message_id IS NULL',
      [next.position, next.message.at, next.id, JSON.stringify(next.message), id, before.position],
    );
    return affected > 0;
  }

  /**
   * Claims the next attempt; false: another process has claimed it.
   *
   * @param until when the next attempt may begin if this one never reports its outcome
   */
  async begin(id: string, pending: PendingMessage, until: number): Promise<boolean> {
    const { affected } = await this.database.raw.ask(
      'UPDATE alert_receivers SET attempts = attempts + 1, next_attempt_at = ? ' +
        'WHERE id = ? AND message_id = ? AND attempts = ?',
      [until, id, pending.id, pending.attempts],
    );
    return affected > 0;
  }

  /** Records that the receiver has accepted its message. */
  async accepted(id: string, messageId: string, at: number): Promise<void> {
    await this.database.raw.ask(
      'UPDATE alert_receivers SET message_id = NULL, message = NULL, attempts = 0, ' +
        'sent = sent + 1, sent_at = ?, failure = NULL WHERE id = ? AND message_id = ?',
      [at, id, messageId],
    );
  }

  /** Gives the message up. @param position the next message reports all news after it */
  async dropped(id: string, messageId: string, position: number): Promise<void> {
    await this.database.raw.ask(
      'UPDATE alert_receivers SET message_id = NULL, message = NULL, attempts = 0, position = ? ' +
        'WHERE id = ? AND message_id = ?',
      [position, id, messageId],
    );
  }

  async failed(id: string, messageId: string, why: string, nextAttemptAt: number): Promise<void> {
    await this.database.raw.ask(
      'UPDATE alert_receivers SET failure = ?, next_attempt_at = ? WHERE id = ? AND message_id = ?',
      [why, nextAttemptAt, id, messageId],
    );
  }

  /** Records the outcome of sending firing alerts again. @param why null: they were accepted */
  async reminded(id: string, why: string | null): Promise<void> {
    const failure = why === null ? 'NULL' : '?';
    await this.database.raw.ask(
      `UPDATE alert_receivers SET failure = ${failure} WHERE id = ? AND message_id IS NULL`,
      why === null ? [id] : [why, id],
    );
  }

  private async read(
    where: string,
    values: SqlValue[],
  ): Promise<{ id: string; state: StoredReceiver }[]> {
    const { rows } = await this.database.raw.ask(
      'SELECT id, position, message_at, message_id, message, attempts, next_attempt_at, sent, ' +
        `sent_at, failure FROM alert_receivers ${where}`,
      values,
    );
    return rows.map((columns) => ({ id: String(columns[0]), state: toState(columns) }));
  }
}

function toState(columns: unknown[]): StoredReceiver {
  const [, position, messageAt, messageId, message, attempts, nextAttemptAt, ...rest] = columns;
  const [sent, sentAt, failure] = rest;
  const instant = (value: unknown) => (value === null ? null : Number(value));
  return {
    position: Number(position),
    messageAt: instant(messageAt),
    pending:
      messageId === null
        ? null
        : {
            id: String(messageId),
            message: JSON.parse(String(message)) as AlertMessage,
            attempts: Number(attempts),
            nextAttemptAt: Number(nextAttemptAt),
          },
    sent: Number(sent),
    sentAt: instant(sentAt),
    failure: failure === null ? null : String(failure),
  };
}
