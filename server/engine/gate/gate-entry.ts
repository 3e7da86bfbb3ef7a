import type { OutOfBounds } from '../../contract/counter';
import {
  addSteps,
  type GateNews,
  type GateState,
  gateRefusal,
  leavesBounds,
  NOTHING_UNDER_WAY,
  type StepsUnderWay,
  subtractSteps,
} from '../../core/counter/counter-gate';
import type { GateMessage, GateReply, Gone } from '../../storage/redis-gate/gate-store';
import { inAdvance, maxSteps, reserve } from './announce-in-advance';
import { type AtBound, atBoundIn } from './confirmed-refusals';

/** A step that waits for the gate. */
export interface GateAsk {
  steps: StepsUnderWay;
  /** The delta that the gate may refuse; null: it must pass. */
  refusable: number | null;
  /** Called with the gate's refusal. Null: MySQL decides, and the step counts as under way. */
  answer: (refusal: OutOfBounds | null) => void;
  /** Whether it was announced as under way. */
  isAnnounced: boolean;
}

/** A counter that should be read from MySQL. */
export interface DueRead {
  id: string;
  /** The gate's rev of it; null: none. */
  gateRev: number | null;
  /** The gate's clock at that time. */
  asOf: number;
}

/** The content of the messages that the gate has been sent and has not replied to. */
interface Sent extends Pick<GateEntry, 'news' | 'reading' | 'lookers'> {
  asks: GateAsk[];
  underWay: StepsUnderWay;
  ended: StepsUnderWay;
  isOut: boolean;
  /** On the monotonic clock. */
  at: number;
}

const NOTHING_SENT: Sent = {
  news: null,
  reading: null,
  lookers: [],
  asks: [],
  underWay: NOTHING_UNDER_WAY,
  ended: NOTHING_UNDER_WAY,
  isOut: false,
  at: 0,
};

/** An announcement that is older must be repeated before steps can rely on it. */
export const ANNOUNCED_FOR_MS = 2_000;

/** An announcement of this age is repeated, since it must outlast the steps that rely on it. */
const ANNOUNCE_AGAIN_MS = 900;

/** Changes `sum` in place, since this runs twice for every step. */
function add(sum: StepsUnderWay, steps: StepsUnderWay): void {
  sum.down += steps.down;
  sum.up += steps.up;
}

/** The unsent messages to the gate about one counter, and the steps that wait for its reply. */
export class GateEntry {
  /** The state in the gate's last reply, with a newer value if a step has changed it since. */
  lastState: GateState | null = null;
  /** The state by which steps are refused as long as the gate reports no change of it. */
  atBound: AtBound | null = null;
  /** How many steps wait for the next exchange to confirm `atBound`. */
  unconfirmed = 0;
  /** The newest value that has not been sent to the gate. */
  news: GateNews | null = null;
  /** The last reading that has not been sent to the gate. */
  reading: GateNews | Gone | null = null;
  waiting: GateAsk[] = [];
  /** Called with the next reply; with null if the gate does not respond. */
  lookers: ((reply: GateReply | null) => void)[] = [];
  /** False once it was dropped as idle: then its counter may have another entry. */
  isKept = true;
  /** When the last step began, on the monotonic clock. */
  usedAt = Number.NEGATIVE_INFINITY;
  private steps = 0;
  private readonly underWay = { ...NOTHING_UNDER_WAY };
  /** The steps that have begun since the last message to the gate. */
  private readonly recent = { ...NOTHING_UNDER_WAY };
  private recentSteps = 0;
  private inAdvance = NOTHING_UNDER_WAY;
  /** The most that has recently begun between two messages, in each direction. */
  private used = NOTHING_UNDER_WAY;
  /** Announced in advance if plenty is left: steps within the reserve need no message. */
  private reserve = NOTHING_UNDER_WAY;
  /** Steps whose end has not been sent to the gate. */
  private readonly ended = { ...NOTHING_UNDER_WAY };
  /** The steps under way that the gate has confirmed, and when they were sent. */
  private announced = NOTHING_UNDER_WAY;
  private announcedAt = Number.NEGATIVE_INFINITY;
  private sent = NOTHING_SENT;

  constructor(readonly id: string) {}

  /** Whether nothing would be lost if the entry were dropped. */
  get isIdle(): boolean {
    const { steps, unconfirmed, waiting, lookers, news, reading, sent, ended } = this;
    const isInUse = steps + unconfirmed + waiting.length + lookers.length > 0 || sent.isOut;
    return !isInUse && !news && !reading && ended.down + ended.up === 0;
  }

  /** Whether more steps are announced than under way. */
  get hasSlack(): boolean {
    const { announced, underWay } = this;
    return announced.down > underWay.down || announced.up > underWay.up;
  }

  /**
   * Begins steps that were announced in advance. False: they were not, and do not begin.
   *
   * @returns `again` if the steps have begun, and the announcement must be repeated
   */
  pass(steps: StepsUnderWay, refusable: number | null, now: number): boolean | 'again' {
    const { lastState, announced, sent } = this;
    const ageMs = now - this.announcedAt;
    if (!lastState || ageMs >= ANNOUNCED_FOR_MS) return false;
    if (refusable !== null && leavesBounds(lastState, refusable)) return false;
    // The gate counts a step until it receives its end; it may have received a message just sent.
    const down = this.underWay.down + this.ended.down + steps.down;
    const up = this.underWay.up + this.ended.up + steps.up;
    if (down + sent.ended.down > announced.down || up + sent.ended.up > announced.up) return false;
    if (sent.isOut && (down > sent.underWay.down || up > sent.underWay.up)) return false;
    this.usedAt = now;
    this.begin(steps);
    return ageMs < ANNOUNCE_AGAIN_MS || 'again';
  }

  begin(steps: StepsUnderWay): void {
    this.steps += 1;
    this.recentSteps += 1;
    add(this.recent, steps);
    add(this.underWay, steps);
  }

  /** Ends steps. The end of the last one resets the sum, which is not exact beyond 2^53. */
  end(steps: StepsUnderWay): void {
    this.steps -= 1;
    add(this.ended, steps);
    const { underWay } = this;
    underWay.down = this.steps === 0 ? 0 : Math.max(0, underWay.down - steps.down);
    underWay.up = this.steps === 0 ? 0 : Math.max(0, underWay.up - steps.up);
  }

  /** Drops all unsent content. The gate must be restarted before the next message. */
  forgetUnsent(): void {
    this.news = null;
    this.reading = null;
    Object.assign(this.ended, NOTHING_UNDER_WAY);
  }

  /** Whether the ends of steps can be sent later: until then the gate counts them as under way. */
  canWait(now: number): boolean {
    if (now - this.announcedAt >= ANNOUNCE_AGAIN_MS) return false;
    const { down, up } = addSteps(this.underWay, this.ended);
    return 4 * down <= this.reserve.down && 4 * up <= this.reserve.up;
  }

  note(news: GateNews): void {
    if (!this.news || news.rev > this.news.rev) this.news = news;
    const { lastState, atBound } = this;
    if (atBound && news.rev > atBound.state.rev) this.atBound = null;
    if (!lastState || news.rev <= lastState.rev) return;
    lastState.rev = news.rev;
    lastState.value = news.value;
  }

  /**
   * Takes the next messages to the gate. A step that it will probably refuse is not announced: the
   * announcement would have to be withdrawn. While steps keep arriving, more are announced in
   * advance, so that the next ones do not wait.
   */
  takeMessages(now: number): GateMessage[] {
    const { id, news, reading, waiting: asks, lookers, lastState } = this;
    const wasInUse = now - this.usedAt < ANNOUNCED_FOR_MS;
    for (const ask of asks) {
      const { refusable, isAnnounced } = ask;
      if (isAnnounced) continue;
      if (refusable !== null && lastState && leavesBounds(lastState, refusable)) continue;
      this.announce(ask);
      this.usedAt = now;
    }
    this.inAdvance = wasInUse
      ? inAdvance(this.inAdvance, subtractSteps(this.recent, this.reserve), this.recentSteps)
      : NOTHING_UNDER_WAY;
    const isInUse = now - this.usedAt < ANNOUNCED_FOR_MS;
    this.used = isInUse ? maxSteps(this.used, this.recent) : NOTHING_UNDER_WAY;
    this.reserve = lastState ? reserve(this.used, lastState) : NOTHING_UNDER_WAY;
    const underWay = addSteps(this.underWay, maxSteps(this.inAdvance, this.reserve));
    const mayRead = asks.length > 0 || isInUse;
    this.sent = {
      news,
      reading,
      lookers,
      asks,
      underWay,
      ended: { ...this.ended },
      at: now,
      isOut: true,
    };
    Object.assign(this.recent, NOTHING_UNDER_WAY);
    this.recentSteps = 0;
    Object.assign(this.ended, NOTHING_UNDER_WAY);
    this.news = null;
    this.reading = null;
    this.waiting = [];
    this.lookers = [];
    const message = { id, underWay, news, mayRead };
    if (!reading) return [message];
    const isNewest = !news || (!('gone' in reading) && reading.rev >= news.rev);
    const read = { ...message, news: reading };
    return isNewest ? [read] : [{ ...read, mayRead: false }, message];
  }

  /**
   * Answers the steps and the lookers that waited for this reply.
   *
   * @returns `mustTell`: whether a message must be sent immediately, to announce a step or to end
   *   an announced step that the gate refused; and how many steps were refused and passed
   */
  receive(reply: GateReply): { mustTell: boolean; refused: number; passed: number } {
    const { asks, lookers, underWay: sentUnderWay, at } = this.sent;
    this.sent = NOTHING_SENT;
    this.announced = sentUnderWay;
    this.announcedAt = at;
    const { lastState } = this;
    // MySQL may have answered a step of this process with a newer value meanwhile.
    const isNewer = lastState && reply.state && lastState.rev > reply.state.rev && this.news;
    if (!isNewer) this.lastState = reply.state && { ...reply.state };
    this.atBound = isNewer ? null : atBoundIn(reply);
    let mustTell = false;
    let passed = 0;
    const refused: GateAsk[] = [];
    for (const ask of asks) {
      const { refusable, isAnnounced } = ask;
      if (refusable !== null && reply.state && leavesBounds(reply.state, refusable)) {
        refused.push(ask);
        mustTell ||= isAnnounced;
      } else if (isAnnounced) {
        passed += 1;
        ask.answer(null);
      } else {
        this.waiting.push(ask);
        this.lastState = null;
        mustTell = true;
      }
    }
    this.refuse(refused, reply, sentUnderWay);
    for (const look of lookers) look(reply);
    return { mustTell, refused: refused.length, passed };
  }

  /** Lets all waiting steps pass, since the gate did not respond. Its messages are sent again. */
  giveUp(): number {
    const { asks, lookers, news, reading } = this.sent;
    if (news) this.note(news);
    this.reading ??= reading;
    this.sent = NOTHING_SENT;
    this.announcedAt = Number.NEGATIVE_INFINITY;
    const all = [...asks, ...this.waiting];
    this.waiting = [];
    for (const ask of all) {
      if (!ask.isAnnounced) this.announce(ask);
      ask.answer(null);
    }
    for (const look of [...lookers, ...this.lookers]) look(null);
    this.lookers = [];
    return all.length;
  }

  private announce(ask: GateAsk): void {
    ask.isAnnounced = true;
    this.begin(ask.steps);
  }

  /** Refuses these steps, with an estimate that does not count them as under way. */
  private refuse(refused: GateAsk[], reply: GateReply, sent: StepsUnderWay): void {
    for (const { isAnnounced, steps } of refused) if (isAnnounced) this.end(steps);
    const underWay = addSteps(subtractSteps(reply.underWay, sent), this.underWay);
    const answers = new Map<boolean, OutOfBounds | null>();
    for (const { refusable, answer } of refused) {
      const delta = refusable ?? 0;
      const isDown = delta < 0;
      const known = answers.get(isDown) ?? gateRefusal({ state: reply.state, underWay }, delta);
      answers.set(isDown, known);
      answer(known);
    }
  }
}
