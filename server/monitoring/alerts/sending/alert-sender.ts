import type { ConfiguredReceiver } from '../../../bootstrap/config/alert-receivers';
import {
  BARE,
  dueMessage,
  MESSAGE_EVERY_MS,
  READABLE,
  type SentAlert,
} from '../../../core/alerts/alert-message';
import { GIVE_UP_AFTER_MS, mayAttempt, retryDelayMs } from '../../../core/alerts/retry-delay';
import type { Clock } from '../../../platform/clock';
import type { SerialQueue } from '../../../platform/serial-queue';
import type { PendingMessage, ReceiverTable, StoredReceiver } from '../receiver-table';
import { alertmanagerBody } from './alertmanager-body';
import { ANSWER_WITHIN_MS, postMessage } from './post-message';
import { signedHeaders } from './sign-message';
import { slackBody } from './slack-body';
import { webhookBody } from './webhook-body';

interface SenderParts {
  receiver: ConfiguredReceiver;
  stored: ReceiverTable;
  /** See `AlertWatch.known`. */
  alerts: () => Iterable<SentAlert> | null;
  /** Messages are made in turn with what changes the alerts. */
  turns: SerialQueue;
  clock: Clock;
  /** Origin of links to the console. */
  origin: string;
  /** Returns a random id. */
  newId: () => string;
}

/** Outcomes of the attempts of this process. */
export interface AttemptCounts {
  accepted: number;
  failed: number;
}

/**
 * Sends one receiver its messages, one after another. A message is stored before it is sent, so a
 * restart loses no message, and repeats none whose acceptance was stored. If this process dies
 * before it stores that, the receiver gets the message again, under the same id. A message not
 * accepted within a day is dropped, and the next one covers its alerts as they are then.
 */
export class AlertSender {
  readonly counts: AttemptCounts = { accepted: 0, failed: 0 };
  private ending = new AbortController();
  private remindedAt: number | null = null;

  constructor(private readonly parts: SenderParts) {}

  get id(): string {
    return this.parts.receiver.id;
  }

  /** Ends the attempt under way, if any. Its message is sent again later. */
  abort(): void {
    this.ending.abort();
  }

  restart(): void {
    this.ending = new AbortController();
  }

  async run(): Promise<void> {
    const { stored, clock, alerts, turns } = this.parts;
    if (!alerts()) return;
    const state = await stored.get(this.id);
    const pending = state.pending ?? (await turns.run(() => this.next(state)));
    const now = clock.now();
    if (!pending) return this.remind(state, now);
    if (now - pending.message.at > GIVE_UP_AFTER_MS) {
      const { after = state.position } = pending.message;
      await stored.dropped(this.id, pending.id, after);
    } else if (mayAttempt(pending.nextAttemptAt, now)) await this.attempt(pending, now);
  }

  private async next(state: StoredReceiver): Promise<PendingMessage | null> {
    const { alerts, clock, newId, receiver, stored } = this.parts;
    const size = receiver.format === 'alertmanager' ? BARE : READABLE;
    const due = dueMessage(state, alerts() ?? [], clock.now(), size);
    if (!due) return null;
    const next = { id: newId(), ...due };
    if (!(await stored.put(this.id, state, next))) return null;
    return { id: next.id, message: due.message, attempts: 0, nextAttemptAt: 0 };
  }

  private async attempt(pending: PendingMessage, now: number): Promise<void> {
    const { stored, clock, alerts } = this.parts;
    const { id, attempts } = pending;
    const known = alerts();
    if (!known) return;
    const body = this.bodyOf(pending, [...known], now);
    const until = now + ANSWER_WITHIN_MS + retryDelayMs(attempts);
    if (!(await stored.begin(this.id, pending, until))) return;
    const outcome = await this.post(id, body, now);
    if (outcome.isAccepted) await stored.accepted(this.id, id, clock.now());
    else {
      const nextAttemptAt = clock.now() + retryDelayMs(attempts);
      await stored.failed(this.id, id, outcome.why, nextAttemptAt);
    }
  }

  /** @param known every firing alert, and the resolved ones that are news to some receiver */
  private bodyOf(
    { id, message }: PendingMessage,
    known: readonly SentAlert[],
    now: number,
  ): string {
    const { receiver, origin } = this.parts;
    if (receiver.format === 'slack') return slackBody(message, origin);
    if (receiver.format === 'webhook') return webhookBody(id, message, origin);
    const { after = 0 } = message;
    const announced = known.filter(({ announcedAt }) => announcedAt !== null);
    const isNews = ({ resolvedAt, position }: SentAlert) =>
      resolvedAt !== null && after > 0 && position > after;
    const alerts = [...announced.filter(isNews), ...announced.filter(isFiring)];
    return alertmanagerBody(alerts, { origin, now });
  }

  /** Alertmanager treats alerts as resolved unless they are sent again. */
  private async remind({ messageAt, failure }: StoredReceiver, now: number): Promise<void> {
    const { receiver, origin, newId, stored } = this.parts;
    if (receiver.format !== 'alertmanager') return;
    // An instant in the future is from before the clock was set back.
    const isRecent = (at: number | null) => at !== null && at <= now && now - at < MESSAGE_EVERY_MS;
    if (isRecent(this.remindedAt) || isRecent(messageAt)) return;
    const firing = this.firing();
    if (firing.length === 0) return;
    this.remindedAt = now;
    const outcome = await this.post(newId(), alertmanagerBody(firing, { origin, now }), now);
    const why = outcome.isAccepted ? null : outcome.why;
    if (why !== failure && !this.ending.signal.aborted) await stored.reminded(this.id, why);
  }

  private firing(): SentAlert[] {
    return [...(this.parts.alerts() ?? [])].filter(isFiring);
  }

  private async post(id: string, body: string, now: number) {
    const { url, authorization, key } = this.parts.receiver;
    const headers = {
      ...(authorization && { authorization }),
      ...(key && signedHeaders(key, { id, body, now })),
    };
    const outcome = await postMessage({ url, headers, body }, this.ending.signal);
    this.counts[outcome.isAccepted ? 'accepted' : 'failed'] += 1;
    return outcome;
  }
}

/** Whether an alert fires, and is not silenced. */
const isFiring = ({ resolvedAt, announcedAt }: SentAlert) =>
  resolvedAt === null && announcedAt !== null;
