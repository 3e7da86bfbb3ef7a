import { ALERT_QUIET_MS } from '../../core/alerts/alert';

/** For how long a lock has been stuck, as of its last reading. */
interface Spell {
  /** The token of the hold that makes the lock stuck; 0: no hold does. */
  token: number;
  /** An instant of the backend's clock: that of the server can be set meanwhile. */
  since: number;
  /** On the monotonic clock. */
  seenAtMs: number;
}

/**
 * Since when locks have been stuck. A waiting caller makes a lock stuck only from its own arrival
 * on, so where waiters keep changing, the reason alone never gets old. A lock counts as stuck
 * throughout one hold unless it was not stuck for the time that resolves an alert.
 */
export class StuckSpells {
  private readonly spells = new Map<string, Spell>();

  /**
   * Notes that a lock is stuck now, and returns since when.
   *
   * @param id of its row
   * @param found since when it is, as its reason says
   * @param nowMs the monotonic clock
   */
  note(id: string, { token, since }: Pick<Spell, 'token' | 'since'>, nowMs: number): number {
    const known = this.spells.get(id);
    const continues = known?.token === token && isCurrent(known, nowMs);
    const first = continues ? Math.min(known.since, since) : since;
    this.spells.set(id, { token, since: first, seenAtMs: nowMs });
    return first;
  }

  /** Forgets locks that are no longer stuck. @param nowMs the monotonic clock */
  forgetOld(nowMs: number): void {
    for (const [id, spell] of this.spells) if (!isCurrent(spell, nowMs)) this.spells.delete(id);
  }
}

/** Whether the lock was seen stuck recently enough for the spell to continue. */
const isCurrent = ({ seenAtMs }: Spell, nowMs: number) => nowMs - seenAtMs < ALERT_QUIET_MS;
