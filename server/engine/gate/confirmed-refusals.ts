import {
  type GateState,
  gateRefusal,
  isAtBound,
  isNothingLeft,
  NOTHING_UNDER_WAY,
} from '../../core/counter/counter-gate';
import type { GateExchange, GateReply } from '../../storage/redis-gate/gate-store';
import type { GateEntries } from './gate-entries';
import type { GateAsk, GateEntry } from './gate-entry';

/** A counter at one of its bounds in the gate's last reply. Valid until a change is reported. */
export interface AtBound {
  state: GateState;
  asOf: number;
  until: number;
}

/** The state in a reply if the counter is at a bound; null if it is not. */
export function atBoundIn({ state, asOf, askAgainAt }: GateReply): AtBound | null {
  return state && isAtBound(state) ? { state, asOf, until: askAgainAt } : null;
}

/** Drops the states at a bound that have changed since; all of them if that is unknown. */
export function forgetChanged(
  { changed }: Pick<GateExchange, 'changed'>,
  entries: Pick<GateEntries, 'get' | 'values'>,
): void {
  if (!changed) for (const entry of entries.values()) entry.atBound = null;
  for (const id of changed ?? []) {
    const entry = entries.get(id);
    if (entry) entry.atBound = null;
  }
}

/**
 * Steps in whose direction nothing was left when the gate last replied about their counters. They
 * wait for the next exchange, which lists the counters at a bound that have changed. If theirs has
 * not, the gate would refuse them again, so they are refused without asking it. Like every refusal,
 * this one is based on a reply to a message that was sent after the step arrived.
 */
export class ConfirmedRefusals {
  private waiting: { entry: GateEntry; ask: GateAsk }[] = [];
  private sent: typeof this.waiting = [];

  get isWaiting(): boolean {
    return this.waiting.length > 0;
  }

  /** Adds a step that can wait here. False: the gate must be asked about its counter. */
  take(entry: GateEntry, ask: GateAsk): boolean {
    const { refusable } = ask;
    if (refusable === null || !entry.atBound) return false;
    if (!isNothingLeft(entry.atBound.state, refusable)) return false;
    entry.unconfirmed += 1;
    this.waiting.push({ entry, ask });
    return true;
  }

  /** Lets the exchange that begins now decide about the waiting steps. */
  send(): void {
    this.sent = this.waiting;
    this.waiting = [];
  }

  /**
   * Refuses the steps that it can. Call it after the entries have received the exchange's replies.
   *
   * @param askAbout called with the counters of the other steps: the gate must be asked about them
   * @returns how many steps were refused
   */
  receive({ now, readyInMs }: GateExchange, askAbout: (entry: GateEntry) => void): number {
    const { sent } = this;
    this.sent = [];
    let refused = 0;
    for (const { entry, ask } of sent) {
      entry.unconfirmed -= 1;
      const { atBound } = entry;
      const isValid =
        atBound !== null && readyInMs === 0 && atBound.asOf <= now && now < atBound.until;
      const refusal = isValid
        ? gateRefusal({ state: atBound.state, underWay: NOTHING_UNDER_WAY }, ask.refusable ?? 0)
        : null;
      if (refusal) {
        refused += 1;
        ask.answer(refusal);
      } else {
        entry.waiting.push(ask);
        askAbout(entry);
      }
    }
    return refused;
  }

  /** Refuses none of the steps. @param askAbout as in `receive` */
  giveUp(askAbout: (entry: GateEntry) => void): void {
    for (const { entry, ask } of [...this.sent.splice(0), ...this.waiting.splice(0)]) {
      entry.unconfirmed -= 1;
      entry.waiting.push(ask);
      askAbout(entry);
    }
  }
}
