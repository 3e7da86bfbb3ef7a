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

/** A counter at one of its bounds, as the gate has it unless it has said otherwise since. */
export interface AtBound {
  state: GateState;
  asOf: number;
  until: number;
}

/** The state of a counter that a reply shows at a bound; null: it is at none. */
export function atBoundIn({ state, asOf, askAgainAt }: GateReply): AtBound | null {
  return state && isAtBound(state) ? { state, asOf, until: askAgainAt } : null;
}

/** Forgets what the gate does not confirm. */
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
 * wait for the next exchange, which says which counters at a bound have changed: where nothing has,
 * a question about them would get the same refusal, so they get it without. It rests on a reply
 * that was asked for after they came, as any other.
 */
export class ConfirmedRefusals {
  private waiting: { entry: GateEntry; ask: GateAsk }[] = [];
  private sent: typeof this.waiting = [];

  get isWaiting(): boolean {
    return this.waiting.length > 0;
  }

  /** Whether a step may wait here; if not the gate must be asked about its counter. */
  take(entry: GateEntry, ask: GateAsk): boolean {
    const { refusable } = ask;
    if (refusable === null || !entry.atBound) return false;
    if (!isNothingLeft(entry.atBound.state, refusable)) return false;
    entry.unconfirmed += 1;
    this.waiting.push({ entry, ask });
    return true;
  }

  /** What waits rests on the exchange that begins now. */
  send(): void {
    this.sent = this.waiting;
    this.waiting = [];
  }

  /**
   * Refuses what it can. To be called after the entries have been given what the exchange says.
   *
   * @param askAbout called with the counters of the other steps: the gate must be asked about them
   * @returns how many were refused
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

  /** @param askAbout as in `receive` */
  giveUp(askAbout: (entry: GateEntry) => void): void {
    for (const { entry, ask } of [...this.sent.splice(0), ...this.waiting.splice(0)]) {
      entry.unconfirmed -= 1;
      entry.waiting.push(ask);
      askAbout(entry);
    }
  }
}
