import type { SilenceRow } from '../../contract/console/alerts/alert-row';
import type { AlertSettings } from './alert-settings';

/** A silence that was in force, and its end on the monotonic clock. */
type KnownEnd = Pick<SilenceRow, 'id' | 'endsAt'> & { atMs: number };

/**
 * Ends silences for good once they have lasted as long as they were to: otherwise one would be in
 * force again if the clock was set back later.
 */
export class SilenceEnds {
  /** By id and end. */
  private readonly known = new Map<string, KnownEnd>();

  constructor(private readonly settings: Pick<AlertSettings, 'end'>) {}

  /**
   * Ends the silences whose time has passed since they were first noted here.
   *
   * @param inForce the silences in force at `now`
   * @param monotonicMs the same instant on the monotonic clock
   */
  async follow(inForce: readonly SilenceRow[], now: number, monotonicMs: number): Promise<void> {
    const keys = new Set(inForce.map(keyOf));
    for (const [key, { endsAt }] of this.known) {
      // An operator has ended it, or its end has changed.
      if (endsAt > now && !keys.has(key)) this.known.delete(key);
    }
    for (const { id, endsAt } of inForce) {
      const key = keyOf({ id, endsAt });
      if (!this.known.has(key))
        this.known.set(key, { id, endsAt, atMs: monotonicMs + endsAt - now });
    }
    for (const [key, end] of this.known) {
      if (monotonicMs < end.atMs) continue;
      await this.settings.end(end);
      this.known.delete(key);
    }
  }
}

const keyOf = ({ id, endsAt }: Pick<SilenceRow, 'id' | 'endsAt'>) => `${id} ${endsAt}`;
