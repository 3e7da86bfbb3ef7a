import { ALERT_QUIET_MS } from '../../core/alerts/alert';

/** For how long a lock has been stuck, as of its last reading. Instants are the server's clock. */
interface Spell {
  /** Of the hold that makes it stuck; 0: none does. */
  token: number;
  since: number;
  seenAt: number;
}

/**
 * Since when locks have been stuck. Each caller that waits makes a lock stuck from its own arrival
 * on, so where callers come and go, the reason alone would never be old. A lock counts as stuck
 * without a break during one hold if it was never otherwise for as long as resolves an alert.
 */
export class StuckSpells {
  private readonly spells = new Map<string, Spell>();

  /**
   * Notes that a lock is stuck at `now`, and returns since when.
   *
   * @param id of its row
   * @param found since when it is, as its reason says
   */
  note(id: string, { token, since }: Pick<Spell, 'token' | 'since'>, now: number): number {
    const known = this.spells.get(id);
    const goesOn = known?.token === token && isCurrent(known, now);
    const first = goesOn ? Math.min(known.since, since) : since;
    this.spells.set(id, { token, since: first, seenAt: now });
    return first;
  }

  /** Forgets locks that are no longer stuck. */
  forgetOld(now: number): void {
    for (const [id, spell] of this.spells) if (!isCurrent(spell, now)) this.spells.delete(id);
  }
}

/** Whether it was seen lately; the clock may have been set back since. */
const isCurrent = ({ seenAt }: Spell, now: number) => Math.abs(now - seenAt) < ALERT_QUIET_MS;
