import { type GateState, isAtBound, type StepsUnderWay } from '../../../core/counter/counter-gate';
import {
  GATE_ASK_AGAIN_MS,
  GATE_CLAIM_MS,
  GATE_FRESH_MS,
  GATE_REFRESH_MS,
  GATE_STEP_MAX_MS,
} from '../../../core/timing';
import type { GateExchange, GateMark, GateMessage, GateReply } from '../gate-store';

interface ModelCounter {
  /** `asOf` is −∞ if its bounds were never read. */
  state: GateState & { boundsRev: number; asOf: number };
  underWay: Map<string, StepsUnderWay & { until: number }>;
  claimedUntil: number;
}

/** A model of `exchange.lua`, in memory and on a clock that is passed in. */
export class ModelGate {
  private since: number | null = null;
  private readonly counters = new Map<string, ModelCounter>();
  /** The counter of each change since then, oldest first. */
  private changes: string[] = [];

  /** @param changesMax how many changes it can list */
  constructor(private readonly changesMax = 256) {}

  wipe(): void {
    this.since = null;
    this.counters.clear();
    this.changes = [];
  }

  exchange(
    process: string,
    messages: GateMessage[],
    now: number,
    seen: GateMark | null = null,
  ): GateExchange {
    this.since ??= now;
    const { since } = this;
    const readyInMs = Math.max(0, since + GATE_STEP_MAX_MS - now);
    const isReady = readyInMs === 0;
    const replies = messages.map((message) => this.receive(process, message, now, isReady));
    const unseen = seen?.since === since ? this.changes.slice(seen.changes) : null;
    const changed = unseen && unseen.length <= this.changesMax ? unseen.reverse() : null;
    return { now, readyInMs, mark: { since, changes: this.changes.length }, changed, replies };
  }

  private receive(
    process: string,
    { id, underWay, news, mayRead }: GateMessage,
    now: number,
    isReady: boolean,
  ): GateReply {
    const counter = this.counterOf(id);
    const { state } = counter;
    let known = isReady && state.asOf <= now && now < state.asOf + GATE_FRESH_MS;
    const before = { ...state };
    let wasCorrected = false;
    if (news && 'gone' in news) {
      if (known && news.gateRev === state.rev) {
        counter.state = unknownState();
        known = false;
        wasCorrected = true;
        this.changes.push(id);
      }
    } else if (news) {
      const { rev, value, reading } = news;
      const readyAt = (this.since ?? now) + GATE_STEP_MAX_MS;
      const isReading =
        reading !== undefined && reading.asOf >= readyAt && reading.asOf + GATE_FRESH_MS > now;
      const isReset = isReading && known && reading.gateRev === state.rev && rev < state.rev;
      const valueToo = isReset || rev > state.rev || (isReading && rev === state.rev);
      wasCorrected = known && isReading && valueToo && value !== state.value;
      if (isReading && (!known || isReset || rev >= state.boundsRev)) {
        const { floor, ceiling } = reading;
        wasCorrected ||= known && (floor !== state.floor || ceiling !== state.ceiling);
        const asOf = known && !isReset ? Math.max(reading.asOf, state.asOf) : reading.asOf;
        Object.assign(state, { floor, ceiling, boundsRev: rev, asOf });
        known = isReady;
      }
      if (valueToo) Object.assign(state, { rev, value });
      const wasAtBound = before.rev === UNKNOWN_REV || isAtBound(before);
      if (wasAtBound && !isSame(before, state)) this.changes.push(id);
    }
    if (underWay.down === 0 && underWay.up === 0) counter.underWay.delete(process);
    else counter.underWay.set(process, { ...underWay, until: now + GATE_STEP_MAX_MS });
    const isFresh = known && now - counter.state.asOf < GATE_REFRESH_MS;
    const readIsDue = mayRead && isReady && !isFresh && counter.claimedUntil <= now;
    if (readIsDue) counter.claimedUntil = now + GATE_CLAIM_MS;
    const { asOf } = counter.state;
    const askAgainAt = Math.max(
      asOf + GATE_REFRESH_MS,
      mayRead ? Math.min(now + GATE_ASK_AGAIN_MS, asOf + GATE_FRESH_MS) : 0,
    );
    return { ...this.peek(id, now), readIsDue, wasCorrected, asOf, askAgainAt };
  }

  /** The state of a counter that a process would read now. */
  peek(id: string, now: number): { state: GateState | null; underWay: StepsUnderWay } {
    const { state, underWay } = this.counterOf(id);
    const isReady = this.since !== null && now >= this.since + GATE_STEP_MAX_MS;
    const isKnown = isReady && state.asOf <= now && now < state.asOf + GATE_FRESH_MS;
    const sum = { down: 0, up: 0 };
    for (const { down, up, until } of underWay.values()) {
      if (until <= now && isKnown && state.asOf >= until) continue;
      sum.down += down;
      sum.up += up;
    }
    if (!isKnown) return { state: null, underWay: sum };
    const { rev, value, floor, ceiling } = state;
    return { state: { rev, value, floor, ceiling }, underWay: sum };
  }

  private counterOf(id: string): ModelCounter {
    const known = this.counters.get(id);
    if (known) return known;
    const counter = { state: unknownState(), underWay: new Map(), claimedUntil: 0 };
    this.counters.set(id, counter);
    return counter;
  }
}

const UNKNOWN_REV = -1;

const isSame = (one: GateState, other: GateState) =>
  one.rev === other.rev &&
  one.value === other.value &&
  one.floor === other.floor &&
  one.ceiling === other.ceiling;

function unknownState(): ModelCounter['state'] {
  const asOf = Number.NEGATIVE_INFINITY;
  return { rev: UNKNOWN_REV, value: 0, floor: null, ceiling: null, boundsRev: -1, asOf };
}
