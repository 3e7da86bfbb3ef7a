import { ALERT_QUIET_MS } from '../../core/alerts/alert';

/** For how long a lock has been stuck, as of its last reading. */
interface Spell {
  /** Of the hold that makes it stuck; 0: none does. */
  token: number;
  /** An instant of the server's clock. */
  since: number;
  /** On the clock that never steps. */
  seenAtMs: number;
}

/**
 * Since when locks have been stuck. Each caller that waits makes a lock stuck from its own arrival
 * on, so where callers come and go, the reason alone would never be old. A lock counts as stuck
 * without a break during one hold if it was never otherwise for as long as resolves an alert.
 */
export class StuckSpells {
  private readonly spells = new Map<string, Spell>();

  /**
   * Notes that a lock is stuck now, and returns since when.
   *
   * @param id of its row
   * @param found since when it is, as its reason says
   * @param nowMs the clock that never steps
   */
  note(id: string, { token, since }: Pick<Spell, 'token' | 'since'>, nowMs: number): number {
    const known = this.spells.get(id);
    const goesOn = known?.token === token && isCurrent(known, nowMs);
    const first = goesOn ? Math.min(known.since, since) : since;
    this.spells.set(id, { token, since: first, seenAtMs: nowMs });
    return first;
  }

  /** Forgets locks that are no longer stuck. @param nowMs the clock that never steps */
  forgetOld(nowMs: number): void {
    for (const [id, spell] of this.spells) if (!isCurrent(spell, nowMs)) this.spells.delete(id);
  }
}

/** Whether it was seen lately. */
const isCurrent = ({ seenAtMs }: Spell, nowMs: number) => nowMs - seenAtMs < ALERT_QUIET_MS;
