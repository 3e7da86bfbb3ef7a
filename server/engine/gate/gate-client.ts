import type { OutOfBounds } from '../../contract/counter';
import type { GateNews, StepsUnderWay } from '../../core/counter/counter-gate';
import { GATE_ANSWER_MAX_MS } from '../../core/timing';
import type { Log } from '../../platform/log';
import { StoreError } from '../../storage/record-store';
import type { GateExchange, GateReply, GateStore, Gone } from '../../storage/redis-gate/gate-store';
import { ConfirmedRefusals, forgetChanged } from './confirmed-refusals';
import { ExchangePace } from './exchange-pace';
import { GateEntries } from './gate-entries';
import type { DueRead, GateAsk, GateEntry } from './gate-entry';
import { GateSlack } from './gate-slack';
import type { GateTally } from './gate-tally';
import { inTime } from './in-time';
import { LaterMessages } from './later-messages';
import { ProbeTimer } from './probe-timer';

/** The most counters in one exchange. */
const COUNTERS_MAX = 256;

/**
 * Exchanges the messages of one process with its gate. Messages that arise during an exchange share
 * the next one. A gate that does not respond in time is bypassed: every step passes immediately,
 * and the gate is probed until it responds again.
 */
export class GateClient {
  readonly tally: GateTally = { refusals: 0, passes: 0, failures: 0, corrections: 0 };
  private readonly entries = new GateEntries(
    () => this.forgetUnsent(),
    (entry) => this.touched.has(entry),
  );
  /** The entries with unsent messages. */
  private touched = new Set<GateEntry>();
  private readonly confirmed = new ConfirmedRefusals();
  private readonly slack = new GateSlack(
    () => this.monotonic(),
    (entry) => this.touch(entry),
  );
  private readonly later = new LaterMessages(
    () => this.monotonic(),
    (entry) => this.touch(entry, false),
  );
  private isExchanging = false;
  private readonly pace = new ExchangePace(() => void this.exchange());
  /** Whether a caller waits for the next exchange. */
  private isUrgent = false;
  private isClosed = false;
  /** Since when the gate does not respond, on the monotonic clock; null: it responds. */
  private downSince: number | null = null;
  private rejection: string | null = null;
  private readonly probe = new ProbeTimer(() => void this.tryAgain());
  /** Set if unsent messages were dropped: the gate must be cleared before it is used again. */
  private mustRestart = false;
  private readyAt = 0;
  /** The gate's clock in its last reply. */
  private lastNow = 0;
  /** The position up to which this process knows the gate's changes; null: unknown. */
  private mark: GateExchange['mark'] | null = null;

  /** @param onReadDue called with counters that this process should read from MySQL */
  constructor(
    private readonly store: GateStore,
    private readonly monotonic: () => number,
    private readonly onReadDue: (due: DueRead[]) => void,
    private readonly log: Pick<Log, 'warn' | 'info'>,
    private readonly answerMaxMs = GATE_ANSWER_MAX_MS,
  ) {}

  /** Whether the gate responds, as far as this process knows. */
  get isUp(): boolean {
    return this.downSince === null;
  }

  /** Why its Redis rejects requests; null: the gate responds, or nothing does there. */
  get refusal(): string | null {
    return this.isUp ? null : this.rejection;
  }

  /** How much longer, in milliseconds, the gate refuses nothing because it was wiped. */
  get readyInMs(): number {
    return Math.max(0, this.readyAt - this.monotonic());
  }

  /** The entry of a counter, valid in this turn of the event loop, and for `settle`. */
  entryOf(id: string): GateEntry {
    return this.entries.of(id);
  }

  /**
   * Whether steps can begin immediately: the gate would not refuse them, and they were announced in
   * advance. Then `settle` must follow.
   *
   * @param refusable the delta if the gate may refuse it; null: it may not
   */
  pass(entry: GateEntry, steps: StepsUnderWay, refusable: number | null): boolean {
    if (this.downSince !== null) return false;
    const passed = entry.pass(steps, refusable, this.monotonic());
    if (passed === false) return false;
    this.tally.passes += 1;
    if (passed === 'again') this.touch(entry, false);
    return true;
  }

  /**
   * Announces steps under way; `settle` must follow unless they are refused.
   *
   * @param refusable the delta if the gate may refuse it; null: it may not
   * @param answer called once, possibly before this returns
   */
  ask(
    entry: GateEntry,
    steps: StepsUnderWay,
    refusable: number | null,
    answer: (refusal: OutOfBounds | null) => void,
  ): void {
    if (this.downSince !== null || this.isClosed) {
      entry.begin(steps);
      this.tally.passes += 1;
      answer(null);
      return;
    }
    const ask: GateAsk = { steps, refusable, answer, isAnnounced: false };
    if (!this.confirmed.take(entry, ask)) {
      entry.waiting.push(ask);
      this.touched.add(entry);
    }
    this.isUrgent = true;
    this.schedule();
  }

  /**
   * Ends steps under way.
   *
   * @param news the value that MySQL's answer proves; null: none
   */
  settle(entry: GateEntry, steps: StepsUnderWay, news: GateNews | null): void {
    entry.end(steps);
    if (news) entry.note(news);
    if (entry.canWait(this.monotonic())) this.later.add(entry);
    else this.touch(entry, false);
  }

  /** Sends the gate the result of a read of MySQL. */
  tell(id: string, reading: GateNews | Gone): void {
    const entry = this.entries.of(id);
    entry.reading = reading;
    this.touch(entry);
  }

  /** The gate's reply about a counter, after all earlier messages; null: it does not respond. */
  look(id: string): Promise<(GateReply & { now: number }) | null> {
    if (this.downSince !== null || this.isClosed) return Promise.resolve(null);
    const entry = this.entries.of(id);
    return new Promise((resolve) => {
      entry.lookers.push((reply) => resolve(reply && { ...reply, now: this.lastNow }));
      this.touch(entry);
    });
  }

  close(): void {
    this.isClosed = true;
    this.probe.stop();
    this.slack.stop();
    this.later.stop();
    this.pace.stop();
    this.confirmed.giveUp(() => {});
    for (const entry of this.entries.values()) entry.giveUp();
    this.store.close();
  }

  /** Drops the messages for an unresponsive gate when there are too many: then it must restart. */
  private forgetUnsent(): void {
    if (this.downSince === null) return;
    this.mustRestart = true;
    for (const entry of this.touched) entry.forgetUnsent();
    this.touched.clear();
  }

  private get hasWork(): boolean {
    return this.touched.size > 0 || this.confirmed.isWaiting;
  }

  private touch(entry: GateEntry, isUrgent = true): void {
    this.touched.add(entry);
    this.isUrgent ||= isUrgent;
    this.schedule();
  }

  private schedule(): void {
    if (this.isExchanging || this.downSince !== null || this.isClosed || !this.hasWork) return;
    if (this.isUrgent || this.touched.size >= COUNTERS_MAX) this.pace.immediately();
    else this.pace.soon();
  }

  private async exchange(isProbe = false): Promise<void> {
    if (this.isExchanging || this.isClosed) return;
    if (!isProbe && (this.downSince !== null || !this.hasWork)) return;
    this.isExchanging = true;
    const batch: GateEntry[] = [];
    for (const entry of this.touched) {
      if (batch.length === COUNTERS_MAX) break;
      this.touched.delete(entry);
      this.later.delete(entry);
      batch.push(entry);
    }
    this.isUrgent &&= this.touched.size > 0;
    const sentAt = this.monotonic();
    const messages = batch.map((entry) => entry.takeMessages(sentAt));
    this.confirmed.send();
    try {
      const reply = this.store.exchange(messages.flat(), this.mark);
      const exchange = await inTime(reply, this.answerMaxMs);
      const { now, readyInMs } = exchange;
      this.lastNow = now;
      this.readyAt = readyInMs === 0 ? 0 : this.monotonic() + readyInMs;
      this.endBypass();
      this.mark = exchange.mark;
      forgetChanged(exchange, this.entries);
      this.receive(batch, messages, exchange);
    } catch (error) {
      this.bypass(error, batch);
    } finally {
      this.isExchanging = false;
      this.schedule();
    }
  }

  private receive(batch: GateEntry[], messages: unknown[][], exchange: GateExchange): void {
    const { tally, slack } = this;
    const { replies, now } = exchange;
    const due: DueRead[] = [];
    let at = 0;
    batch.forEach((entry, i) => {
      at += messages[i]?.length ?? 0;
      const reply = replies[at - 1];
      const before = (messages[i]?.length ?? 0) > 1 ? replies[at - 2] : undefined;
      if (!reply) throw new Error('The gate did not reply about every counter.');
      if (before?.wasCorrected || reply.wasCorrected) tally.corrections += 1;
      if (reply.readIsDue) due.push({ id: entry.id, gateRev: reply.state?.rev ?? null, asOf: now });
      const { mustTell, refused, passed } = entry.receive(reply);
      tally.refusals += refused;
      tally.passes += passed;
      if (mustTell) this.touchNext(entry);
      slack.note(entry);
    });
    tally.refusals += this.confirmed.receive(exchange, (entry) => this.touchNext(entry));
    if (due.length > 0) this.onReadDue(due);
  }

  /** Marks an entry for the exchange after the one under way. */
  private touchNext(entry: GateEntry): void {
    this.touched.add(entry);
    this.isUrgent = true;
  }

  private endBypass(): void {
    if (this.downSince === null) return;
    const outForMs = Math.round(this.monotonic() - this.downSince);
    this.log.info({ outForMs }, 'The gate responds again');
    this.downSince = null;
    this.probe.reset();
  }

  private bypass(err: unknown, batch: GateEntry[]): void {
    this.tally.failures += 1;
    this.rejection = err instanceof StoreError ? err.refusal : null;
    this.store.reconnect();
    if (this.downSince === null) {
      this.downSince = this.monotonic();
      this.log.warn({ err }, 'The gate is not responding; MySQL decides every step until it does');
    }
    this.mark = null;
    for (const entry of batch) this.touched.add(entry);
    this.confirmed.giveUp((entry) => this.touched.add(entry));
    for (const entry of this.touched) this.tally.passes += entry.giveUp();
    if (!this.isClosed) this.probe.schedule();
  }

  /** Probes the gate during an outage, with an exchange that no step waits for. */
  private async tryAgain(): Promise<void> {
    try {
      await this.store.connect();
      if (this.mustRestart) await inTime(this.store.restart(), this.answerMaxMs);
      this.mustRestart = false;
    } catch (error) {
      this.bypass(error, []);
      return;
    }
    await this.exchange(true);
  }
}
