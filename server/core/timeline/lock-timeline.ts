import {
  type ActMark,
  type HoldBar,
  type LockTimeline,
  WAIT_BARS_MAX,
  WAIT_ENDS,
  type WaitBar,
  type WaitEnd,
} from '../../contract/console/past/lock-timeline';
import { HOLD_ENDS, type LockEvent } from '../lock/lock-event';
import type { LockRecord, Waiter } from '../lock/lock-record';
import { type Party, partyKey } from '../party';
import { openSince } from '../past/record-at';

/** Bars narrower than this share of the span are merged with their neighbours. */
const STEP_SHARE = 1 / 600;

/** Up to this many bars, holds that did not end in a release stay separate. */
const SEPARATE_MAX = 400;

/** Kinds of events that a timeline does not show, which are most of a long history. */
export const ROUTINE_KINDS = ['renewed', 'detached', 'resumed', 'offered', 'withdrawn'] as const;

export const isRoutine = (kind: string): boolean =>
  (ROUTINE_KINDS as readonly string[]).includes(kind);

type TimelineParts = Pick<LockTimeline, 'holds' | 'waits' | 'moreWaits' | 'acts'>;

/**
 * The bars and marks of one lock that touch `from` to `to`.
 *
 * A hold or a wait that began before `from` is known from the event of its end, which says how long
 * it lasted, or from the present record. One without an end among the events has `to` null: it has
 * not ended, or its end is not recorded.
 *
 * @param events of that lock from `from` on, oldest first, including those after `to`
 * @param now the lock's present record; null: what began before `from` and has not ended is omitted
 * @param since the instant from which no event is missing
 */
export function buildTimeline(
  events: readonly LockEvent[],
  from: number,
  to: number,
  now: LockRecord | null = null,
  since = Number.POSITIVE_INFINITY,
): TimelineParts {
  const holds = new Map<number, HoldBar>();
  const waits: WaitBar[] = [];
  const acts: ActMark[] = [];
  const open = new OpenWaits(waits, since);
  const before = openSince(now, from - 1);
  for (const hold of before.holds) addGrant(holds, hold.from, hold);
  // These waiters are in the record as read, so no event up to its rev has ended their waits.
  for (const wait of before.waits) open.begin(wait.from, wait, now?.rev ?? 0);
  for (const event of events) {
    addHold(holds, event);
    open.add(event);
    const { at, kind, by, reason = '' } = event;
    if (by !== undefined) acts.push({ at, kind, by, reason });
  }
  const surplus = open.surplus(now?.queue ?? []);
  const touches = (bar: HoldBar | WaitBar) =>
    bar.from < to && (bar.to ?? Number.POSITIVE_INFINITY) >= from;
  const bars = [...holds.values()].filter(touches).sort((a, b) => a.from - b.from);
  const touching = waits.filter((bar) => touches(bar) && !surplus.has(bar));
  const listed = [...touching].sort(longestFirst).slice(0, WAIT_BARS_MAX);
  return {
    holds: mergeShort(bars, (to - from) * STEP_SHARE),
    waits: listed.sort((a, b) => a.from - b.from),
    moreWaits: touching.length - listed.length,
    acts: acts.filter(({ at }) => at >= from && at < to),
  };
}

function addHold(holds: Map<number, HoldBar>, event: LockEvent): void {
  const { kind, at, token, service, owner, heldMs = 0 } = event;
  if (token === undefined) return;
  if (kind === 'granted') {
    addGrant(holds, at, { service, owner, token });
  } else if (HOLD_ENDS.has(kind)) {
    const end = kind as HoldBar['end'];
    const from = holds.get(token)?.from ?? at - heldMs;
    holds.set(token, { from, to: at, service, owner, token, end, count: 1 });
  }
}

function addGrant(
  holds: Map<number, HoldBar>,
  from: number,
  { service, owner, token }: Pick<HoldBar, 'service' | 'owner' | 'token'>,
): void {
  holds.set(token, { from, to: null, service, owner, token, end: null, count: 1 });
}

/** A wait that has begun. */
interface OpenWait {
  bar: WaitBar;
  /** Only a later rev of the lock can have ended it. */
  rev: number;
}

/** Waits that have begun, by service and owner, since events contain no ticket. */
class OpenWaits {
  private readonly byParty = new Map<string, OpenWait[]>();

  /** @param since the instant from which the start of every wait is known */
  constructor(
    private readonly waits: WaitBar[],
    private readonly since: number,
  ) {}

  begin(from: number, { service, owner }: Party, rev: number): void {
    const bar: WaitBar = { from, to: null, service, owner, end: null };
    this.waits.push(bar);
    const party = partyKey(bar);
    const known = this.byParty.get(party);
    if (known) known.push({ bar, rev });
    else this.byParty.set(party, [{ bar, rev }]);
  }

  add({ kind, at, rev, service, owner, waitedMs }: LockEvent): void {
    if (kind === 'queued') this.begin(at, { service, owner }, rev - 1);
    if (!isWaitEnd(kind)) return;
    const from = at - (waitedMs ?? 0);
    const bar = this.take(partyKey({ service, owner }), from, rev);
    if (bar)
      Object.assign(bar, { from: waitedMs === undefined ? bar.from : from, to: at, end: kind });
    // A multi-lock is also granted locks in whose queues it never was, or no longer is.
    else if (from < at && from < this.since) {
      this.waits.push({ from, to: at, service, owner, end: kind });
    }
  }

  /**
   * The youngest open bars of callers that have more open bars than places in this queue: a
   * multi-lock that moved here has the bar of its `queued` event, and one for its whole age.
   */
  surplus(queue: readonly Waiter[]): ReadonlySet<WaitBar> {
    const places = new Map<string, number>();
    for (const waiter of queue) {
      const party = partyKey(waiter);
      places.set(party, (places.get(party) ?? 0) + 1);
    }
    const bars = [...places].flatMap(
      ([party, count]) => this.byParty.get(party)?.slice(count) ?? [],
    );
    return new Set(bars.map(({ bar }) => bar));
  }

  /** Removes and returns the wait of this party that began closest to `from`. */
  private take(party: string, from: number, rev: number): WaitBar | null {
    const open = this.byParty.get(party) ?? [];
    const distance = ({ bar }: OpenWait) => Math.abs(bar.from - from);
    let closest: OpenWait | null = null;
    for (const wait of open) {
      if (wait.rev >= rev) continue;
      if (!closest || distance(wait) < distance(closest)) closest = wait;
    }
    if (!closest) return null;
    open.splice(open.indexOf(closest), 1);
    if (open.length === 0) this.byParty.delete(party);
    return closest.bar;
  }
}

const isWaitEnd = (kind: string): kind is WaitEnd =>
  (WAIT_ENDS as readonly string[]).includes(kind);

/** Compares waits: open ones first, then by duration. */
function longestFirst(a: WaitBar, b: WaitBar): number {
  const lasted = ({ from, to }: WaitBar) => (to === null ? Number.POSITIVE_INFINITY : to - from);
  const [ofA, ofB] = [lasted(a), lasted(b)];
  return ofA === ofB ? a.from - b.from : ofB - ofA;
}

/** Merges short holds that follow each other closely into one bar, which counts them. */
function mergeShort(bars: HoldBar[], stepMs: number): HoldBar[] {
  const mergesAll = bars.length > SEPARATE_MAX;
  const merged: HoldBar[] = [];
  for (const bar of bars) {
    const last = merged.at(-1);
    if (last && isMergeable(last, bar, stepMs, mergesAll)) {
      merged[merged.length - 1] = {
        ...bar,
        from: last.from,
        to: Math.max(last.to ?? 0, bar.to ?? 0),
        count: last.count + 1,
      };
    } else merged.push(bar);
  }
  return merged;
}

function isMergeable(last: HoldBar, bar: HoldBar, stepMs: number, mergesAll: boolean): boolean {
  if (last.to === null || bar.to === null) return false;
  const areNormal = last.end === 'released' && bar.end === 'released';
  if (!areNormal && !mergesAll) return false;
  const isShort = bar.to - bar.from < stepMs && (last.count > 1 || last.to - last.from < stepMs);
  return isShort && bar.from - last.to < stepMs;
}
