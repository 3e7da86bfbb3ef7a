import type { OutOfBounds } from '../../contract/counter';
import type { GateNews, StepsUnderWay } from '../../core/counter/counter-gate';
import { GATE_ANSWER_MAX_MS } from '../../core/timing';
import type { Log } from '../../platform/log';
import type { GateReply, GateStore, Gone } from '../../storage/redis-gate/gate-store';
import { ExchangePace } from './exchange-pace';
import { ANNOUNCED_FOR_MS, type DueRead, GateEntry } from './gate-entry';
import { inTime } from './in-time';

/** Counters in one exchange at most. */
const COUNTERS_MAX = 256;

/** Counters of which something is kept. */
const ENTRIES_MAX = 20_000;

const PROBE_AFTER_MS = 250;
const PROBE_AFTER_MAX_MS = 2_000;

/** What a process has seen of its gate since it started. */
export interface GateTally {
  refusals: number;
  passes: number;
  /** Exchanges that were not answered in time. */
  failures: number;
  corrections: number;
}

/**
 * The way of one process to its gate: what comes while an exchange is under way shares the next
 * one. A gate that does not answer in time is left out, and tried again from time to time; until
 * then everything passes at once.
 */
export class GateLine {
  readonly tally: GateTally = { refusals: 0, passes: 0, failures: 0, corrections: 0 };
  private readonly entries = new Map<string, GateEntry>();
  /** With something to send. */
  private touched = new Set<GateEntry>();
  /** With more announced than is under way. */
  private readonly slack = new Set<GateEntry>();
  private slackTimer: NodeJS.Timeout | undefined;
  private isExchanging = false;
  private readonly pace = new ExchangePace(() => void this.exchange());
  /** A caller waits for what is to be sent. */
  private isUrgent = false;
  private isClosed = false;
  private outSince: number | null = null;
  private probeAfterMs = PROBE_AFTER_MS;
  private probe: NodeJS.Timeout | undefined;
  /** More has happened than is kept: the gate must forget everything before it is used again. */
  private mustRestart = false;
  private readyAt = 0;
  /** The gate's clock in its last reply. */
  private lastNow = 0;

  /** @param onReadDue called with counters that this process should read from MySQL */
  constructor(
    private readonly store: GateStore,
    private readonly monotonic: () => number,
    private readonly onReadDue: (due: DueRead[]) => void,
    private readonly log: Pick<Log, 'warn' | 'info'>,
    private readonly answerMaxMs = GATE_ANSWER_MAX_MS,
  ) {}

  /** Whether it answers, as far as this process knows. */
  get isUp(): boolean {
    return this.outSince === null;
  }

  /** For how long it refuses nothing yet since it was wiped, in milliseconds. */
  get readyInMs(): number {
    return Math.max(0, this.readyAt - this.monotonic());
  }

  /**
   * Whether steps may go on at once: the gate would not refuse them, and has more announced than is
   * under way. Then `settle` must follow.
   *
   * @param refusable the step, where the gate may refuse it
   */
  pass(id: string, steps: StepsUnderWay, refusable: number | null): boolean {
    const entry = this.entries.get(id);
    if (!entry || this.outSince !== null) return false;
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
   */
  ask(id: string, steps: StepsUnderWay, refusable: number | null): Promise<OutOfBounds | null> {
    const entry = this.entryOf(id);
    if (this.outSince !== null || this.isClosed) {
      entry.begin(steps);
      this.tally.passes += 1;
      return Promise.resolve(null);
    }
    return new Promise((answer) => {
      entry.waiting.push({ steps, refusable, answer, isAnnounced: false });
      this.touch(entry);
    });
  }

  /**
   * Steps are over.
   *
   * @param news what MySQL answered, if that proves anything
   */
  settle(id: string, steps: StepsUnderWay, news: GateNews | null): void {
    const entry = this.entryOf(id);
    entry.end(steps);
    if (news) entry.note(news);
    this.touch(entry, false);
  }

  /** Passes on what a read of MySQL has found. */
  tell(id: string, reading: GateNews | Gone): void {
    const entry = this.entryOf(id);
    entry.reading = reading;
    this.touch(entry);
  }

  /** What the gate knows of a counter, after all that was told before; null: it does not answer. */
  look(id: string): Promise<(GateReply & { now: number }) | null> {
    if (this.outSince !== null || this.isClosed) return Promise.resolve(null);
    const entry = this.entryOf(id);
    return new Promise((resolve) => {
      entry.lookers.push((reply) => resolve(reply && { ...reply, now: this.lastNow }));
      this.touch(entry);
    });
  }

  /** The state last seen of a counter, for what only needs its bounds. */
  lastStateOf(id: string) {
    return this.entries.get(id)?.lastState ?? null;
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.probe);
    clearTimeout(this.slackTimer);
    this.pace.stop();
    for (const entry of this.entries.values()) entry.giveUp();
    this.store.close();
  }

  private entryOf(id: string): GateEntry {
    const known = this.entries.get(id);
    if (known) return known;
    if (this.entries.size >= ENTRIES_MAX) this.dropIdle();
    const entry = new GateEntry(id);
    this.entries.set(id, entry);
    return entry;
  }

  /** Makes room; where nothing is idle because the gate is away, it will have to begin again. */
  private dropIdle(): void {
    if (this.outSince !== null) {
      this.mustRestart = true;
      for (const entry of this.touched) {
        entry.news = null;
        entry.reading = null;
      }
      this.touched.clear();
    }
    let left = this.entries.size - ENTRIES_MAX / 2;
    for (const [id, entry] of this.entries) {
      if (left <= 0) return;
      if (!entry.isIdle || this.touched.has(entry)) continue;
      this.entries.delete(id);
      left -= 1;
    }
  }

  private touch(entry: GateEntry, isUrgent = true): void {
    this.touched.add(entry);
    this.isUrgent ||= isUrgent;
    this.schedule();
  }

  private schedule(): void {
    if (this.isExchanging || this.outSince !== null || this.isClosed) return;
    if (this.touched.size === 0) return;
    if (this.isUrgent || this.touched.size >= COUNTERS_MAX) this.pace.atOnce();
    else this.pace.soon();
  }

  private async exchange(isProbe = false): Promise<void> {
    if (this.isExchanging || this.isClosed) return;
    if (!isProbe && (this.outSince !== null || this.touched.size === 0)) return;
    this.isExchanging = true;
    const batch: GateEntry[] = [];
    for (const entry of this.touched) {
      if (batch.length === COUNTERS_MAX) break;
      this.touched.delete(entry);
      batch.push(entry);
    }
    this.isUrgent &&= this.touched.size > 0;
    const sentAt = this.monotonic();
    const messages = batch.map((entry) => entry.takeMessages(sentAt));
    try {
      const answer = this.store.exchange(messages.flat());
      const { now, readyInMs, replies } = await inTime(answer, this.answerMaxMs);
      this.lastNow = now;
      this.readyAt = readyInMs === 0 ? 0 : this.monotonic() + readyInMs;
      this.isUpAgain();
      this.receive(batch, messages, replies, now);
    } catch (error) {
      this.leaveOut(error, batch);
    } finally {
      this.isExchanging = false;
      this.schedule();
    }
  }

  private receive(
    batch: GateEntry[],
    messages: unknown[][],
    replies: GateReply[],
    now: number,
  ): void {
    const { tally } = this;
    const due: DueRead[] = [];
    let at = 0;
    batch.forEach((entry, i) => {
      at += messages[i]?.length ?? 0;
      const reply = replies[at - 1];
      const before = (messages[i]?.length ?? 0) > 1 ? replies[at - 2] : undefined;
      if (!reply) throw new Error('The gate left a counter out.');
      if (before?.wasCorrected) tally.corrections += 1;
      if (reply.readIsDue) due.push({ id: entry.id, over: reply.state?.rev ?? null, asOf: now });
      const { mustTell, refused, passed } = entry.receive(reply);
      tally.refusals += refused;
      tally.passes += passed;
      if (mustTell) this.touched.add(entry);
      this.isUrgent ||= mustTell;
      if (entry.hasSlack) this.slack.add(entry);
    });
    if (this.slack.size > 0)
      this.slackTimer ??= setTimeout(() => this.takeBack(), ANNOUNCED_FOR_MS).unref();
    if (due.length > 0) this.onReadDue(due);
  }

  /** What was announced in advance for counters that are not used any more. */
  private takeBack(): void {
    this.slackTimer = undefined;
    const before = this.monotonic() - ANNOUNCED_FOR_MS;
    for (const entry of this.slack) {
      if (entry.usedAt > before) continue;
      this.slack.delete(entry);
      if (entry.hasSlack) this.touch(entry);
    }
    if (this.slack.size > 0)
      this.slackTimer = setTimeout(() => this.takeBack(), ANNOUNCED_FOR_MS).unref();
  }

  private isUpAgain(): void {
    if (this.outSince === null) return;
    const outForMs = Math.round(this.monotonic() - this.outSince);
    this.log.info({ outForMs }, 'The gate responds again');
    this.outSince = null;
    this.probeAfterMs = PROBE_AFTER_MS;
  }

  private leaveOut(err: unknown, batch: GateEntry[]): void {
    this.tally.failures += 1;
    this.store.reconnect();
    if (this.outSince === null) {
      this.outSince = this.monotonic();
      this.log.warn({ err }, 'The gate is not responding; MySQL decides every step until it does');
    }
    for (const entry of batch) this.touched.add(entry);
    for (const entry of this.touched) this.tally.passes += entry.giveUp();
    if (this.isClosed) return;
    this.probe = setTimeout(() => void this.tryAgain(), this.probeAfterMs).unref();
    this.probeAfterMs = Math.min(2 * this.probeAfterMs, PROBE_AFTER_MAX_MS);
  }

  /** The first exchange after an outage carries no step: nothing waits for it. */
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
