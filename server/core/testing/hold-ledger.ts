import type { EndCause } from '../../contract/primitives';
import type { Hold, LockRecord } from '../lock/lock-record';
import type { Written } from './lock-world';

/** How a hold ended, according to the written events. */
export interface Ending {
  cause: Exclude<EndCause, 'superseded'> | 'late';
  at: number;
  writtenAt: number;
  by?: string;
  reason?: string;
}

/** One hold as an observer sees it, from the writes alone. */
export interface Entry {
  hold: Hold;
  grantedIn: Written;
  ending: Ending | null;
}

/** The differences between the holds of a record and of the next one. */
export function holdsMoved(before: LockRecord | null, after: LockRecord) {
  const old = new Map(before?.holds.map((hold) => [hold.token, hold]));
  const now = new Set(after.holds.map(({ token }) => token));
  return {
    granted: after.holds.filter(({ token }) => !old.has(token)),
    ended: [...old.values()].filter(({ token }) => !now.has(token)),
    changed: after.holds.flatMap((hold) => {
      const was = old.get(hold.token);
      return was && was !== hold ? [{ was, hold }] : [];
    }),
  };
}

/** Every hold of a lock, by token, in the order in which they were granted. */
export class HoldLedger {
  readonly entries = new Map<number, Entry>();
  private lastEnded: Entry | null = null;

  onWritten(written: Written): void {
    const { granted, ended, changed } = holdsMoved(written.before, written.after);
    const order = written.decision.events.map(({ token }) => token);
    ended.sort((a, b) => order.lastIndexOf(a.token) - order.lastIndexOf(b.token));
    for (const { token } of ended) this.end(token, written);
    for (const { hold } of changed) this.entry(hold.token).hold = hold;
    for (const hold of granted) {
      this.entries.set(hold.token, { hold, grantedIn: written, ending: null });
    }
  }

  entry(token: number): Entry {
    const entry = this.entries.get(token);
    if (!entry) throw new Error(`hold ${token} came from nowhere`);
    return entry;
  }

  /** Whether this hold is live at `now`, judged by all writes. */
  isLive(token: number, now: number): boolean {
    const entry = this.entries.get(token);
    return entry !== undefined && entry.ending === null && entry.hold.expiresAt > now;
  }

  /** The cause that the holder of an ended token must get: only the last ending is remembered. */
  expectedCause(token: number): EndCause {
    const last = this.lastEnded;
    if (last?.hold.token !== token || !last.ending) return 'superseded';
    return last.ending.cause === 'late' ? 'released' : last.ending.cause;
  }

  private end(token: number, { decision, writtenAt }: Written): void {
    const kinds = ['expired', 'released', 'forced', 'late'] as const;
    const event = decision.events.find(
      (e) => e.token === token && (kinds as readonly string[]).includes(e.kind),
    );
    if (!event) throw new Error(`hold ${token} ended without an event`);
    const cause = event.kind as Ending['cause'];
    const { at, by, reason } = event;
    const why = {
      ...(by === undefined ? {} : { by }),
      ...(reason === undefined ? {} : { reason }),
    };
    this.lastEnded = this.entry(token);
    this.lastEnded.ending = { cause, at, writtenAt, ...why };
  }
}
