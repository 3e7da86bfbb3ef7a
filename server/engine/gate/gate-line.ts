import type { OutOfBounds } from '../../contract/counter';
import type { GateNews, StepsUnderWay } from '../../core/counter/counter-gate';
import { GATE_ANSWER_MAX_MS } from '../../core/timing';
import type { Log } from '../../platform/log';
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

/** Counters in one exchange at most. */
const COUNTERS_MAX = 256;

/**
 * The messages of one process to its gate. What comes while an exchange is under way shares the
 * next one. A gate that does not answer in time is left out: every step passes at once, and the
 * gate is tried again from time to time until it answers.
 */
export class GateLine {
  readonly tally: GateTally = { refusals: 0, passes: 0, failures: 0, corrections: 0 };
  private readonly entries = new GateEntries(
    () => this.forgetUnsent(),
    (entry) => this.touched.has(entry),
  );
  /** The entries that have something to send. */
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
  /** Whether a caller waits for what is to be sent. */
  private isUrgent = false;
  private isClosed = false;
  private outSince: number | null = null;
  private readonly probe = new ProbeTimer(() => void this.tryAgain());
  /** Unsent messages were dropped: the gate must forget everything before it is used again. */
  private mustRestart = false;
  private readyAt = 0;
  /** The gate's clock in its last reply. */
  private lastNow = 0;
  /** Up to where this process has seen the changes at the gate; null: unknown. */
  private mark: GateExchange['mark'] | null = null;

  /** @param onReadDue called with counters that this process should read from MySQL */
  constructor(
    private readonly store: GateStore,
    private readonly monotonic: () => number,
    private readonly onReadDue: (due: DueRead[]) => void,
    private readonly log: Pick<Log, 'warn' | 'info'>,
    private readonly answerMaxMs = GATE_ANSWER_MAX_MS,
  ) {}

  /** Whether the gate answers, as far as this process knows. */
  get isUp(): boolean {
    return this.outSince === null;
  }

  /** For how many milliseconds the gate still refuses nothing, because it was wiped. */
  get readyInMs(): number {
    return Math.max(0, this.readyAt - this.monotonic());
  }

  /** The entry of a counter, for the calls that follow in this turn, and for `settle`. */
  entryOf(id: string): GateEntry {
    return this.entries.of(id);
  }

  /**
   * Whether steps may go on at once: the gate would not refuse them, and they were announced in
   * advance. Then `settle` must follow.
   *
   * @param refusable the step, where the gate may refuse it
   */
  pass(entry: GateEntry, steps: StepsUnderWay, refusable: number | null): boolean {
    if (this.outSince !== null) return false;
    const passed = entry.pass(steps, refusable, this.monotonic());
    if (passed === false) return false;
    this.tally.passes += 1;
    if (passed === 'again') this.touch(entry, false);
    return true;
  }

  /**
   * Announces steps under way; `settle` must follow unless they are refused.
   *
   * @param refusable the step, where the gate may refuse it
   * @param answer called once, perhaps at once
   */
  ask(
    entry: GateEntry,
    steps: StepsUnderWay,
    refusable: number | null,
    answer: (refusal: OutOfBounds | null) => void,
  ): void {
    if (this.outSince !== null || this.isClosed) {
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
   * @param news what MySQL's answer proves; null: nothing
   */
  settle(entry: GateEntry, steps: StepsUnderWay, news: GateNews | null): void {
    entry.end(steps);
    if (news) entry.note(news);
    if (entry.canWait(this.monotonic())) this.later.add(entry);
    else this.touch(entry, false);
  }

  /** Sends the gate what a read of MySQL has found. */
  tell(id: string, reading: GateNews | Gone): void {
    const entry = this.entries.of(id);
    entry.reading = reading;
    this.touch(entry);
  }

  /** The gate's reply about a counter after all that was sent before; null: it does not answer. */
  look(id: string): Promise<(GateReply & { now: number }) | null> {
    if (this.outSince !== null || this.isClosed) return Promise.resolve(null);
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

  /** Drops what waits for a gate that is away, since it is too much: the gate must restart. */
  private forgetUnsent(): void {
    if (this.outSince === null) return;
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
    if (this.isExchanging || this.outSince !== null || this.isClosed || !this.hasWork) return;
    if (this.isUrgent || this.touched.size >= COUNTERS_MAX) this.pace.atOnce();
    else this.pace.soon();
  }

  private async exchange(isProbe = false): Promise<void> {
    if (this.isExchanging || this.isClosed) return;
    if (!isProbe && (this.outSince !== null || !this.hasWork)) return;
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
      this.isUpAgain();
      this.mark = exchange.mark;
      forgetChanged(exchange, this.entries);
      this.receive(batch, messages, exchange);
    } catch (error) {
      this.leaveOut(error, batch);
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
      if (!reply) throw new Error('The gate left a counter out.');
      if (before?.wasCorrected || reply.wasCorrected) tally.corrections += 1;
      if (reply.readIsDue) due.push({ id: entry.id, over: reply.state?.rev ?? null, asOf: now });
      const { mustTell, refused, passed } = entry.receive(reply);
      tally.refusals += refused;
      tally.passes += passed;
      if (mustTell) this.touchNext(entry);
      slack.note(entry);
    });
    tally.refusals += this.confirmed.receive(exchange, (entry) => this.touchNext(entry));
    if (due.length > 0) this.onReadDue(due);
  }

  /** Marks an entry for the exchange that begins when the one under way is over. */
  private touchNext(entry: GateEntry): void {
    this.touched.add(entry);
    this.isUrgent = true;
  }

  private isUpAgain(): void {
    if (this.outSince === null) return;
    const outForMs = Math.round(this.monotonic() - this.outSince);
    this.log.info({ outForMs }, 'The gate responds again');
    this.outSince = null;
    this.probe.reset();
  }

  private leaveOut(err: unknown, batch: GateEntry[]): void {
    this.tally.failures += 1;
    this.store.reconnect();
    if (this.outSince === null) {
      this.outSince = this.monotonic();
      this.log.warn({ err }, 'The gate is not responding; MySQL decides every step until it does');
    }
    this.mark = null;
    for (const entry of batch) this.touched.add(entry);
    this.confirmed.giveUp((entry) => this.touched.add(entry));
    for (const entry of this.touched) this.tally.passes += entry.giveUp();
    if (!this.isClosed) this.probe.schedule();
  }

  /** Tries the gate after an outage, with an exchange that no step waits for. */
  private async tryAgain(): Promise<void> {
    try {
      await this.store.connect();
      if (this.mustRestart) await inTime(this.store.restart(), this.answerMaxMs);
      this.mustRestart = false;
    } catch (error) {
      this.leaveOut(error, []);
      return;
    }
    await this.exchange(true);
  }
}
